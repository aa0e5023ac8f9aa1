import type { NotificationPayload } from '@bellhop/contracts';

/**
 * Where a notification leads: the payload's `url`, else its `actionUrl`, else the record that caused it as `/<type>/<id>`, else nowhere.
 */
export function actionUrl(
  payload: NotificationPayload | null,
  source: { readonly type: string; readonly id: string } | null,
): string | undefined {
  // Emptiness is absence: templates fill these fields with '' when there is nothing to link to.
  const given = payload?.url || payload?.actionUrl;
  if (typeof given === 'string' && given !== '') return given;
  return source ? `/${encodeURIComponent(source.type)}/${encodeURIComponent(source.id)}` : undefined;
}
