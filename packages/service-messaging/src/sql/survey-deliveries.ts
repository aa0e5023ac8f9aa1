import type { SqlFamily } from '@bellhop/contracts';
import { bothFamilies, defineStatement } from '@bellhop/store';

/**
 * What there is to do, in one read. Each part is one seek in a partial index, per channel where the channel matters, so its cost does not grow
 * with the backlog. Params: `now`, `channels` (JSON texts).
 */
export const surveyDeliveries = defineStatement({
  label: 'outbox.survey',
  operation: 'select',
  table: 'notification_delivery',
  sql: bothFamilies(
    (family) => `
      SELECT
        (SELECT claim_expires_at FROM notification_delivery WHERE status = 'in_flight' AND claim_expires_at <= :now
          ORDER BY claim_expires_at LIMIT 1) AS expired_at,
        (SELECT claim_expires_at FROM notification_delivery WHERE status = 'in_flight' AND claim_expires_at > :now
          ORDER BY claim_expires_at LIMIT 1) AS next_expiry_at,
        MIN(due_single) AS due_single, MIN(due_digest) AS due_digest, MIN(next_single) AS next_single, MIN(next_digest) AS next_digest
      FROM (
        SELECT ${earliest('digest_key IS NULL', '<=')} AS due_single, ${earliest('digest_key IS NOT NULL', '<=')} AS due_digest,
          ${earliest('digest_key IS NULL', '>')} AS next_single, ${earliest('digest_key IS NOT NULL', '>')} AS next_digest
        FROM ${channels(family)}) AS per_channel`,
  ),
});

export interface SurveyRecord {
  readonly expired_at: number | null;
  readonly next_expiry_at: number | null;
  readonly due_single: number | null;
  readonly due_digest: number | null;
  readonly next_single: number | null;
  readonly next_digest: number | null;
}

function earliest(digest: string, comparison: '<=' | '>'): string {
  return `(SELECT due_at FROM notification_delivery
    WHERE status = 'pending' AND ${digest} AND channel = c.value AND due_at ${comparison} :now ORDER BY due_at LIMIT 1)`;
}

function channels(family: SqlFamily): string {
  return family === 'postgres' ? 'json_array_elements_text(:channels::json) AS c(value)' : 'json_each(:channels) AS c';
}
