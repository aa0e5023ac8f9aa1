import type { AttemptClass } from './attempt-class.js';
import type { Wake } from './wake.js';

/** Deliveries that have begun and not ended: those that wait, are at work, or wait for their retry. */
export const DELIVERIES_MAX = 1_024;
/** Of one hook: a dead one must not take all the room. */
export const DELIVERIES_PER_HOOK_MAX = 256;
/** Workers that one hook holds at most: each may be held for the whole timeout by a receiver that does not answer. */
const AT_WORK_PER_HOOK_MAX = 2;

/** One wake on its way to one hook. */
export interface Delivery {
  readonly wake: Wake;
  readonly hookId: string;
  /** The same over all attempts: receivers tell repeats by it. */
  readonly messageId: string;
  /** Attempts begun. */
  attempts: number;
  /** The last POST, if there was one. */
  last: { readonly class: AttemptClass; readonly at: number; readonly why?: string } | undefined;
}

/**
 * Deliveries that wait for a worker. First come, first served, but for those whose hook has its share of workers: they are passed by, so that a
 * receiver that hangs delays its own and no other's.
 */
export class DeliveryQueue {
  readonly #ready: Delivery[] = [];
  readonly #begunByHook = new Map<string, number>();
  readonly #atWork = new Map<string, number>();
  #begun = 0;

  constructor(
    private readonly most = DELIVERIES_MAX,
    private readonly mostPerHook = DELIVERIES_PER_HOOK_MAX,
  ) {}

  /** Begins a delivery. @returns false: there is no room. */
  begin(delivery: Delivery): boolean {
    if (this.#begun >= this.most || (this.#begunByHook.get(delivery.hookId) ?? 0) >= this.mostPerHook) return false;
    this.#begun += 1;
    add(this.#begunByHook, delivery.hookId, 1);
    this.#ready.push(delivery);
    return true;
  }

  /** Its retry is due. */
  again(delivery: Delivery): void {
    this.#ready.push(delivery);
  }

  /** The next for a worker, who gives it back with {@link leave}. */
  next(): Delivery | undefined {
    const place = this.#ready.findIndex(({ hookId }) => (this.#atWork.get(hookId) ?? 0) < AT_WORK_PER_HOOK_MAX);
    if (place === -1) return undefined;
    const [delivery] = this.#ready.splice(place, 1);
    if (delivery) add(this.#atWork, delivery.hookId, 1);
    return delivery;
  }

  /** The worker is through with this attempt. */
  leave(delivery: Delivery): void {
    add(this.#atWork, delivery.hookId, -1);
  }

  end(delivery: Delivery): void {
    this.#begun -= 1;
    add(this.#begunByHook, delivery.hookId, -1);
  }

  /** Takes out those that wait for a worker. */
  clear(): Delivery[] {
    return this.#ready.splice(0);
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
