import { bothFamilies, defineStatement, jsonRows } from '@bellhop/store';

/** A todo to be stored: checked, with every default filled in. */
export interface NewTodoRow {
  readonly id: string;
  readonly organization_id: string;
  readonly endpoint_id: string;
  readonly queue: string;
  readonly gate: 0 | 1;
  readonly source: string;
  readonly kind: string | null;
  readonly title: string;
  /** JSON text; null: that of its event, which a call then carries once for any number of todos. */
  readonly payload: string | null;
  readonly idempotency_key: string | null;
  readonly assignee: string | null;
  readonly max_attempts: number;
  readonly quarantine_reason: string | null;
  /** Where a release from quarantine takes it. */
  readonly quarantine_queue: string | null;
  readonly quarantine_endpoint_id: string | null;
}

/** What `insertTodos` returns: the rows it stored. A key that a living todo holds stores nothing. */
export interface InsertedTodo {
  readonly id: string;
  readonly organization_id: string;
  readonly endpoint_id: string;
  readonly queue: string;
  readonly gate: number;
  readonly assignee: string | null;
  readonly attempts_total: number;
}

const COLUMNS = {
  id: 'text',
  organization_id: 'text',
  endpoint_id: 'text',
  queue: 'text',
  gate: 'integer',
  source: 'text',
  kind: 'text',
  title: 'text',
  payload: 'text',
  idempotency_key: 'text',
  assignee: 'text',
  max_attempts: 'integer',
  quarantine_reason: 'text',
  quarantine_queue: 'text',
  quarantine_endpoint_id: 'text',
} as const;

const NAMES = Object.keys(COLUMNS);

const PAYLOAD = 'COALESCE(n.payload, (SELECT v.payload FROM board_event AS v WHERE v.id = CAST(:eventId AS TEXT)))';

/**
 * Stores todos, of an event only where the event is there: a step before it in the same batch that found the delivery stored already makes this one
 * store nothing. Nothing is stored for an endpoint that takes no work any more; one that is revoked at this moment waits, and then takes these along.
 * Params: `now`, `moved`, `eventId` (null: of none), `todos` (JSON
 * rows of {@link NewTodoRow}).
 */
export const insertTodos = defineStatement({
  label: 'board.insertTodos',
  operation: 'insert',
  table: 'board_todo',
  sql: bothFamilies(
    (family) => `
      INSERT INTO board_todo (${NAMES.join(', ')}, live_key, event_id, moved_by, state, attempt, attempts_total, ring_attempts,
        created_at, pending_since, updated_at)
      SELECT ${NAMES.map((name) => (name === 'payload' ? PAYLOAD : `n.${name}`)).join(', ')}, n.idempotency_key, CAST(:eventId AS TEXT), CAST(:moved AS TEXT), 'pending', 0, 0, 0,
        CAST(:now AS BIGINT), CAST(:now AS BIGINT), CAST(:now AS BIGINT)
      FROM ${jsonRows(family, ':todos', 'n', COLUMNS)}
      WHERE (CAST(:eventId AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM board_event AS v WHERE v.id = CAST(:eventId AS TEXT)))
        AND EXISTS (SELECT 1 FROM board_endpoint AS e WHERE e.id = n.endpoint_id AND e.state = 'active'${family === 'postgres' ? ' FOR SHARE' : ''})
      ON CONFLICT (endpoint_id, live_key) WHERE live_key IS NOT NULL DO NOTHING
      RETURNING id, organization_id, endpoint_id, queue, gate, assignee, attempts_total`,
  ),
});
