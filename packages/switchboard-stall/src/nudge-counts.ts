import type { NudgeCounts } from '@bellhop/contracts';
import type { Logger } from '@bellhop/kernel';
import { MAX_NUDGES } from './pace.js';

/** Queue names that are counted by themselves; what is beyond them goes into one count. */
const MAX_QUEUES = 1_000;
const OTHER_QUEUES = '__other__';
/** Last nudges of pairs that are watched at a time. */
const MAX_WATCHED = 10_000;

export interface PairName {
  readonly endpointId: string;
  readonly queue: string;
}

/** What a nudge of the ledger is seen to be. */
export interface SeenNudge extends PairName {
  readonly nudges: number;
  readonly lastNudgedAt: number;
}

/**
 * What became of nudges since the start of this process, by queue name, and the one warning when a pair has used its last.
 *
 * A pair is exhausted once its fifth nudge was accepted, or was not taken back by the next sweep. The process that charged it warns, so it is said
 * once. Bounded whatever queues are named.
 */
export class NudgeTally {
  readonly #counts = new Map<string, { charged: number; delivered: number; suppressed: number; exhausted: number }>();
  /** Pairs whose last nudge this process charged, and when. */
  readonly #last = new Map<string, number>();

  constructor(private readonly logger: Logger) {}

  counts(): NudgeCounts[] {
    return [...this.#counts].map(([queue, counts]) => ({ queue, ...counts }));
  }

  charged(nudge: SeenNudge): void {
    this.#of(nudge.queue).charged += 1;
    const key = keyOf(nudge);
    this.#last.delete(key);
    if (nudge.nudges >= MAX_NUDGES && this.#last.size < MAX_WATCHED) this.#last.set(key, nudge.lastNudgedAt);
  }

  delivered(pair: PairName, lastNudgedAt: number): void {
    this.#of(pair.queue).delivered += 1;
    if (this.#last.get(keyOf(pair)) === lastNudgedAt) this.#exhausted(pair);
  }

  suppressed(pair: PairName): void {
    this.#of(pair.queue).suppressed += 1;
    this.#last.delete(keyOf(pair));
  }

  /** A sweep saw the pair in the ledger: its last nudge stands, or does not. */
  seen(nudge: SeenNudge): void {
    if (this.#last.size === 0) return;
    const key = keyOf(nudge);
    const charged = this.#last.get(key);
    if (charged === undefined) return;
    if (nudge.nudges >= MAX_NUDGES && nudge.lastNudgedAt === charged) this.#exhausted(nudge);
    else this.#last.delete(key);
  }

  #exhausted({ endpointId, queue }: PairName): void {
    this.#last.delete(keyOf({ endpointId, queue }));
    this.#of(queue).exhausted += 1;
    this.logger.warn(
      { endpointId, queue, nudges: MAX_NUDGES },
      'nobody claims from this queue: it gets no stall nudge any more until somebody does, or a notify hook of it is enabled, rotated or made',
    );
  }

  #of(queue: string) {
    const name = this.#counts.has(queue) || this.#counts.size < MAX_QUEUES ? queue : OTHER_QUEUES;
    let counts = this.#counts.get(name);
    if (!counts) {
      counts = { charged: 0, delivered: 0, suppressed: 0, exhausted: 0 };
      this.#counts.set(name, counts);
    }
    return counts;
  }
}

/** An endpoint's id holds no line break. */
function keyOf({ endpointId, queue }: PairName): string {
  return `${endpointId}\n${queue}`;
}
