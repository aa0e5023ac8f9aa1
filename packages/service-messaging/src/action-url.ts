import type { NotificationPayload } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';

/** Schemes that run or embed what they carry: a link to one is an attack on whoever clicks it. Blanks and controls, which browsers skip, are skipped here. */
const DANGEROUS = /^(javascript|data|vbscript):/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones meant.
const SKIPPED_BY_BROWSERS = /[\u0000-\u0020\u007f-\u00a0]/g;

/**
 * Where a notification leads: the payload's `url`, else its `actionUrl`, else the record that caused it as `/<type>/<id>`, else nowhere.
 *
 * @throws InputError `INVALID_INPUT` for a `javascript:`, `data:` or `vbscript:` URL. Every other scheme is allowed: apps link into themselves.
 */
export function actionUrl(
  payload: NotificationPayload | null,
  source: { readonly type: string; readonly id: string } | null,
): string | undefined {
  // Emptiness is absence: templates fill these fields with '' when there is nothing to link to.
  const given = payload?.url || payload?.actionUrl;
  if (typeof given === 'string' && given !== '') return checked(given, payload?.url ? 'payload.url' : 'payload.actionUrl');
  return source ? `/${encodeURIComponent(source.type)}/${encodeURIComponent(source.id)}` : undefined;
}

function checked(url: string, path: string): string {
  if (!DANGEROUS.test(url.replaceAll(SKIPPED_BY_BROWSERS, ''))) return url;
  throw new InputError(
    'INVALID_INPUT',
    `${path}: a ${url.trim().split(':')[0]}: URL was given; javascript:, data: and vbscript: are not allowed, others are.`,
    {
      path,
    },
  );
}
