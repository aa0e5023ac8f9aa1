/** A todo's columns, as every statement that returns todos names them. */
export const TODO_COLUMNS = [
  'id',
  'organization_id',
  'endpoint_id',
  'queue',
  'state',
  'source',
  'kind',
  'title',
  'payload',
  'event_id',
  'gate',
  'idempotency_key',
  'assignee',
  'claimant',
  'lease_until',
  'attempt',
  'max_attempts',
  'attempts_total',
  'next_retry_at',
  'result',
  'quarantine_reason',
  'created_at',
  'pending_since',
  'updated_at',
  'claimed_at',
  'completed_at',
] as const;

export const todoColumns = (alias = '') => TODO_COLUMNS.map((column) => (alias ? `${alias}.${column}` : column)).join(', ');

/** What a todo that moved is told of with. */
export const MOVED_COLUMNS = 'id, organization_id, endpoint_id, queue, state, gate';

/** What the ids begin with by which a duty or a revocation moves todos. Others are hex, and sort before: an index holds what was swept alone. */
export const SWEPT_PREFIX = 'swept-';

/** Ids of the todos that a step before has swept. Params: `moved` (with {@link SWEPT_PREFIX}). */
export const SWEPT_TODOS = `SELECT t.id FROM board_todo AS t WHERE t.moved_by = :moved AND t.moved_by > 's'`;

/** A todo that nobody holds. */
export const NOBODY_HOLDS = 'lease_until = NULL, fence_hash = NULL';
