import type { AttemptClass } from './attempt-class.js';
import type { Wake } from './wake.js';

/** Deliveries that have begun and not ended: those that wait, are at work, or wait for their retry. */
export const DELIVERIES_MAX = 1_024;

/** What a hook, an endpoint and an organization may have of all that there is: a dead receiver must take neither all the room nor all the workers. */
export interface Share {
  readonly begun: number;
  /** Of the dispatcher's 8 workers: each may be held for the whole timeout by a receiver that does not answer. */
  readonly atWork: number;
}

/** From the narrowest to the widest. An endpoint may have many hooks, an organization many endpoints. */
export const SHARES = {
  hook: { begun: 256, atWork: 2 },
  endpoint: { begun: 512, atWork: 4 },
  organization: { begun: 768, atWork: 6 },
} as const satisfies Readonly<Record<string, Share>>;

type Level = keyof typeof SHARES;
const LEVELS = Object.keys(SHARES) as Level[];

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
 * Deliveries that wait for a worker. The next is of the organization, then of the endpoint, that has the fewest at work; first come, first served among
 * those. What has its share of workers is passed by. So a receiver that hangs delays its own, and whoever waits beside any number of such comes next
 * when a worker is free.
 */
export class DeliveryQueue {
  readonly #ready: Delivery[] = [];
  readonly #begun = new Counts();
  readonly #atWork = new Counts();

  constructor(
    private readonly most = DELIVERIES_MAX,
    private readonly shares: Readonly<Record<Level, Share>> = SHARES,
  ) {}

  /** Begins a delivery. @returns false: there is no room. */
  begin(delivery: Delivery): boolean {
    const full = LEVELS.some((level) => this.#begun.of(delivery, level) >= this.shares[level].begun);
    if (full || this.#begun.all >= this.most) return false;
    this.#begun.add(delivery, 1);
    this.#ready.push(delivery);
    return true;
  }

  /** Its retry is due. */
  again(delivery: Delivery): void {
    this.#ready.push(delivery);
  }

  /** The next for a worker, who gives it back with {@link leave}. */
  next(): Delivery | undefined {
    let place = -1;
    let least = Number.POSITIVE_INFINITY;
    for (const [at, delivery] of this.#ready.entries()) {
      if (LEVELS.some((level) => this.#atWork.of(delivery, level) >= this.shares[level].atWork)) continue;
      // Fewer than a hundred are ever at work: the organization weighs more than its endpoints.
      const weight = this.#atWork.of(delivery, 'organization') * 100 + this.#atWork.of(delivery, 'endpoint');
      if (weight >= least) continue;
      place = at;
      least = weight;
      if (least === 0) break;
    }
    if (place === -1) return undefined;
    const [delivery] = this.#ready.splice(place, 1);
    if (delivery) this.#atWork.add(delivery, 1);
    return delivery;
  }

  /** The worker is through with this attempt. */
  leave(delivery: Delivery): void {
    this.#atWork.add(delivery, -1);
  }

  end(delivery: Delivery): void {
    this.#begun.add(delivery, -1);
  }

  /** Takes out those that wait for a worker. */
  clear(): Delivery[] {
    return this.#ready.splice(0);
  }
}

/** How many deliveries there are of each hook, endpoint and organization; what has none is forgotten. */
class Counts {
  all = 0;
  readonly #counts: Readonly<Record<Level, Map<string, number>>> = { hook: new Map(), endpoint: new Map(), organization: new Map() };

  of(delivery: Delivery, level: Level): number {
    return this.#counts[level].get(keyOf(delivery, level)) ?? 0;
  }

  add(delivery: Delivery, change: number): void {
    this.all += change;
    for (const level of LEVELS) {
      const count = this.of(delivery, level) + change;
      if (count === 0) this.#counts[level].delete(keyOf(delivery, level));
      else this.#counts[level].set(keyOf(delivery, level), count);
    }
  }
}

function keyOf({ hookId, wake: { todo } }: Delivery, level: Level): string {
  if (level === 'hook') return hookId;
  return level === 'endpoint' ? todo.endpointId : todo.organizationId;
}
