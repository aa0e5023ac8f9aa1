import type { Clock } from '@bellhop/kernel';

/** POSTs that a hook gets in a minute, and at once after a quiet one. */
const PER_MINUTE = 120;
const BURST = 120;
/** Hooks remembered; the one asked for longest ago is forgotten, which by then has its whole burst again, or nearly. */
const HOOKS_MAX = 10_000;

interface Bucket {
  tokens: number;
  /** Monotonic. */
  at: number;
}

/** A token bucket for each hook, in this process. */
export class HookLimit {
  /** By the time they were asked for, the oldest first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly hooksMax = HOOKS_MAX,
  ) {}

  /** @returns false: the hook has had its share. */
  take(hookId: string): boolean {
    const now = this.clock.monotonic();
    const bucket = this.#buckets.get(hookId) ?? { tokens: BURST, at: now };
    bucket.tokens = Math.min(BURST, bucket.tokens + ((now - bucket.at) * PER_MINUTE) / 60_000);
    bucket.at = now;
    this.#buckets.delete(hookId);
    this.#buckets.set(hookId, bucket);
    if (this.#buckets.size > this.hooksMax) {
      const [oldest] = this.#buckets.keys();
      this.#buckets.delete(oldest as string);
    }
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  get size(): number {
    return this.#buckets.size;
  }
}
