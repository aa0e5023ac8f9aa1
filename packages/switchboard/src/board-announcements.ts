import type { ReadyReason, ReadyTodo, Store } from '@bellhop/contracts';
import type { PendingTodo } from './doorbell/doorbell.js';
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
  readonly assignee: string | null;
  readonly attempts_total: number;
}

/** Rings who is attached here. It must not throw. */
export type RingPending = (todo: PendingTodo, reason: ReadyReason) => void;

/**
 * Tells of todos that became pending: the ready hook and the doorbell here, and a signal to other processes, once a queue of an endpoint. Call it
 * after the commit. A todo that does not pass the gate is told to nobody.
 *
 * The doorbell hears of each here and not from the ready hook: that is fired for nudges as well, after which nothing has become pending.
 */
export class BoardAnnouncements {
  #ring: RingPending | undefined;

  constructor(
    private readonly edges: ReadyEdges,
    private readonly store: Pick<Store, 'signals'>,
  ) {}

  /** Has this ring for each todo that becomes pending, from now on, in place of what rang before. @returns the call that ends it. */
  ringWith(ring: RingPending): () => void {
    this.#ring = ring;
    return () => {
      if (this.#ring === ring) this.#ring = undefined;
    };
  }

  announce(moved: readonly MovedTodo[], reason: ReadyReason): void {
    const ready = moved.filter((todo) => (todo.state ?? 'pending') === 'pending' && passesGate(todo));
    for (const todo of ready) {
      this.edges.fire(toReady(todo), reason);
      this.#ring?.(toPending(todo), reason);
    }
    const pairs = new Set(ready.map(({ endpoint_id, queue }) => `${endpoint_id}:${queue}`));
    for (const payload of pairs) this.store.signals.signal(TODO_READY_TOPIC, { payload });
  }
}

function toReady({ id, organization_id, endpoint_id, queue }: MovedTodo): ReadyTodo {
  return { id, organizationId: organization_id, endpointId: endpoint_id, queue };
}

function toPending({ id, endpoint_id, queue, assignee, attempts_total }: MovedTodo): PendingTodo {
  return { id, endpointId: endpoint_id, queue, assignee, attemptsTotal: attempts_total };
}
