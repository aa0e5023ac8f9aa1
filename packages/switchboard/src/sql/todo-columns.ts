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

/** Bytes of JSON text, of a payload and of a result, that a list still shows: 200 todos of it are some 2 MB, where 200 of 5 MiB were no answer at all. */
export const LISTED_MOST_BYTES = 4_096;

const LONG_COLUMNS: readonly string[] = ['payload', 'result'];

/**
 * The same columns as a list names them: null in place of what is long, and `payload_omitted` and `result_omitted`, 1 where it is so.
 *
 * By `OCTET_LENGTH`, which SQLite and Postgres answer from the row's header: `LENGTH` counts characters, and reads all of a text for it.
 */
export const listedTodoColumns = () => [...TODO_COLUMNS.map(listed), ...LONG_COLUMNS.map(omitted)].join(', ');

function listed(column: string): string {
  return LONG_COLUMNS.includes(column)
    ? `CASE WHEN OCTET_LENGTH(${column}) <= ${LISTED_MOST_BYTES} THEN ${column} END AS ${column}`
    : column;
}

function omitted(column: string): string {
  return `CASE WHEN OCTET_LENGTH(${column}) > ${LISTED_MOST_BYTES} THEN 1 ELSE 0 END AS ${column}_omitted`;
}

/** What a todo that moved is told of with. */
export const MOVED_COLUMNS = 'id, organization_id, endpoint_id, queue, state, gate, assignee, attempts_total';

/** What the ids begin with by which a duty or a revocation moves todos. Others are hex, and sort before: an index holds what was swept alone. */
export const SWEPT_PREFIX = 'swept-';

/** Ids of the todos that a step before has swept. Params: `moved` (with {@link SWEPT_PREFIX}). */
export const SWEPT_TODOS = `SELECT t.id FROM board_todo AS t WHERE t.moved_by = :moved AND t.moved_by > 's'`;

/** What each entry into pending writes: it waits since now, with all rings of the doorbell before it. Params: `now`. */
export const PENDING_ANEW = 'pending_since = :now, ring_attempts = 0, last_ringed_at = NULL';

/** A todo that nobody holds. */
export const NOBODY_HOLDS = 'lease_until = NULL, fence_hash = NULL';
