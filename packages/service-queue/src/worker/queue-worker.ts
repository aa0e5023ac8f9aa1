import type { BatchJobHandler, JobHandler, JobSurvey, SubscribeOptions, Subscription } from '@bellhop/contracts';
import { errorMessage, type PluginHealth } from '@bellhop/kernel';
import { ClockJump, DispatchLoop, type LoopCounters, SharedSlots, type TickHint, type TickResult } from '@bellhop/loop';
import type { QueueSchedules } from '../schedules/queue-schedules.js';
import { ClaimTurn } from './claim-turn.js';
import { JobSubscription } from './job-subscription.js';
import { type JobCounts, JobTally } from './job-tally.js';
import type { WrittenJob } from './job-unit.js';
import { Suspects } from './suspects.js';
import {
  checkedWorkerSettings,
  checkSubscribeOptions,
  DEFAULT_LEASE_MS,
  type QueueWorkerOptions,
  type WorkerSettings,
} from './worker-options.js';

/** Failed ticks in a row from which the worker counts as failing, not just degraded. */
const FAILING_AFTER = 5;
/** Rows that a tick promotes or reclaims at most. */
const RECOVER_LIMIT = 1_000;
/** A stream of announced work is claimed without a survey for so long: what nobody announced must not wait for the end of the stream. */
const SURVEY_EVERY_MS = 5_000;
const DEFAULT_INTERVAL_MS = 500;
/** The longest a pool can wait for its runs. */
const NO_DEADLINE_MS = 2_147_483_647;

export interface WorkerCounters extends LoopCounters, JobCounts {
  /** Handlers that run. */
  readonly running: number;
  readonly subscriptions: number;
}

/**
 * Works the jobs of a process's subscriptions: one survey for all queues, then only what it says: returns expired leases, promotes what is due,
 * claims for every queue with room in one statement, and hands out.
 *
 * Guarantees: at least once; a job whose claim is lost is aborted and writes nothing; a queue, handler or statement that hangs or throws never
 * touches another queue; a due time alone is enough to be run; no fault of the store ends it.
 */
export class QueueWorker {
  readonly workerId: string;
  private readonly settings: WorkerSettings;
  private readonly loop: DispatchLoop;
  private readonly jump: ClockJump;
  private readonly sharedSlots: SharedSlots;
  private readonly suspects: Suspects;
  private readonly tally = new JobTally();
  private readonly subscriptions = new Set<JobSubscription>();
  /** Unsubscribed ones whose jobs still run. */
  private readonly ending = new Map<JobSubscription, Promise<void>>();
  /** Queues of which work was announced since the last tick began. */
  private announced = new Set<string>();
  private running = false;
  private ticking = false;
  private crowded = false;
  /** Monotonic time of the last survey. */
  private surveyedAt = Number.NEGATIVE_INFINITY;
  /** Which subscription is asked first: each tick another, so that none is always the one for which no slot is left. */
  private first = 0;
  private failedTicks = 0;
  private lastError: string | undefined;
  private lastEarliestDueAt = Number.POSITIVE_INFINITY;

  /** @throws InputError or RangeError naming the option that is out of its bounds. */
  constructor(private readonly options: QueueWorkerOptions) {
    const settings = checkedWorkerSettings(options);
    const { clock, random, logger, workerId, maxConcurrency } = settings;
    this.settings = settings;
    this.workerId = workerId;
    this.sharedSlots = new SharedSlots(maxConcurrency);
    this.suspects = new Suspects(clock);
    this.jump = new ClockJump(clock, () => this.guardMs());
    this.loop = new DispatchLoop({
      clock,
      random,
      ...pick(options, ['intervalMs', 'maxIdleIntervalMs', 'minWakeSpacingMs', 'jitter']),
      onTickError: (error) => {
        this.lastError = errorMessage(error);
        logger.warn({ workerId, error: this.lastError }, 'part of a worker tick failed');
      },
      tick: async (signal, hint) => {
        this.ticking = true;
        try {
          return await this.runTick(signal, hint);
        } finally {
          this.ticking = false;
        }
      },
    });
  }

  /**
   * Subscribers of one queue compete: a job goes to one. With `batch` the handler gets batches.
   *
   * @throws InputError `INVALID_INPUT`; the path names the option.
   */
  subscribe(queue: string, handler: JobHandler | BatchJobHandler, given?: SubscribeOptions & { readonly batch?: number }): Subscription {
    const options = checkSubscribeOptions(given);
    const { clock, random, logger, workerId } = this.settings;
    const unitHandler = options.batch === null ? { one: handler as JobHandler } : { batch: handler as BatchJobHandler };
    const subscription = new JobSubscription(queue, unitHandler, options, {
      jobs: this.options.jobs,
      clock,
      random,
      logger,
      workerId,
      sharedSlots: this.sharedSlots,
      suspects: this.suspects,
      tally: this.tally,
      onFree: (of) => {
        // During a tick it is not decided yet who is left without room.
        if (of.starved || this.crowded || this.ticking) this.loop.refill();
      },
      onWritten: (written) => this.onWritten(written),
      onReleased: () => this.onReleased(queue),
    });
    this.subscriptions.add(subscription);
    this.wake(queue);
    return { queue, unsubscribe: () => this.end(subscription) };
  }

  /** Ends every subscription of the queue. Resolves when their jobs have ended. */
  async unsubscribe(queue: string): Promise<void> {
    const all = [...this.subscriptions, ...this.ending.keys()].filter((each) => each.queue === queue);
    await Promise.all(all.map((each) => this.end(each)));
  }

  start(): void {
    if (!this.running) this.jump.begin();
    this.running = true;
    for (const { pool } of this.subscriptions) pool.start();
    this.loop.start();
  }

  /** Work was committed that is due now. @param queue its queue, where it is known: then it is claimed for at once. */
  wake(queue?: string): void {
    if (queue !== undefined && this.running) this.announced.add(queue);
    this.loop.wake();
  }

  /** Work was committed that comes due at `at`, epoch milliseconds. */
  due(at: number): void {
    this.loop.due(at);
  }

  /**
   * Runs everything that is due at this moment and returns when the outcomes are written; it works whether the worker runs or not. A handler
   * that hangs is waited for. An outcome that cannot be written is retried behind its back.
   *
   * @returns jobs claimed.
   */
  async tick(): Promise<number> {
    const startedAt = this.settings.clock.now();
    let claimed = 0;
    let wasFull = false;
    for (;;) {
      const result = await this.loop.tick();
      const earliestDueAt = this.lastEarliestDueAt;
      claimed += result.claimed;
      await this.drained();
      const full = result.full === true && !wasFull;
      if (result.claimed === 0 ? !full : earliestDueAt > startedAt) return claimed;
      wasFull = result.claimed === 0;
    }
  }

  /**
   * Claims no more from this instant on, releases what was never begun, waits for the handlers, aborts them at the deadline and hands their jobs
   * back: neither counts as an attempt.
   *
   * @param options.deadlineMs 0 to 2 147 483 647, default 10 000. It ends at the latest a second after that, whatever hangs.
   */
  async stop({ deadlineMs = 10_000 }: { readonly deadlineMs?: number } = {}): Promise<void> {
    this.running = false;
    this.announced.clear();
    const pools = [...this.subscriptions, ...this.ending.keys()].map(({ pool }) => pool.stop({ deadlineMs }));
    await Promise.all([this.loop.stop({ deadlineMs }), ...pools]);
  }

  /** Resolves when no tick is running or owed at this instant and everything handed out is acked. Not while a handler waits for this clock. */
  async settled(): Promise<void> {
    await this.loop.settled();
    await this.drained();
    await this.loop.settled();
  }

  counters(): WorkerCounters {
    return {
      ...this.loop.counters(),
      ...this.tally.counts,
      running: this.sharedSlots.running,
      subscriptions: this.subscriptions.size,
    };
  }

  health(): PluginHealth {
    const details = { workerId: this.workerId, working: this.running, durable: this.options.jobs.durable, ...this.counters() };
    if (this.failedTicks === 0) return { status: 'ok', details };
    const status = this.failedTicks < FAILING_AFTER ? 'degraded' : 'failing';
    return { status, reason: `${this.failedTicks} failed ticks in a row, the last with: ${this.lastError}`, details };
  }

  /** One tick: survey → reclaim → promote → fire → claim → hand out. It returns before the handlers end. */
  private async runTick(signal: AbortSignal, hint: TickHint): Promise<TickResult> {
    // Before anything reads expiries by the new wall time.
    if (this.jump.look()) await this.renewAll();
    for (const each of this.subscriptions) if (this.announced.has(each.queue)) each.likely = true;
    this.announced = new Set();
    this.first += 1;
    const turn = new ClaimTurn({ ...this.settings, jobs: this.options.jobs, sharedSlots: this.sharedSlots, tally: this.tally }, signal);
    const hasty = (hint === 'wake' || hint === 'more' || hint === 'refill') && this.surveyIsFresh();
    if (hasty) await turn.claim(this.withRoom().filter(({ likely }) => likely));
    const found = turn.claimed > 0 || turn.failed.length > 0 ? {} : await this.surveyAndClaim(turn);
    return this.finish(turn, found);
  }

  private async surveyAndClaim(turn: ClaimTurn): Promise<Pick<TickResult, 'nextDueAt' | 'contended'>> {
    const asked = this.withRoom();
    const askedAt = this.settings.clock.now();
    let survey: JobSurvey;
    try {
      survey = await this.options.jobs.survey({ queues: uniqueQueues(asked) });
    } catch (error) {
      turn.failed.push(error);
      return {};
    }
    this.surveyedAt = this.settings.clock.monotonic();
    const recovered = await this.recover(survey, turn);
    const claimable = new Set(survey.claimable);
    for (const each of asked) each.likely &&= claimable.has(each.queue);
    // What was just made claimable may be of any queue.
    const wanted = recovered ? asked : asked.filter(({ queue }) => claimable.has(queue));
    if (wanted.length > 0) await turn.claim(wanted);
    // By the time of the survey: what has come due since then it did not see, and no other tick would look for it before the interval.
    const later = (time: number | undefined): time is number => time !== undefined && time > askedAt;
    const times = [survey.nextDueAt, survey.nextExpiryAt, survey.nextFireAt].filter(later);
    return {
      nextDueAt: times.length > 0 ? Math.min(...times) : null,
      contended: turn.claimed === 0 && turn.failed.length === 0 && claimable.size > 0,
    };
  }

  /** Makes claimable what the survey saw of expired and due, jobs and schedules. @returns whether there was any. */
  private async recover({ expired, promotable, nextFireAt }: JobSurvey, turn: ClaimTurn): Promise<boolean> {
    const { schedules, jobs } = this.options;
    const now = this.settings.clock.now();
    const reclaimed = expired ? await this.attempt(turn, () => this.reclaim()) : 0;
    const promoted = promotable ? await this.attempt(turn, () => jobs.promote({ limit: RECOVER_LIMIT })) : 0;
    const fires = schedules !== undefined && nextFireAt !== undefined && nextFireAt <= now;
    const fired = fires ? await this.attempt(turn, () => this.fire(schedules)) : 0;
    this.tally.counts.reclaimed += reclaimed;
    this.tally.counts.promoted += promoted;
    // As many as the limit: there are more, and they must not wait for an interval.
    if ([reclaimed, promoted].includes(RECOVER_LIMIT)) this.loop.due(now);
    const recovered = reclaimed + promoted + fired > 0;
    if (recovered) this.options.onRecovered?.();
    return recovered;
  }

  /**
   * A survey names the earliest fire time alone, and that one had passed: only another survey tells which comes next. Where others are at all that
   * is due, it waits for an interval: they may hold it for long.
   */
  private async fire(schedules: Pick<QueueSchedules, 'fireDue'>): Promise<number> {
    const { due, fired } = await schedules.fireDue();
    if (due > 0) this.loop.due(this.settings.clock.now() + (fired > 0 ? 0 : (this.options.intervalMs ?? DEFAULT_INTERVAL_MS)));
    return due;
  }

  private async reclaim(): Promise<number> {
    // The clock may have jumped since the tick began: in the survey, whose expiries are then no expiries. What jumps from here on is not read.
    const now = this.settings.clock.now();
    const jumped = this.jump.look();
    const guardLeftMs = this.jump.guardLeftMs(true);
    if (guardLeftMs > 0) {
      this.loop.due(now + guardLeftMs);
      if (jumped) await this.renewAll();
      return 0;
    }
    // Leases of our own may have run out while the event loop was blocked: their jobs are at work, and no one else's yet.
    await this.renewAll();
    return this.options.jobs.reclaim({ now, limit: RECOVER_LIMIT });
  }

  /** One part of a tick: what it throws fails that part. */
  private async attempt(turn: ClaimTurn, part: () => Promise<number>): Promise<number> {
    try {
      return await part();
    } catch (error) {
      turn.failed.push(error);
      return 0;
    }
  }

  private finish(turn: ClaimTurn, found: Pick<TickResult, 'nextDueAt' | 'contended'>): TickResult {
    for (const at of turn.putOffUntil) this.loop.due(at);
    this.tally.counts.claimed += turn.claimed;
    this.lastEarliestDueAt = turn.earliestDueAt;
    this.failedTicks = turn.failed.length > 0 ? this.failedTicks + 1 : 0;
    this.crowded = turn.crowded;
    let more = false;
    for (const each of this.subscriptions) {
      const room = each.room() > 0;
      each.starved = !room;
      more ||= each.likely && room;
    }
    const full = this.crowded || [...this.subscriptions].some(({ starved }) => starved);
    return { ...turn.result(), more: more && turn.claimed > 0, full, ...found };
  }

  private onWritten(written: WrittenJob): void {
    const { job, result, outcome } = written;
    this.tally.written(written);
    if (outcome === 'lost') return;
    // The next job of its group may have waited for its end, and no survey sees it before.
    if (job.groupConcurrency !== null) {
      this.wake(job.queue);
      this.options.onRecovered?.();
    }
    if (result.outcome === 'retry' || result.outcome === 'dead') {
      const { workerId, logger } = this.settings;
      logger.warn(
        { workerId, queue: job.queue, jobId: job.id, attempt: job.attempts, outcome: result.outcome, error: result.error },
        'job failed',
      );
    }
    if (result.outcome !== 'retry' && result.outcome !== 'snooze') {
      // The next run of its schedule may have waited for its end.
      if (this.options.schedules && job.metadata?.schedule !== undefined) this.loop.due(this.settings.clock.now());
      return;
    }
    // Known to the millisecond: it needs no other traffic to be found.
    if (result.dueAt > this.settings.clock.now()) this.loop.due(result.dueAt);
    else if (this.running) this.wake(job.queue);
    else this.tellOthers(job.queue);
  }

  /** Claims were handed back. Another subscription may take them, here or elsewhere. */
  private onReleased(queue: string): void {
    this.wake(queue);
    this.tellOthers(queue);
  }

  private tellOthers(queue: string): void {
    try {
      this.options.onHandedBack?.(queue);
    } catch (error) {
      const { workerId, logger } = this.settings;
      logger.error({ workerId, queue, error: errorMessage(error) }, 'onHandedBack failed: others see the jobs at their next interval');
    }
  }

  private end(subscription: JobSubscription): Promise<void> {
    const under = this.ending.get(subscription);
    if (under) return under;
    if (!this.subscriptions.delete(subscription)) return Promise.resolve();
    const ended = subscription.pool.stop({ deadlineMs: NO_DEADLINE_MS }).finally(() => this.ending.delete(subscription));
    this.ending.set(subscription, ended);
    return ended;
  }

  private async drained(): Promise<void> {
    await Promise.all([...this.subscriptions, ...this.ending.keys()].map(({ pool }) => pool.drained()));
  }

  private async renewAll(): Promise<void> {
    await Promise.all([...this.subscriptions, ...this.ending.keys()].map(({ pool }) => pool.renew()));
  }

  private withRoom(): JobSubscription[] {
    const withRoom = [...this.subscriptions].filter((each) => each.room() > 0);
    const first = withRoom.length === 0 ? 0 : this.first % withRoom.length;
    return [...withRoom.slice(first), ...withRoom.slice(0, first)];
  }

  private surveyIsFresh(): boolean {
    return this.settings.clock.monotonic() - this.surveyedAt < SURVEY_EVERY_MS;
  }

  /** After a jump of the clock, owners renew when their loops tick next, or at a third of their leases. */
  private guardMs(): number {
    const longestLeaseMs = Math.max(DEFAULT_LEASE_MS, ...[...this.subscriptions].map(({ options }) => options.leaseMs));
    return Math.min(longestLeaseMs, Math.max(this.options.maxIdleIntervalMs ?? 30_000, this.options.intervalMs ?? DEFAULT_INTERVAL_MS));
  }
}

/** What a survey is asked: each queue once for each organization filter. */
function uniqueQueues(subscriptions: readonly JobSubscription[]): ReturnType<JobSubscription['asked']>[] {
  const asked = subscriptions.map((each) => each.asked());
  return [...new Map(asked.map((each) => [JSON.stringify([each.queue, each.organizationId ?? null]), each])).values()];
}

/** The named options that are given. */
function pick<T extends object, K extends keyof T>(options: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]])) as Pick<T, K>;
}
