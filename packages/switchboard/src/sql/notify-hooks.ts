import { bothFamilies, defineStatement } from '@bellhop/store';

// Notify hooks: every statement but the duty's names the endpoint and its organization, so a foreign id finds nothing.

/** Failed deliveries in a row that disable a hook. */
export const FAILURES_MAX = 10;

/** A row as it is read; secrets are read only where they sign. */
export interface HookRecord {
  readonly id: string;
  readonly endpoint_id: string;
  readonly url: string;
  readonly queues: string;
  readonly enabled: number;
  readonly disabled_reason: string | null;
  readonly failures: number;
  readonly last_attempt_at: number | null;
  readonly last_outcome: string | null;
  readonly created_at: number;
  readonly rotated_at: number | null;
}

const COLUMNS = 'id, endpoint_id, url, queues, enabled, disabled_reason, failures, last_attempt_at, last_outcome, created_at, rotated_at';
const OWN = 'id = :id AND endpoint_id = :endpointId AND organization_id = :organizationId';

/**
 * Holds the endpoint's row, so that creates of one endpoint come one after the other: on Postgres two that counted at the same time would both
 * find room. On SQLite a write has the whole database. Params: `endpointId`, `organizationId`.
 */
export const lockHookEndpoint = defineStatement({
  label: 'board.lockHookEndpoint',
  operation: 'select',
  table: 'board_endpoint',
  sql: bothFamilies(
    (family) =>
      `SELECT id FROM board_endpoint WHERE id = :endpointId AND organization_id = :organizationId${family === 'postgres' ? ' FOR NO KEY UPDATE' : ''}`,
  ),
});

/** Stores a hook where there is room for one more. Params: `id`, `endpointId`, `organizationId`, `url`, `secret`, `queues`, `now`, `max`. */
export const insertHook = defineStatement({
  label: 'board.insertHook',
  operation: 'insert',
  table: 'board_notify_hook',
  sql: `
    INSERT INTO board_notify_hook (id, organization_id, endpoint_id, url, secret, queues, enabled, failures, opened_at, created_at)
    SELECT CAST(:id AS TEXT), e.organization_id, e.id, CAST(:url AS TEXT), CAST(:secret AS TEXT), CAST(:queues AS TEXT), 1, 0,
      CAST(:now AS BIGINT), CAST(:now AS BIGINT)
    FROM board_endpoint AS e
    WHERE e.id = :endpointId AND e.organization_id = :organizationId
      AND (SELECT COUNT(*) FROM board_notify_hook AS c WHERE c.endpoint_id = e.id) < CAST(:max AS BIGINT)
    RETURNING ${COLUMNS}`,
});

/** Whether the endpoint is there, and how many hooks it has. Params: `endpointId`, `organizationId`. */
export const countHooks = defineStatement({
  label: 'board.countHooks',
  operation: 'select',
  table: 'board_notify_hook',
  sql: `
    SELECT (SELECT COUNT(*) FROM board_notify_hook AS c WHERE c.endpoint_id = e.id) AS used
    FROM board_endpoint AS e WHERE e.id = :endpointId AND e.organization_id = :organizationId`,
});

/** Oldest first. Params: `endpointId`, `organizationId`. */
export const listHooks = defineStatement({
  label: 'board.listHooks',
  operation: 'select',
  table: 'board_notify_hook',
  sql: `SELECT ${COLUMNS} FROM board_notify_hook
    WHERE endpoint_id = :endpointId AND organization_id = :organizationId ORDER BY created_at, id`,
});

/**
 * A new secret beside the old one. What failures disabled is enabled: whoever rotates has the receiver in hand. Params: `id`, `endpointId`,
 * `organizationId`, `secret`, `previousUntil`, `now`.
 */
export const rotateHook = defineStatement({
  label: 'board.rotateHook',
  operation: 'update',
  table: 'board_notify_hook',
  sql: `
    UPDATE board_notify_hook SET previous_secret = secret, previous_until = :previousUntil, secret = :secret, rotated_at = :now,
      opened_at = :now, failures = 0,
      enabled = CASE WHEN disabled_reason = 'consecutive_failures' THEN 1 ELSE enabled END,
      disabled_at = CASE WHEN disabled_reason = 'consecutive_failures' THEN NULL ELSE disabled_at END,
      disabled_reason = CASE WHEN disabled_reason = 'consecutive_failures' THEN NULL ELSE disabled_reason END
    WHERE ${OWN} RETURNING ${COLUMNS}`,
});

/** Params: `id`, `endpointId`, `organizationId`, `now`. */
export const enableHook = defineStatement({
  label: 'board.enableHook',
  operation: 'update',
  table: 'board_notify_hook',
  sql: `UPDATE board_notify_hook SET enabled = 1, disabled_reason = NULL, disabled_at = NULL, failures = 0, opened_at = :now
    WHERE ${OWN} RETURNING ${COLUMNS}`,
});

/** Params: `id`, `endpointId`, `organizationId`, `now`. */
export const disableHook = defineStatement({
  label: 'board.disableHook',
  operation: 'update',
  table: 'board_notify_hook',
  sql: `UPDATE board_notify_hook SET enabled = 0, disabled_reason = 'operator', disabled_at = :now WHERE ${OWN} RETURNING ${COLUMNS}`,
});

/** Params: `id`, `endpointId`, `organizationId`. */
export const deleteHook = defineStatement({
  label: 'board.deleteHook',
  operation: 'delete',
  table: 'board_notify_hook',
  sql: `DELETE FROM board_notify_hook WHERE ${OWN}`,
});

/** A delivery was accepted. Params: `id`, `outcome`, `at`. */
export const noteHookSuccess = defineStatement({
  label: 'board.noteHookSuccess',
  operation: 'update',
  table: 'board_notify_hook',
  sql: 'UPDATE board_notify_hook SET failures = 0, last_attempt_at = :at, last_outcome = :outcome WHERE id = :id',
});

/**
 * A delivery failed. Count and verdict are one statement: two processes that each read nine would otherwise both miss the tenth.
 * Params: `id`, `outcome`, `at`.
 */
export const noteHookFailure = defineStatement({
  label: 'board.noteHookFailure',
  operation: 'update',
  table: 'board_notify_hook',
  sql: `
    UPDATE board_notify_hook SET failures = failures + 1, last_attempt_at = :at, last_outcome = :outcome,
      enabled = CASE WHEN failures + 1 >= ${FAILURES_MAX} THEN 0 ELSE enabled END,
      disabled_at = CASE WHEN enabled = 1 AND failures + 1 >= ${FAILURES_MAX} THEN CAST(:at AS BIGINT) ELSE disabled_at END,
      disabled_reason = CASE WHEN enabled = 1 AND failures + 1 >= ${FAILURES_MAX} THEN 'consecutive_failures' ELSE disabled_reason END
    WHERE id = :id RETURNING failures, disabled_reason`,
});

const ended = (now: string) => `previous_until IS NOT NULL AND previous_until <= ${now}`;
/** Of one call. */
const SECRETS_MAX = 1_000;

/** The first thousand; a later tick has the rest. Params: `now`. */
export const destroyPreviousSecrets = defineStatement({
  label: 'board.destroyPreviousSecrets',
  operation: 'update',
  table: 'board_notify_hook',
  sql: bothFamilies((family) => {
    const first = `SELECT id FROM board_notify_hook WHERE ${ended(':now')} ORDER BY previous_until, id LIMIT ${SECRETS_MAX}`;
    return `UPDATE board_notify_hook SET previous_secret = NULL, previous_until = NULL
      WHERE ${family === 'postgres' ? `id = ANY (ARRAY(${first}))` : `id IN (${first})`} AND ${ended(':now')}`;
  }),
});

/** Whether a previous secret is over, as a value. @param now an expression. */
export const endedPreviousSecret = (now: string) =>
  `CASE WHEN (SELECT previous_until FROM board_notify_hook WHERE previous_until IS NOT NULL ORDER BY previous_until, id LIMIT 1) <= ${now} THEN 1 ELSE 0 END`;
