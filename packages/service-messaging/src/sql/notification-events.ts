import { bothFamilies, defineStatement, inJsonTexts } from '@bellhop/store';

/** Params: `id, organizationId`. */
export const getEvent = defineStatement({
  label: 'notification.get',
  operation: 'select',
  table: 'notification',
  sql: `SELECT id, organization_id, topic, payload, severity, dedup_key, source_type, source_id, actor_id, suppressed, created_at
    FROM notification WHERE id = :id AND organization_id = :organizationId`,
});

/** Params: `ids` (JSON texts). */
export const markEventsFannedOut = defineStatement({
  label: 'notification.fannedOut',
  operation: 'update',
  table: 'notification',
  sql: bothFamilies((family) => `UPDATE notification SET fanned_out = 1 WHERE ${inJsonTexts(family, 'id', ':ids')}`),
});
