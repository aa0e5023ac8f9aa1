import { errorMessage, type PluginHealth } from '@bellhop/kernel';
import { type ClaimPool, ClockJump, DispatchLoop, type LoopCounters, type TickHint, type TickResult } from '@bellhop/loop';
import { type ClaimPorts, ClaimRound } from './claim-round.js';
import { createDeliveryPool } from './delivery-pool.js';
import { type DeliveryCounts, DeliveryTally } from './delivery-tally.js';
import type { AttemptOutcome, DeliveryUnit } from './delivery-unit.js';
import { checkedDispatcherSettings, type DispatcherSettings, type NotificationDispatcherOptions } from './dispatcher-options.js';
import { Quarantine } from './quarantine.js';

/** Failed ticks in a row from which the dispatcher counts as failing, not just degraded. */
const FAILING_AFTER = 5;

export interface DispatcherCounters extends LoopCounters, DeliveryCounts {
  /** Sends in flight. */
  readonly sending: number;
}

/**
 * Drains a notification outbox: surveys, reaps if a claim expired, claims what is due, sends, acks.
 *
 * Guarantees: at least once, with a stable idempotency key per delivery; one row, channel, hook or partition that throws never touches
 * another; a send that loses its claim is aborted; a due time alone is enough to be sent; no fault of the outbox ends it.
 */
export class NotificationDispatcher {
  readonly nodeId: string;
  private readonly settings: DispatcherSettings;
  private readonly loop: DispatchLoop;
  private readonly pool: ClaimPool<DeliveryUnit, AttemptOutcome>;
  private readonly ports: ClaimPorts;
  private readonly jump: ClockJump;
  /** Expired claims are returned once per tick, apart from the claims. Only then may a claim skip its reap: an older outbox would never reap again. */
  private readonly reapsApart: boolean;
  private readonly tally = new DeliveryTally();
  private readonly quarantine = new Quarantine();
  private running = false;
  private firstPartition = 0;
  /** Monotonic time of the last survey. */
  private surveyedAt = Number.NEGATIVE_INFINITY;
  private failedTicks = 0;
  private lastError: string | undefined;
  private lastEarliestDueAt = Number.POSITIVE_INFINITY;

  /** @throws InputError or RangeError naming the option that is out of its bounds. */
  constructor(private readonly options: NotificationDispatcherOptions) {
    const settings = checkedDispatcherSettings(options);
    const { outbox, channels, lock } = options;
    const { clock, random, logger, nodeId, partitionCount, batchSize, claimTtlMs } = settings;
    this.settings = settings;
    this.nodeId = nodeId;
    this.jump = new ClockJump(clock, () => claimTtlMs);
    this.reapsApart = outbox.reap !== undefined;
    this.pool = createDeliveryPool(options, settings, {
      tally: this.tally,
      onFree: () => this.loop.refill(),
      // Known to the millisecond: the retry needs no other traffic to be found.
      onRetry: (dueAt) => this.loop.due(dueAt),
    });
    this.ports = {
      outbox,
      pool: this.pool,
      lock,
      clock,
      mounted: () => channels.ids(),
      nodeId,
      partitionCount,
      batchSize,
      claimTtlMs,
      skipReap: this.reapsApart,
      quarantine: this.quarantine,
    };
    this.loop = new DispatchLoop({
      clock,
      random,
      ...pick(options, ['intervalMs', 'maxIdleIntervalMs', 'minWakeSpacingMs', 'jitter']),
      onTickError: (error) => {
        this.lastError = errorMessage(error);
        logger.warn({ nodeId, error: this.lastError }, 'part of a dispatcher tick failed');
      },
      tick: (signal, hint) => this.runTick(signal, hint),
    });
  }

  start(): void {
    if (!this.running) this.jump.begin();
    this.running = true;
    this.pool.start();
    this.loop.start();
  }

  /** Work was committed that is due now. */
  wake(): void {
    this.loop.wake();
  }

  /** Work was committed that comes due at `at`, epoch milliseconds. */
  due(at: number): void {
    this.loop.due(at);
  }

  /**
   * Sends everything that is due at this moment and returns when the outcomes are written; it works whether the dispatcher runs or not. A
   * send that hangs is waited for. An outcome that cannot be written is retried behind its back.
   *
   * @returns rows claimed.
   */
  async tick(): Promise<number> {
    const startedAt = this.settings.clock.now();
    let claimed = 0;
    let wasFull = false;
    for (;;) {
      const result = await this.loop.tick();
      const earliestDueAt = this.lastEarliestDueAt;
      claimed += result.claimed;
      await this.pool.drained();
      const full = result.full === true && !wasFull;
      if (result.claimed === 0 ? !full : earliestDueAt > startedAt) return claimed;
      wasFull = result.claimed === 0;
    }
  }

  /**
   * Claims no more from this instant on, releases what was never begun, waits for the sends, aborts them at the deadline.
   *
   * @param options.deadlineMs 0 to 2 147 483 647, default 10 000. It ends at the latest a second after that, whatever hangs.
   */
  async stop({ deadlineMs = 10_000 }: { readonly deadlineMs?: number } = {}): Promise<void> {
    this.running = false;
    await Promise.all([this.loop.stop({ deadlineMs }), this.pool.stop({ deadlineMs })]);
  }

  /** Resolves when no tick is running or owed at this instant and everything handed out is acked. Not while a send waits for this clock. */
  async settled(): Promise<void> {
    await this.loop.settled();
    await this.pool.drained();
    await this.loop.settled();
  }

  counters(): DispatcherCounters {
    return { ...this.loop.counters(), ...this.tally.counts, sending: this.pool.counters().running };
  }

  health(): PluginHealth {
    const details = { nodeId: this.nodeId, dispatching: this.running, ...this.counters() };
    if (this.failedTicks === 0) return { status: 'ok', details };
    const status = this.failedTicks < FAILING_AFTER ? 'degraded' : 'failing';
    return { status, reason: `${this.failedTicks} failed ticks in a row, the last with: ${this.lastError}`, details };
  }

  /** One tick: survey → reap → claim → hand out. It returns before the sends end. */
  private async runTick(signal: AbortSignal, hint: TickHint): Promise<TickResult> {
    // Before anything reads expiries by the new wall time.
    if (this.jump.look()) await this.pool.renew();
    const round = new ClaimRound(this.ports, signal);
    this.lastEarliestDueAt = Number.POSITIVE_INFINITY;
    if (!round.hasRoom()) return this.refilled(round.result());
    const found = this.options.outbox.survey ? await this.surveyAndClaim(round, hint) : await this.reapAndClaim(round);
    const result = this.refilled(round.result(found));
    this.tally.counts.claimed += round.claimed;
    this.lastEarliestDueAt = round.earliestDueAt;
    this.failedTicks = round.failed.length > 0 ? this.failedTicks + 1 : 0;
    return result;
  }

  /** In quarantine the pool has room by its own count and tells of none: the next claim comes when the one unit is done. */
  private refilled(result: TickResult): TickResult {
    if (result.full && this.quarantine.on) void this.pool.drained().then(() => setImmediate(() => this.loop.refill()));
    return result;
  }

  private async surveyAndClaim(round: ClaimRound, hint: TickHint): Promise<Pick<TickResult, 'nextDueAt' | 'contended'>> {
    const { outbox, lock } = this.options;
    const { clock, claimTtlMs } = this.settings;
    // Right after an emit there is work, so the survey that says so is saved; but not for ever, or a stream of emits would hide the rest.
    if (hint === 'wake' && !lock && clock.monotonic() - this.surveyedAt < claimTtlMs) {
      await round.claimAll({ rows: true, digests: false });
      if (round.claimed > 0 || round.failed.length > 0) return {};
    }
    let survey: Awaited<ReturnType<NonNullable<typeof outbox.survey>>>;
    try {
      survey = (await outbox.survey?.({ channels: round.channels() })) as typeof survey;
    } catch (error) {
      round.failed.push(error);
      return {};
    }
    this.surveyedAt = clock.monotonic();
    // What an expired claim held is due as soon as it is reaped; an outbox without `reap` does so when it claims.
    const recovered = survey.expired && (this.reapsApart ? (await this.reap(round)) > 0 : true);
    const wanted = { rows: survey.due || recovered, digests: survey.dueDigests || recovered };
    if (wanted.rows || wanted.digests) {
      if (lock) await round.claimByPartition(wanted, this.nextPartition());
      else await round.claimAll(wanted);
    }
    const nextDueAt = Math.min(survey.nextDueAt ?? Number.POSITIVE_INFINITY, survey.nextExpiryAt ?? Number.POSITIVE_INFINITY);
    return {
      nextDueAt: Number.isFinite(nextDueAt) ? nextDueAt : null,
      contended: round.claimed === 0 && (survey.due || survey.dueDigests),
    };
  }

  /** For an outbox without `survey`: every partition is asked, after one reap if it can be reaped apart. */
  private async reapAndClaim(round: ClaimRound): Promise<Pick<TickResult, 'contended'>> {
    if (this.reapsApart) await this.reap(round);
    await round.claimByPartition({ rows: true, digests: true }, this.nextPartition());
    return { contended: round.claimed === 0 && round.lockedOut };
  }

  /** @returns rows returned to pending. */
  private async reap(round: ClaimRound): Promise<number> {
    const { clock, claimTtlMs } = this.settings;
    // The clock may have jumped since the tick began: in the survey, whose expiries are then no expiries. What jumps from here on is not read.
    const now = clock.now();
    const jumped = this.jump.look();
    const guardLeftMs = this.jump.guardLeftMs(this.options.outbox.survey !== undefined);
    if (guardLeftMs > 0) {
      this.loop.due(now + guardLeftMs);
      if (jumped) await this.pool.renew();
      return 0;
    }
    try {
      const reaped = (await this.options.outbox.reap?.({ claimTtlMs, now })) ?? 0;
      this.tally.counts.reaped += reaped;
      return reaped;
    } catch (error) {
      round.failed.push(error);
      return 0;
    }
  }

  /** Each walk begins one further on, so that no partition is always the one for which no room is left. */
  private nextPartition(): number {
    this.firstPartition = (this.firstPartition + 1) % this.settings.partitionCount;
    return this.firstPartition;
  }
}

/** The named options that are given. */
function pick<T extends object, K extends keyof T>(options: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]])) as Pick<T, K>;
}
