import type { SqlFamily } from '@bellhop/contracts';
import { bothFamilies, defineStatement, inJsonTexts, jsonRows } from '@bellhop/store';

// Statements by which the holder of a claim settles it. Each compares the token and the state, and returns the ids that were held: must never
// write a job that another claim took over.

/** A job that nobody holds. */
export const FREE = 'claim_token = NULL, claimed_by = NULL, locked_until = NULL';

/**
 * The compare-and-set of every outcome: this very claim still holds the job. Plan: each by its id. The empty text keeps planners off the expiry
 * index: to walk all that runs looks cheaper to them than a few look-ups, until much does.
 */
const HELD = `j.id = c.id AND j.claim_token = c.token AND j.status || '' = 'running'`;

/** The claims a statement settles. Param: `claims` (JSON rows of id, token). */
const claims = (family: SqlFamily) => jsonRows(family, ':claims', 'c', { id: 'text', token: 'text' });

const returning = (family: SqlFamily) => `RETURNING ${family === 'postgres' ? 'j.id' : 'id'}`;

/**
 * Most outcomes: jobs of one claim, all completed. It joins nothing and names no column of the order or of the keys, whose indexes are left alone;
 * that makes it half as dear as `ackJobs`. Params: `now`, `ids` (JSON texts), `token`.
 */
export const completeJobs = defineStatement({
  label: 'queue.complete',
  operation: 'update',
  table: 'queue_job',
  sql: bothFamilies(
    (family) => `
      UPDATE queue_job SET status = 'completed', finished_at = :now, updated_at = :now, ${FREE}
      WHERE ${inJsonTexts(family, 'id', ':ids')} AND claim_token = :token AND status = 'running' RETURNING id`,
  ),
});

/** Any outcomes. Params: `now`, `acks` (JSON rows of id, token, status, uncounted, due_at, error). */
export const ackJobs = defineStatement({
  label: 'queue.ack',
  operation: 'update',
  table: 'queue_job',
  sql: bothFamilies(
    (family) => `
      UPDATE queue_job AS j SET status = c.status, attempts = j.attempts - c.uncounted, due_at = COALESCE(c.due_at, j.due_at),
        rank_at = COALESCE(c.due_at - j.due_at, 0) + j.rank_at, last_error = COALESCE(c.error, j.last_error),
        finished_at = CASE WHEN c.status IN ('completed', 'dead') THEN CAST(:now AS BIGINT) END,
        idempotency_token = CASE WHEN c.status = 'dead' THEN NULL ELSE j.idempotency_token END, updated_at = :now, ${FREE}
      FROM ${jsonRows(family, ':acks', 'c', { id: 'text', token: 'text', status: 'text', uncounted: 'integer', due_at: 'bigint', error: 'text' })}
      WHERE ${HELD} ${returning(family)}`,
  ),
});

/** Extends claims. Params: `now`, `renewals` (JSON rows of id, token, locked_until). */
export const renewJobs = defineStatement({
  label: 'queue.renew',
  operation: 'update',
  table: 'queue_job',
  sql: bothFamilies(
    (family) => `
      UPDATE queue_job AS j SET locked_until = c.locked_until, updated_at = :now
      FROM ${jsonRows(family, ':renewals', 'c', { id: 'text', token: 'text', locked_until: 'bigint' })} WHERE ${HELD} ${returning(family)}`,
  ),
});

/** Hands claims back that never started; the attempt does not count. Params: `now`, `claims`. */
export const releaseJobs = defineStatement({
  label: 'queue.release',
  operation: 'update',
  table: 'queue_job',
  sql: bothFamilies(
    (family) => `
      UPDATE queue_job AS j SET status = 'pending', attempts = j.attempts - 1, updated_at = :now, ${FREE}
      FROM ${claims(family)} WHERE ${HELD} ${returning(family)}`,
  ),
});

/** Params: `now`, `id`, `token`, `progress`. */
export const noteProgress = defineStatement({
  label: 'queue.progress',
  operation: 'update',
  table: 'queue_job',
  sql: `UPDATE queue_job SET progress = :progress, updated_at = :now WHERE id = :id AND claim_token = :token AND status = 'running'`,
});
