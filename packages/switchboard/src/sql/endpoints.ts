import type { BoardEndpoint, BoardVerb, SqlFamily } from '@bellhop/contracts';
import { QUARANTINE_QUEUE } from '@bellhop/contracts';
import { bothFamilies, defineStatement, inJsonTexts } from '@bellhop/store';
import { SWEPT_TODOS } from './todo-columns.js';

// Endpoints, and what ends with one. The steps of a revocation refer to each other through data alone: the todos by the state of their endpoint, the
// attempts by the `moved_by` that the step before left on their todo. Done twice, they find nothing the second time.

const COLUMNS = `id, organization_id, slug, credential_prefix, queues, verbs, state, expires_at, default_lease_ms, created_at, revoked_at`;

export interface EndpointRecord {
  readonly id: string;
  readonly organization_id: string;
  readonly slug: string;
  readonly credential_prefix: string;
  readonly queues: string;
  readonly verbs: string;
  readonly state: string;
  readonly expires_at: number | null;
  readonly default_lease_ms: number | null;
  readonly created_at: number;
  readonly revoked_at: number | null;
}

export function toEndpoint(row: EndpointRecord): BoardEndpoint {
  return {
    id: row.id,
    organizationId: row.organization_id,
    slug: row.slug,
    credentialPrefix: row.credential_prefix,
    queues: JSON.parse(row.queues) as string[],
    verbs: JSON.parse(row.verbs) as BoardVerb[],
    state: row.state as BoardEndpoint['state'],
    expiresAt: row.expires_at,
    defaultLeaseMs: row.default_lease_ms,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  };
}

/** Stores nothing where the slug is taken. Params: one for each column. */
export const insertEndpoint = defineStatement({
  label: 'board.insertEndpoint',
  operation: 'insert',
  table: 'board_endpoint',
  sql: `INSERT INTO board_endpoint (id, organization_id, slug, credential_hash, credential_prefix, queues, verbs, state, expires_at, default_lease_ms,
      created_at)
    VALUES (:id, :organizationId, :slug, :credentialHash, :credentialPrefix, :queues, :verbs, 'active', :expiresAt, :defaultLeaseMs, :now)
    ON CONFLICT (organization_id, slug) DO NOTHING
    RETURNING ${COLUMNS}`,
});

/** Oldest first. Param: `organizationId`. */
export const listEndpoints = defineStatement({
  label: 'board.listEndpoints',
  operation: 'select',
  table: 'board_endpoint',
  sql: `SELECT ${COLUMNS} FROM board_endpoint WHERE organization_id = :organizationId ORDER BY created_at, id`,
});

/** Params: `id`, `organizationId`. */
export const findEndpointById = defineStatement({
  label: 'board.endpointById',
  operation: 'select',
  table: 'board_endpoint',
  sql: `SELECT ${COLUMNS} FROM board_endpoint WHERE id = :id AND organization_id = :organizationId`,
});

/** Params: `slug`, `organizationId`. */
export const findEndpointBySlug = defineStatement({
  label: 'board.endpointBySlug',
  operation: 'select',
  table: 'board_endpoint',
  sql: `SELECT ${COLUMNS} FROM board_endpoint WHERE organization_id = :organizationId AND slug = :slug`,
});

/** Param: `credentialHash`. */
export const findEndpointByCredential = defineStatement({
  label: 'board.endpointByCredential',
  operation: 'select',
  table: 'board_endpoint',
  sql: `SELECT ${COLUMNS} FROM board_endpoint WHERE credential_hash = :credentialHash`,
});

/** Params: `ids` (JSON texts), `organizationId`. */
export const findEndpointsByIds = defineStatement({
  label: 'board.endpointsByIds',
  operation: 'select',
  table: 'board_endpoint',
  sql: bothFamilies(
    (family) => `SELECT ${COLUMNS} FROM board_endpoint WHERE ${inJsonTexts(family, 'id', ':ids')} AND organization_id = :organizationId
      ORDER BY created_at, id`,
  ),
});

/** Active ones that expired, the first to do so first. Params: `now`, `limit`. */
export const findExpired = defineStatement({
  label: 'board.expiredEndpoints',
  operation: 'select',
  table: 'board_endpoint',
  sql: `SELECT id FROM board_endpoint WHERE state = 'active' AND expires_at IS NOT NULL AND expires_at <= :now
    ORDER BY expires_at, id LIMIT CAST(:limit AS INTEGER)`,
});

/** Whether there are any, as a duty of the reaper asks it: 1 or 0. Param: `now`. */
export const EXPIRED_ENDPOINT = `SELECT CASE WHEN (
    SELECT expires_at FROM board_endpoint WHERE state = 'active' AND expires_at IS NOT NULL ORDER BY expires_at, id LIMIT 1
  ) <= CAST(:now AS BIGINT) THEN 1 ELSE 0 END`;

/** Params: `now`, `id`, `organizationId`. */
export const revokeEndpoint = defineStatement({
  label: 'board.revokeEndpoint',
  operation: 'update',
  table: 'board_endpoint',
  sql: `UPDATE board_endpoint SET state = 'revoked', revoked_at = :now WHERE id = :id AND organization_id = :organizationId AND state = 'active'`,
});

/** Asks again whether they expired: the read before took no lock. Params: `now`, `ids` (JSON texts). */
export const expireEndpoints = defineStatement({
  label: 'board.expireEndpoints',
  operation: 'update',
  table: 'board_endpoint',
  sql: bothFamilies(
    (family) => `UPDATE board_endpoint SET state = 'revoked', revoked_at = :now
      WHERE ${inJsonTexts(family, 'id', ':ids')} AND state = 'active' AND expires_at <= :now
      RETURNING id, organization_id`,
  ),
});

/** Those of the endpoints that are revoked. */
const revokedAmong = (
  family: SqlFamily,
) => `SELECT e.id FROM board_endpoint AS e WHERE ${inJsonTexts(family, 'e.id', ':ids')} AND e.state = 'revoked'
  AND (CAST(:organizationId AS TEXT) IS NULL OR e.organization_id = CAST(:organizationId AS TEXT))`;

/**
 * Makes dead letters of what the revoked ones among the endpoints have alive, but for what waits for a person. Params: `now`, `moved` (with
 * `SWEPT_PREFIX`), `ids` (JSON texts), `organizationId` (null: of any).
 */
export const endTodosOfRevoked = defineStatement({
  label: 'board.endTodosOfRevoked',
  operation: 'update',
  table: 'board_todo',
  sql: bothFamilies(
    (family) => `UPDATE board_todo SET state = 'failed', next_retry_at = NULL, live_key = NULL, lease_until = NULL, fence_hash = NULL,
        moved_by = :moved, result = :result, completed_at = :now, updated_at = :now
      WHERE endpoint_id ${family === 'postgres' ? `= ANY (ARRAY(${revokedAmong(family)}))` : `IN (${revokedAmong(family)})`} AND queue <> '${QUARANTINE_QUEUE}'
        AND (state IN ('pending', 'claimed') OR (state = 'failed' AND next_retry_at IS NOT NULL))`,
  ),
});

/** Closes the open attempts of the todos that `endTodosOfRevoked` moved. Params: `now`, `moved`. */
export const endAttemptsOfMoved = defineStatement({
  label: 'board.endAttemptsOfMoved',
  operation: 'update',
  table: 'board_attempt',
  sql: `UPDATE board_attempt SET outcome = 'revoked', disposition = 'dead_lettered', ended_at = :now
    WHERE ended_at IS NULL AND todo_id IN (${SWEPT_TODOS})`,
});
