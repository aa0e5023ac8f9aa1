import { AckBatcher } from './ack-batcher.js';
import { checkedDeadline } from './bounds.js';
import { Changes } from './changes.js';
import { isolated } from './isolated.js';
import { LeaseRenewal } from './lease-renewal.js';
import { type ClaimOutcome, type ClaimPoolOptions, checkedPoolSettings, type Held, type PoolSettings } from './pool-options.js';
import type { SlotShare } from './shared-slots.js';
import { Slots } from './slots.js';

/** What runs that were aborted at the deadline of a stop are given to end, and their acks to be written. */
const STOP_GRACE_MS = 1_000;

export interface ClaimPoolCounters {
  readonly running: number;
  readonly buffered: number;
  readonly acked: number;
  readonly lost: number;
  /** Claims left to their leases: the run threw, or the ack could not be written while the lease lasted. */
  readonly abandoned: number;
  readonly released: number;
  /** Renewal calls that went through. */
  readonly renewals: number;
  /** Times a port threw. */
  readonly errors: number;
}

/**
 * Works the claims a loop's ticks bring home: so many at once, a batch more in the buffer, outcomes written in batches, leases renewed while
 * they are held.
 *
 * Invariants: a claim that is lost is aborted and writes nothing; one run, ack or hook that throws never touches another claim; work that
 * is claimed again while it is still running (its lease ran out unnoticed) is not run twice at once: the new claim takes over the run;
 * `stop` ends within its bound even when the store hangs.
 */
export class ClaimPool<C, R> {
  private readonly settings: PoolSettings;
  private readonly claims = new Map<string, Held<C, R>>();
  private readonly buffer = new Set<Held<C, R>>();
  private readonly acks: AckBatcher<C, R>;
  private readonly leases: LeaseRenewal<C, R>;
  private readonly slots: Slots;
  private readonly share: SlotShare | undefined;
  private readonly changes: Changes;
  private releasing = 0;
  private closed = false;
  private toldSaturated: readonly string[] = [];
  private readonly counts = { acked: 0, lost: 0, abandoned: 0, released: 0, errors: 0 };

  /** @throws RangeError naming the option that is out of its bounds. */
  constructor(private readonly options: ClaimPoolOptions<C, R>) {
    const { clock } = options;
    this.settings = checkedPoolSettings(options);
    this.share = options.sharedSlots?.join(() => this.onSharedSlot());
    this.slots = new Slots(this.settings.concurrency, this.settings.laneLimits, this.share);
    this.changes = new Changes(clock);
    this.acks = new AckBatcher({
      clock,
      batchSize: this.settings.ackBatchSize,
      timeoutMs: this.settings.claimTtlMs,
      ack: async (batch) => options.ack(batch),
      isUrgent: () => this.slots.running === 0,
      onWritten: (held, written, outcome) => this.onWritten(held, written, outcome),
      onPutOff: () => this.changed(),
      onGivenUp: (held, error) => this.abandon(held, error),
      onError: (error) => this.report(error),
    });
    this.leases = new LeaseRenewal({
      clock,
      claimTtlMs: this.settings.claimTtlMs,
      renew: options.renew && (async (claims) => options.renew?.(claims) ?? []),
      renewable: () => [...this.claims.values()].filter((held) => held.ackFailures === 0),
      onLost: (held) => this.lose(held),
      onError: (error) => this.report(error),
    });
  }

  /** How many claims may be offered: the free slots and one batch, less what waits already. 0 once stopped. */
  room(): number {
    if (this.closed) return 0;
    const unwritten = this.claims.size - this.slots.running - this.buffer.size;
    // Finished claims hold memory and leases too: a store that is slow to write slows the claiming.
    const waiting = this.buffer.size + Math.max(0, unwritten - this.settings.ackBatchSize);
    // A claim that waits for a slot another pool holds is kept from every process that could begin it.
    const ahead = this.slots.isCrowded ? 0 : this.settings.batchSize();
    const room = Math.max(0, this.slots.free + ahead - waiting);
    if (room === 0 && this.slots.isCrowded) this.share?.wait();
    return room;
  }

  /** How many claims could begin at this moment, besides those that wait. 0 once stopped. */
  free(): number {
    return this.closed ? 0 : Math.max(0, this.slots.free - this.buffer.size);
  }

  /** Lanes that hold as many claims as they may run: claim no more of theirs for now. `onFree` tells when one of them has room again. */
  saturatedLanes(): readonly string[] {
    this.toldSaturated = this.slots.saturated(this.buffer);
    return this.toldSaturated;
  }

  /**
   * Takes claims to be worked, in their order. After `stop` they are released at once.
   *
   * @param claimedAt monotonic time just before they were claimed, from which their leases count. Default: now.
   * @returns when they are taken, or released. Never rejects.
   */
  async offer(claimed: readonly C[], claimedAt: number = this.options.clock.monotonic()): Promise<void> {
    const taken = claimed.map((claim) => this.take(claim, claimedAt + this.settings.claimTtlMs));
    if (this.closed) return this.release(taken.filter((held) => held !== null));
    if (this.claims.size > 0) this.leases.keepGoing();
    this.startNext();
  }

  /** Every claim whose outcome is not written yet. */
  held(): readonly C[] {
    return [...this.claims.values()].map(({ claim }) => claim);
  }

  /** Renews all held leases at once, as after a jump of the clock. Never rejects. */
  renew(): Promise<void> {
    return this.leases.renewNow();
  }

  /** Resolves when every claim was worked and its outcome written. One whose ack failed does not hold it up while it waits for a retry. */
  async drained(): Promise<void> {
    await this.changes.until(() => [...this.claims.values()].every((held) => held.ackFailures > 0 && !held.acking));
  }

  /**
   * Releases at once what never started, waits for what runs, aborts it at the deadline, and writes the outcomes.
   *
   * @param options.deadlineMs 0 to 2 147 483 647, default 10 000. It ends at the latest one second after that, whatever hangs; claims that
   *   are still held then are left to their leases.
   */
  async stop({ deadlineMs = 10_000 }: { readonly deadlineMs?: number } = {}): Promise<void> {
    checkedDeadline(deadlineMs);
    this.closed = true;
    this.share?.leave();
    const waiting = [...this.buffer];
    this.buffer.clear();
    void this.release(waiting);
    const ended = () => this.claims.size === 0 && this.releasing === 0;
    if (!(await this.changes.until(ended, deadlineMs)) && this.slots.running > 0) {
      for (const held of this.claims.values()) held.abort.abort(new Error('Its worker stopped before this was done.'));
      await this.changes.until(ended, STOP_GRACE_MS);
    }
    if (!this.closed) return;
    this.acks.stop();
    this.leases.stop();
    for (const held of [...this.claims.values()]) this.drop(held);
    // A stop with a longer deadline may be waiting for what this one gave up.
    this.changes.happened();
  }

  /** Takes claims again after a stop. Runs that outlived it still count. */
  start(): void {
    this.closed = false;
    this.share?.comeBack();
  }

  counters(): ClaimPoolCounters {
    return { ...this.counts, running: this.slots.running, buffered: this.buffer.size, renewals: this.leases.renewals };
  }

  private take(claim: C, leaseUntil: number): Held<C, R> | null {
    const key = this.options.key(claim);
    const before = this.claims.get(key);
    if (before) {
      before.claim = claim;
      before.leaseUntil = leaseUntil;
      return null;
    }
    const held: Held<C, R> = {
      key,
      lane: this.options.lane?.(claim) ?? null,
      abort: new AbortController(),
      claim,
      leaseUntil,
      finished: null,
      acking: false,
      ackFailures: 0,
      gone: false,
    };
    this.claims.set(key, held);
    if (!this.closed) this.buffer.add(held);
    return held;
  }

  private startNext(): void {
    for (const held of this.buffer) {
      if (this.slots.free === 0) break;
      if (!this.slots.isFreeFor(held.lane)) continue;
      this.buffer.delete(held);
      void this.run(held);
    }
    if (this.buffer.size > 0 && this.slots.isCrowded) this.share?.wait();
  }

  private onSharedSlot(): void {
    this.startNext();
    this.changed();
  }

  private async run(held: Held<C, R>): Promise<void> {
    this.slots.occupy(held.lane);
    try {
      const outcome = await this.options.run(held.claim, held.abort.signal);
      held.finished = { outcome };
    } catch (error) {
      if (!held.gone) this.abandon(held, error);
    }
    this.slots.vacate(held.lane);
    this.startNext();
    if (held.gone) this.acks.advance();
    else this.acks.add(held);
    this.changed();
  }

  private onWritten(held: Held<C, R>, written: C, outcome: ClaimOutcome): void {
    if (outcome === 'lost' && held.claim !== written) {
      // Claimed again while the ack was on its way: the outcome belongs to the new claim.
      this.acks.add(held);
      return;
    }
    this.drop(held);
    this.counts[outcome] += 1;
    if (outcome === 'lost') isolated(() => this.options.onLost?.(written));
    else isolated(() => this.options.onAcked?.(written, (held.finished as { outcome: R }).outcome));
    // Claimed again after the ack was written (a retry that was due at once): that is work of its own.
    if (held.claim !== written) void this.offer([held.claim], held.leaseUntil - this.settings.claimTtlMs);
    this.changed();
  }

  private lose(held: Held<C, R>): void {
    this.drop(held);
    this.counts.lost += 1;
    held.abort.abort(new Error('The claim was lost: someone else may be at this work.'));
    isolated(() => this.options.onLost?.(held.claim));
    this.startNext();
    this.changed();
  }

  private abandon(held: Held<C, R>, error: unknown): void {
    this.drop(held);
    this.counts.abandoned += 1;
    this.report(error, held.claim);
    this.changed();
  }

  private async release(waiting: readonly Held<C, R>[]): Promise<void> {
    for (const held of waiting) this.drop(held);
    if (waiting.length === 0 || !this.options.release) return;
    this.releasing += 1;
    try {
      await this.options.release(waiting.map(({ claim }) => claim));
      this.counts.released += waiting.length;
    } catch (error) {
      this.report(error);
    }
    this.releasing -= 1;
    this.changed();
  }

  private drop(held: Held<C, R>): void {
    held.gone = true;
    this.buffer.delete(held);
    if (this.claims.get(held.key) === held) this.claims.delete(held.key);
    if (this.claims.size === 0) this.leases.stop();
  }

  private report(error: unknown, claim?: C): void {
    this.counts.errors += 1;
    isolated(() => (claim === undefined ? this.options.onError(error) : this.options.onError(error, claim)));
  }

  /** Something ended: tells those who wait, and the loop once the buffer is half empty: a claim for each freed slot would be a statement per claim. */
  private changed(): void {
    this.changes.happened();
    if (this.closed) return;
    const saturated = this.slots.saturated(this.buffer);
    const laneFreed = this.toldSaturated.some((lane) => !saturated.includes(lane));
    if (laneFreed || this.buffer.size <= this.settings.batchSize() / 2) isolated(() => this.options.onFree?.());
  }
}
