import { randomUUID } from 'node:crypto';
import type { BoardEndpoint } from '@bellhop/contracts';
import type { NewTodoRow } from './sql/insert-todos.js';
import type { CheckedPush } from './todo-input.js';

/** A pushed todo as it is stored. */
export function newTodoRow(
  push: CheckedPush,
  { id, organizationId }: BoardEndpoint,
  { source, gate }: { readonly source: string; readonly gate: boolean },
): NewTodoRow {
  return {
    id: `td_${randomUUID()}`,
    organization_id: organizationId,
    endpoint_id: id,
    queue: push.queue,
    gate: gate ? 1 : 0,
    source,
    kind: push.kind,
    title: push.title,
    payload: push.payload,
    idempotency_key: push.idempotencyKey,
    assignee: push.assignee,
    max_attempts: push.maxAttempts,
    quarantine_reason: null,
    quarantine_queue: null,
    quarantine_endpoint_id: null,
  };
}
