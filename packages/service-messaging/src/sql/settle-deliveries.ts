import { CLAIM_EXPIRED, type SqlFamily } from '@bellhop/contracts';
import { bothFamilies, defineStatement, jsonRows } from '@bellhop/store';

const FREE = 'claimed_by = NULL, claimed_at = NULL, claim_token = NULL, claim_expires_at = NULL';

/** The compare-and-set of every outcome: this very claim still holds the row. Plan: each by its id. */
const HELD = (family: SqlFamily) => `d.id = a.id AND d.claim_token = a.token AND ${inFlight(family)}`;

/**
 * The plus and the empty text keep planners off the expiry index: to walk all that is in flight looks cheaper to them than a few look-ups, until
 * much is.
 */
function inFlight(family: SqlFamily): string {
  return family === 'sqlite' ? `+d.status = 'in_flight'` : `d.status || '' = 'in_flight'`;
}

/** Writes outcomes. Params: `now`, `acks` (JSON rows of id, token, status, uncounted, due_at, external_id, error). Returns the ids that were held. */
export const ackDeliveries = defineStatement({
  label: 'outbox.ack',
  operation: 'update',
  table: 'notification_delivery',
  sql: bothFamilies(
    (family) => `
      UPDATE notification_delivery AS d SET status = a.status, attempts = d.attempts - a.uncounted, due_at = COALESCE(a.due_at, d.due_at),
        external_id = COALESCE(a.external_id, d.external_id), error = a.error, last_attempted_at = :now, updated_at = :now, ${FREE}
      FROM ${jsonRows(family, ':acks', 'a', {
        id: 'text',
        token: 'text',
        status: 'text',
        uncounted: 'integer',
        due_at: 'bigint',
        external_id: 'text',
        error: 'text',
      })}
      WHERE ${HELD(family)} RETURNING ${family === 'postgres' ? 'd.id' : 'id'}`,
  ),
});

/** Extends claims. Params: `now`, `expiresAt`, `claims` (JSON rows of id, token). Returns the ids that were held. */
export const renewClaims = defineStatement({
  label: 'outbox.renew',
  operation: 'update',
  table: 'notification_delivery',
  sql: bothFamilies(
    (family) => `
      UPDATE notification_delivery AS d SET claim_expires_at = :expiresAt, updated_at = :now
      FROM ${jsonRows(family, ':claims', 'a', { id: 'text', token: 'text' })}
      WHERE ${HELD(family)} RETURNING ${family === 'postgres' ? 'd.id' : 'id'}`,
  ),
});

/** Hands claims back unsent; the attempt does not count. Params: `now`, `claims`. */
export const releaseClaims = defineStatement({
  label: 'outbox.release',
  operation: 'update',
  table: 'notification_delivery',
  sql: bothFamilies(
    (family) => `
      UPDATE notification_delivery AS d SET status = 'pending', attempts = d.attempts - 1, updated_at = :now, ${FREE}
      FROM ${jsonRows(family, ':claims', 'a', { id: 'text', token: 'text' })}
      WHERE ${HELD(family)}`,
  ),
});

/**
 * Returns expired claims to pending, those at the attempt limit to dead. Store-wide: it names no partition and needs no lock.
 * Plan: a range of the expiry index. Params: `now`, `attemptLimit`.
 */
export const reapDeliveries = defineStatement({
  label: 'outbox.reap',
  operation: 'update',
  table: 'notification_delivery',
  sql: `
    UPDATE notification_delivery SET
      status = CASE WHEN attempts >= :attemptLimit THEN 'dead' ELSE 'pending' END,
      error = '${CLAIM_EXPIRED}', updated_at = :now, ${FREE}
    WHERE status = 'in_flight' AND claim_expires_at <= :now`,
});
