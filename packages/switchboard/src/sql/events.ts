import { defineStatement } from '@bellhop/store';

export interface EventTodoRecord {
  readonly event_id: string;
  readonly verified: number;
  /** Null: the event has no todos, any more or at all. */
  readonly todo_id: string | null;
}

/**
 * The event of a delivery, ours or the first one, with its todos by their ids, so that a replay is answered as the first was. Params: `eventId`, `webhookId`,
 * `externalId`.
 */
export const findEventTodos = defineStatement({
  label: 'board.eventTodos',
  operation: 'select',
  table: 'board_event',
  sql: `SELECT v.id AS event_id, v.verified, t.id AS todo_id
    FROM board_event AS v LEFT JOIN board_todo AS t ON t.event_id = v.id
    WHERE v.id = :eventId OR (v.webhook_id = :webhookId AND v.external_id = CAST(:externalId AS TEXT))
    ORDER BY t.id`,
});
