import type { Clock } from '@bellhop/kernel';

/** Milliseconds in which a todo rings once. */
export const GATE_TTL_MS = 60_000;
const TODOS_MAX = 10_000;

/**
 * Keeps one commit from ringing twice: its process rings at once, and its signal rings the others, or comes after another signal of the same queue.
 * Must never stand before notify hooks or the heartbeat: those have their own pace.
 */
export class DoorbellGate {
  /** Todo id to the monotonic time it passed, the oldest first. */
  readonly #passed = new Map<string, number>();
  #prunedAt: number;

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly most = TODOS_MAX,
  ) {
    this.#prunedAt = clock.monotonic();
  }

  /** @returns false: it passed within the last minute. */
  pass(todoId: string): boolean {
    const now = this.clock.monotonic();
    this.#prune(now);
    const at = this.#passed.get(todoId);
    if (at !== undefined && now - at < GATE_TTL_MS) return false;
    this.#passed.delete(todoId);
    this.#passed.set(todoId, now);
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
    for (const [id, at] of this.#passed) {
      if (now - at < GATE_TTL_MS) break;
      this.#passed.delete(id);
    }
  }
}
