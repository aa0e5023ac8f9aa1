import type { Clock } from '@bellhop/kernel';

/** Milliseconds in which a todo rings once for one entry into pending. */
export const GATE_TTL_MS = 60_000;
const TODOS_MAX = 10_000;

interface Passed {
  readonly entry: number;
  /** Monotonic. */
  readonly at: number;
}

/**
 * Keeps one entry into pending from ringing twice: the process whose commit it was rings at once, and a signal rings the others; a signal of another
 * todo of the queue finds it waiting as well, before the commit is told of here or after. A later entry of the todo is new, and passes at once.
 * Must never stand before notify hooks or the heartbeat: those have their own pace.
 */
export class DoorbellGate {
  /** By todo id, who passed longest ago first. */
  readonly #passed = new Map<string, Passed>();
  #prunedAt: number;

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly most = TODOS_MAX,
  ) {
    this.#prunedAt = clock.monotonic();
  }

  /**
   * @param entry which entry into pending it is: how often the todo had been claimed before it. Each later one is greater.
   * @returns false: this entry, or a later one, passed within the last minute.
   */
  pass(todoId: string, entry: number): boolean {
    const now = this.clock.monotonic();
    this.#prune(now);
    const last = this.#passed.get(todoId);
    if (last && entry <= last.entry && now - last.at < GATE_TTL_MS) return false;
    this.#passed.delete(todoId);
    this.#passed.set(todoId, { entry, at: now });
    if (this.#passed.size > this.most) {
      const [oldest] = this.#passed.keys();
      this.#passed.delete(oldest as string);
    }
    return true;
  }

  /** It may ring again at once. */
  forget(todoId: string): void {
    this.#passed.delete(todoId);
  }

  get size(): number {
    return this.#passed.size;
  }

  /** At most once per TTL: a walk on every ring would cost more than what it frees. */
  #prune(now: number): void {
    if (now - this.#prunedAt < GATE_TTL_MS) return;
    this.#prunedAt = now;
    for (const [id, { at }] of this.#passed) {
      if (now - at < GATE_TTL_MS) break;
      this.#passed.delete(id);
    }
  }
}
