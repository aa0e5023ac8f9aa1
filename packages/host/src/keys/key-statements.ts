import { defineStatement } from '@bellhop/store';

const COLUMNS = 'id, hint, organization_id, label, created_at, revoked_at';

/** One seek in a unique index, for each key once per cache time. Params: `hash`. */
export const findKey = defineStatement({
  label: 'host.key_find',
  operation: 'select',
  table: 'api_key',
  sql: 'SELECT id, hash, organization_id FROM api_key WHERE hash = :hash AND revoked_at IS NULL',
});

/** Params: `id, hash, hint, organizationId, label, now`. */
export const insertKey = defineStatement({
  label: 'host.key_insert',
  operation: 'insert',
  table: 'api_key',
  sql: `INSERT INTO api_key (id, hash, hint, organization_id, label, created_at)
    VALUES (:id, :hash, :hint, :organizationId, :label, :now)`,
});

/**
 * Inserts a root key unless there ever was one. Of two hosts that start on one empty database only one inserts: both use the same `id`.
 * The casts are for Postgres, which takes an untyped parameter in a SELECT for text. Params: `id, hash, hint, now`.
 */
export const insertFirstKey = defineStatement({
  label: 'host.key_insert_first',
  operation: 'insert',
  table: 'api_key',
  sql: `INSERT INTO api_key (id, hash, hint, created_at)
    SELECT CAST(:id AS VARCHAR(64)), CAST(:hash AS VARCHAR(64)), CAST(:hint AS VARCHAR(32)), CAST(:now AS BIGINT)
    WHERE NOT EXISTS (SELECT 1 FROM api_key WHERE organization_id IS NULL)
    ON CONFLICT (id) DO NOTHING`,
});

/** Oldest first. No params. */
export const listKeys = defineStatement({
  label: 'host.key_list',
  operation: 'select',
  table: 'api_key',
  sql: `SELECT ${COLUMNS} FROM api_key ORDER BY created_at, id`,
});

/** Params: `id`. */
export const getKey = defineStatement({
  label: 'host.key_get',
  operation: 'select',
  table: 'api_key',
  sql: `SELECT ${COLUMNS} FROM api_key WHERE id = :id`,
});

/** One seek in a unique index. Params: `hash`. */
export const getKeyByHash = defineStatement({
  label: 'host.key_get_by_hash',
  operation: 'select',
  table: 'api_key',
  sql: `SELECT ${COLUMNS} FROM api_key WHERE hash = :hash`,
});

/** Params: `id, now`. */
export const revokeKey = defineStatement({
  label: 'host.key_revoke',
  operation: 'update',
  table: 'api_key',
  sql: 'UPDATE api_key SET revoked_at = :now WHERE id = :id AND revoked_at IS NULL',
});
