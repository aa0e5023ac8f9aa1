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

/** A todo that nobody holds. */
export const NOBODY_HOLDS = 'lease_until = NULL, fence_hash = NULL';
