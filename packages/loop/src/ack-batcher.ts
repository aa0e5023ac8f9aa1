import type { Clock, Timer } from '@bellhop/kernel';
import { answered } from './answered.js';
import type { ClaimOutcome, Held, PoolAck } from './pool-options.js';

/** How long a finished claim waits for others to be written with. */
const LINGER_MS = 20;
/** Wait before the first retry of an ack that failed; doubled each time. */
const FIRST_RETRY_MS = 100;

export interface AckBatcherOptions<C, R> {
  readonly clock: Clock;
  readonly batchSize: number;
  /** An ack that is not answered within this has failed. */
  readonly timeoutMs: number;
  readonly ack: (batch: readonly PoolAck<C, R>[]) => Promise<readonly ClaimOutcome[]>;
  /** Nothing that could join a batch is running: write at once. */
  readonly isUrgent: () => boolean;
  readonly onWritten: (held: Held<C, R>, written: C, outcome: ClaimOutcome) => void;
  /** Acks wait for a retry. */
  readonly onPutOff: () => void;
  readonly onGivenUp: (held: Held<C, R>, error: unknown) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Writes the outcomes of finished claims in batches: one write at a time, at most 20 ms or one full batch behind, and at once when nothing
 * is running.
 *
 * Invariants: an outcome that cannot be written never holds up another for longer than its own attempts take; it is retried with doubling
 * waits until its lease would have ended, and then left to the lease.
 */
export class AckBatcher<C, R> {
  private queue: { readonly held: Held<C, R>; readonly since: number }[] = [];
  private writing = false;
  private timer: Timer | null = null;
  private readonly retries = new Set<Timer>();

  constructor(private readonly options: AckBatcherOptions<C, R>) {}

  add(held: Held<C, R>): void {
    this.queue.push({ held, since: this.options.clock.monotonic() });
    this.advance();
  }

  /** Writes what the rules say is to be written now, and sets the timer for the rest. */
  advance(): void {
    const first = this.queue[0];
    if (this.writing || !first) return;
    const waits = first.since + LINGER_MS - this.options.clock.monotonic();
    if (this.options.isUrgent() || this.queue.length >= this.options.batchSize || waits <= 0) void this.writeNext();
    else this.timer ??= this.options.clock.setTimeout(() => this.onTimer(), waits);
  }

  /** Forgets what is not written: no timers are left. */
  stop(): void {
    this.disarm();
    for (const retry of this.retries) retry.cancel();
    this.retries.clear();
    this.queue = [];
  }

  private onTimer(): void {
    this.timer = null;
    this.advance();
  }

  private disarm(): void {
    this.timer?.cancel();
    this.timer = null;
  }

  private async writeNext(): Promise<void> {
    this.disarm();
    const batch = this.queue.splice(0, this.options.batchSize).map(({ held }) => held);
    this.writing = true;
    await this.attempt(batch);
    this.writing = false;
    this.advance();
  }

  private async attempt(batch: readonly Held<C, R>[]): Promise<void> {
    const live = batch.filter((held) => !held.gone);
    if (live.length === 0) return;
    try {
      await this.write(live);
      return;
    } catch (error) {
      this.options.onError(error);
      if (live.length === 1) return this.retryLater(live, error);
    }
    // One of them, or the store: alone, each fails for itself only.
    const errors = await Promise.all(
      live.map((held) =>
        this.write([held]).then(
          () => null,
          (error: unknown) => ({ held, error }),
        ),
      ),
    );
    const failed = errors.filter((entry) => entry !== null);
    if (failed.length > 0)
      this.retryLater(
        failed.map(({ held }) => held),
        failed[0]?.error,
      );
  }

  private async write(batch: readonly Held<C, R>[]): Promise<void> {
    const acks = batch.map((held) => ({ claim: held.claim, outcome: (held.finished as { outcome: R }).outcome }));
    for (const held of batch) held.acking = true;
    let outcomes: readonly ClaimOutcome[];
    try {
      const { clock, timeoutMs } = this.options;
      outcomes = await answered(clock, this.options.ack(acks), { what: `The ack of ${acks.length} claims`, ms: timeoutMs });
    } finally {
      for (const held of batch) held.acking = false;
    }
    batch.forEach((held, index) => {
      if (!held.gone) this.options.onWritten(held, (acks[index] as PoolAck<C, R>).claim, outcomes[index] === 'lost' ? 'lost' : 'acked');
    });
  }

  private retryLater(failed: readonly Held<C, R>[], error: unknown): void {
    const live = failed.filter((held) => !held.gone);
    for (const held of live) held.ackFailures += 1;
    const delay = FIRST_RETRY_MS * 2 ** (Math.max(...live.map((held) => held.ackFailures)) - 1);
    const retryAt = this.options.clock.monotonic() + delay;
    const inTime = live.filter((held) => held.leaseUntil > retryAt);
    for (const held of live) if (held.leaseUntil <= retryAt) this.options.onGivenUp(held, error);
    this.options.onPutOff();
    if (inTime.length === 0) return;
    const timer = this.options.clock.setTimeout(() => {
      this.retries.delete(timer);
      void this.attempt(inTime);
    }, delay);
    this.retries.add(timer);
  }
}
