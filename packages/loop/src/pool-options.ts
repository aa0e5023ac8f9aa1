import type { Clock } from '@bellhop/kernel';
import { countInBounds, inBounds } from './bounds.js';
import { LONGEST_TIMER_MS } from './delay.js';
import type { SharedSlots } from './shared-slots.js';

/** `lost`: the claim was no longer held, and nothing was written. Normal, so it is data. */
export type ClaimOutcome = 'acked' | 'lost';

/** A finished claim with what came of it. */
export interface PoolAck<C, R> {
  readonly claim: C;
  readonly outcome: R;
}

/** What the pool stands on. `C` is a claim: one row, or several that are worked as one; `R` is what came of working it. */
export interface ClaimPoolOptions<C, R> {
  readonly clock: Clock;
  /** What the claim is on, the same for a later claim on the same work. */
  readonly key: (claim: C) => string;
  /** Does the work. It should return an outcome whatever happens: a claim whose run throws is left to its lease. `signal` aborts when the claim is lost, and at the deadline of `stop`. */
  readonly run: (claim: C, signal: AbortSignal) => Promise<R>;
  /** Writes outcomes, each only where its claim is still held. Outcomes in the order of the batch. All or nothing is not needed. */
  readonly ack: (batch: readonly PoolAck<C, R>[]) => Promise<readonly ClaimOutcome[]>;
  /** Extends leases to `claimTtlMs` from now. Without it a lease ends when it ends. */
  readonly renew?: (claims: readonly C[]) => Promise<readonly ClaimOutcome[]>;
  /** Hands back claims that were never begun. Without it they are left to their leases. */
  readonly release?: (claims: readonly C[]) => Promise<void>;
  /** The lane of a claim, for `laneLimits`. */
  readonly lane?: (claim: C) => string;
  /** Most claims of a lane that run at once; lanes not named have no limit of their own. Each 1 to 10 000. */
  readonly laneLimits?: Readonly<Record<string, number>>;
  /** Claims that run at once. 1 to 10 000, default 16. */
  readonly concurrency?: number;
  /** Slots this pool shares with others, beside its own. Default: none. */
  readonly sharedSlots?: SharedSlots;
  /** Claims held beyond the free slots, so that a freed one need not wait for the store: 1 to 10 000, or what says how many, 0 or more. Default 32. */
  readonly batchSize?: number | (() => number);
  /** Milliseconds a lease lasts. Renewed every third of it. 10 to 2 147 483 647. */
  readonly claimTtlMs: number;
  /** Outcomes written in one call at most; 1 where the store writes one at a time anyway. 1 to 1 000, default 64. */
  readonly ackBatchSize?: number;
  /** There may be room, or a lane, where there was none: wired to `loop.refill()`. */
  readonly onFree?: () => void;
  /** An outcome was written. */
  readonly onAcked?: (claim: C, outcome: R) => void;
  /** A claim was lost: to a renewal or an ack that found it gone, or to a lease that could not be renewed in time. */
  readonly onLost?: (claim: C) => void;
  /** A port threw. `claim` is set when it concerns one: its run threw, or its ack was given up. */
  readonly onError: (error: unknown, claim?: C) => void;
}

/** A claim in the pool, from `offer` until its outcome is written or it is gone. */
export interface Held<C, R> {
  readonly key: string;
  readonly lane: string | null;
  readonly abort: AbortController;
  /** Replaced when the same work is claimed again meanwhile. */
  claim: C;
  /** Monotonic time until which the lease is known to last. */
  leaseUntil: number;
  /** Set once the run has ended. */
  finished: { readonly outcome: R } | null;
  /** Its ack is being written: what a renewal says of it no longer counts. */
  acking: boolean;
  /** Failures of its ack. From the first on its lease is not renewed: that is what ends the retries. */
  ackFailures: number;
  /** No longer in the pool; nothing of it is written any more. */
  gone: boolean;
}

export interface PoolSettings {
  readonly concurrency: number;
  readonly batchSize: () => number;
  readonly claimTtlMs: number;
  readonly ackBatchSize: number;
  readonly laneLimits: ReadonlyMap<string, number>;
}

/** @throws RangeError naming the option, what was given and what is allowed. */
export function checkedPoolSettings<C, R>(options: ClaimPoolOptions<C, R>): PoolSettings {
  const laneLimits = Object.entries(options.laneLimits ?? {});
  const { batchSize = 32 } = options;
  if (typeof batchSize === 'number') countInBounds('batchSize', batchSize, 1, 10_000);
  return {
    concurrency: countInBounds('concurrency', options.concurrency ?? 16, 1, 10_000),
    batchSize: typeof batchSize === 'number' ? () => batchSize : batchSize,
    claimTtlMs: inBounds('claimTtlMs', options.claimTtlMs, 10, LONGEST_TIMER_MS),
    ackBatchSize: countInBounds('ackBatchSize', options.ackBatchSize ?? 64, 1, 1_000),
    laneLimits: new Map(laneLimits.map(([lane, limit]) => [lane, countInBounds(`laneLimits.${lane}`, limit, 1, 10_000)])),
  };
}
