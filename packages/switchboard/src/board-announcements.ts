import type { ReadyReason, ReadyTodo, Store } from '@bellhop/contracts';
import { passesGate } from './gate.js';
import type { ReadyEdges } from './ready-edges.js';

/** The topic under which processes of one database tell each other of todos; its payload is `<endpoint id>:<queue>`. */
export const TODO_READY_TOPIC = 'todo_ready';

/** A row that a statement moved, as it returned it. */
export interface MovedTodo {
  readonly id: string;
  readonly organization_id: string;
  readonly endpoint_id: string;
  readonly queue: string;
  readonly state?: string;
  readonly gate: number;
}

/**
 * Tells of todos that became pending: the ready hook here, and a signal to other processes, once a queue of an endpoint. Call it after the commit.
 * A todo that does not pass the gate is told to nobody.
 */
export class BoardAnnouncements {
  constructor(
    private readonly edges: ReadyEdges,
    private readonly store: Pick<Store, 'signals'>,
  ) {}

  announce(moved: readonly MovedTodo[], reason: ReadyReason): void {
    const ready = moved.filter((todo) => (todo.state ?? 'pending') === 'pending' && passesGate(todo)).map(toReady);
    for (const todo of ready) this.edges.fire(todo, reason);
    const pairs = new Set(ready.map(({ endpointId, queue }) => `${endpointId}:${queue}`));
    for (const payload of pairs) this.store.signals.signal(TODO_READY_TOPIC, { payload });
  }
}

function toReady({ id, organization_id, endpoint_id, queue }: MovedTodo): ReadyTodo {
  return { id, organizationId: organization_id, endpointId: endpoint_id, queue };
}
