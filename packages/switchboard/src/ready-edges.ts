import type { ReadyHook, ReadyReason, ReadyTodo } from '@bellhop/contracts';
import { errorMessage, type Logger } from '@bellhop/kernel';

/** Who is called, by what name a log knows it. */
interface Listener {
  readonly hook: ReadyHook;
}

/**
 * The ready hook: tells whoever listens of each todo that became pending and passes the gate. It is called after the commit, by the process whose
 * statement moved the row; the caller has asked the gate.
 *
 * Invariants: a listener that throws is logged and keeps no other from hearing; nothing is awaited.
 */
export class ReadyEdges {
  readonly #listeners = new Set<Listener>();

  constructor(private readonly logger: Logger) {}

  /** @returns the call that ends it. */
  listen(hook: ReadyHook): () => void {
    const listener = { hook };
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  fire(todo: ReadyTodo, reason: ReadyReason): void {
    for (const { hook } of [...this.#listeners]) {
      try {
        hook(todo, reason);
      } catch (error) {
        this.logger.warn({ todoId: todo.id, reason, error: errorMessage(error) }, 'a ready hook threw');
      }
    }
  }
}
