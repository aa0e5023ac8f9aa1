import type { ClaimedJob, JobResult, JobStore, QueueClaim } from '@bellhop/contracts';
import { type Clock, errorMessage, type Logger, type Random } from '@bellhop/kernel';
import { ClaimPool, type SharedSlots } from '@bellhop/loop';
import { attemptUnit, type UnitHandler } from './job-attempt.js';
import { settle } from './job-end.js';
import type { JobTally } from './job-tally.js';
import { ackUnits, type JobUnit, renewUnits, type UnitOutcome, type WrittenJob } from './job-unit.js';
import { Prefetch } from './prefetch.js';
import type { Suspects } from './suspects.js';
import type { CheckedSubscription } from './worker-options.js';

/** Jobs of a claim at most. */
const CLAIM_LIMIT = 1_000;

export interface SubscriptionPorts {
  readonly jobs: JobStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly workerId: string;
  readonly sharedSlots: SharedSlots;
  readonly suspects: Suspects;
  readonly tally: JobTally;
  /** There may be room where there was none. */
  readonly onFree: (subscription: JobSubscription) => void;
  /** An outcome was written. */
  readonly onWritten: (written: WrittenJob) => void;
  /** Claims that never began were handed back. */
  readonly onReleased: () => void;
}

/**
 * A subscription at work: its pool, its place in the round robin over lanes, and what is known of its queue. Each has leases, slots and acks of its
 * own, so that one which is slow or fails holds up no other.
 */
export class JobSubscription {
  readonly pool: ClaimPool<JobUnit, UnitOutcome>;
  /** More is likely to be there: it was announced, or the last claim did not empty the queue. */
  likely = false;
  /** There was no room for what is, or may be, there. */
  starved = false;
  /** A claim of several queues failed: until one of its own succeeds it is claimed for alone, as the fault may be another's. */
  apart = false;
  private afterLane: string | undefined;
  private batches = 0;
  private readonly prefetch: Prefetch;

  constructor(
    readonly queue: string,
    handler: UnitHandler,
    readonly options: CheckedSubscription,
    private readonly ports: SubscriptionPorts,
  ) {
    const { jobs, clock, random, logger, workerId, sharedSlots, tally, suspects } = ports;
    const { concurrency, leaseMs } = options;
    this.prefetch = new Prefetch(concurrency);
    const attemptPorts = {
      handler,
      clock,
      logger,
      renew: (unit: JobUnit) => this.renewed(unit),
      progress: (unit: JobUnit, percent: number) => this.progressed(unit, percent),
    };
    const result = (job: ClaimedJob, end: Parameters<typeof settle>[1]): JobResult => settle(job, end, { now: clock.now(), random });
    /** Counted job by job when it was written, lost or not. */
    const settled = new WeakSet<JobUnit>();
    this.pool = new ClaimPool<JobUnit, UnitOutcome>({
      clock,
      claimTtlMs: leaseMs,
      concurrency,
      sharedSlots,
      batchSize: () => this.prefetch.units,
      key: ({ key }) => key,
      run: async (unit, signal) => {
        const outcome = await attemptUnit(unit, attemptPorts, signal);
        this.prefetch.ran(outcome.durationMs);
        for (const { id } of unit.jobs) suspects.ended(id);
        return outcome;
      },
      ack: async (batch) => {
        const outcomes = await ackUnits(jobs, batch, result, ports.onWritten);
        for (const { claim } of batch) settled.add(claim);
        return outcomes;
      },
      renew: (units) => renewUnits(jobs, units, leaseMs),
      release: async (units) => {
        await jobs.release(units.flatMap((unit) => unit.jobs));
        ports.onReleased();
      },
      onFree: () => ports.onFree(this),
      onLost: (unit) => {
        for (const { id } of unit.jobs) suspects.ended(id);
        if (!settled.has(unit)) tally.counts.lost += unit.jobs.length;
      },
      onError: (error, unit) =>
        logger.warn({ workerId, queue, jobId: unit?.jobs[0]?.id, error: errorMessage(error) }, 'a call to the job store failed'),
    });
  }

  /** Jobs that could begin at once. */
  free(): number {
    return this.inJobs(this.pool.free());
  }

  /** Jobs to ask for at most. */
  room(): number {
    return this.inJobs(this.pool.room());
  }

  /** Its part of a claim. */
  claim(limit: number): QueueClaim {
    const { leaseMs, organizationId } = this.options;
    return {
      queue: this.queue,
      limit: Math.min(limit, CLAIM_LIMIT),
      leaseMs,
      ...(organizationId === null ? {} : { organizationId }),
      ...(this.afterLane === undefined ? {} : { afterLane: this.afterLane }),
    };
  }

  /** Its part of a survey. */
  asked(): { readonly queue: string; readonly organizationId?: string } {
    const { organizationId } = this.options;
    return { queue: this.queue, ...(organizationId === null ? {} : { organizationId }) };
  }

  /**
   * Takes what a claim brought, in its order.
   *
   * @param limit what was asked for.
   * @param claimedAt monotonic time just before the claim.
   * @returns suspects whose turn it is not.
   */
  async take(claimed: readonly ClaimedJob[], limit: number, claimedAt: number): Promise<readonly { claim: ClaimedJob; dueAt: number }[]> {
    this.afterLane = claimed.at(-1)?.lane ?? this.afterLane;
    // Of several lanes a claim may leave some behind; of one it takes all there is room for.
    this.likely = claimed.length >= limit || new Set(claimed.map(({ lane }) => lane)).size > 1;
    const held = new Set(this.pool.held().flatMap(({ jobs }) => jobs.map(({ id }) => id)));
    const { run, putOff } = this.ports.suspects.admit(claimed, { held: (id) => held.has(id), leaseMs: this.options.leaseMs });
    await this.pool.offer(this.toUnits(run), claimedAt);
    return putOff;
  }

  private toUnits(jobs: readonly ClaimedJob[]): JobUnit[] {
    const { batch } = this.options;
    if (batch === null) return jobs.map((job) => ({ key: job.id, jobs: [job] }));
    const units: JobUnit[] = [];
    for (let at = 0; at < jobs.length; at += batch) {
      this.batches += 1;
      units.push({ key: `batch ${this.batches}`, jobs: jobs.slice(at, at + batch) });
    }
    return units;
  }

  private inJobs(units: number): number {
    return Math.min(CLAIM_LIMIT, units * (this.options.batch ?? 1));
  }

  /** Held claims are renewed together: a hundred handlers that ask at once cost one statement. A store that does not answer says nothing of a loss. */
  private async renewed(unit: JobUnit): Promise<boolean> {
    if (this.current(unit)) await this.pool.renew();
    return this.current(unit) !== undefined;
  }

  private async progressed(unit: JobUnit, percent: number): Promise<boolean> {
    const job = this.current(unit)?.jobs[0];
    return job !== undefined && (await this.ports.jobs.progress(job, percent)) === 'acked';
  }

  /** The claim under which the unit is held: it may have been claimed again since it began. */
  private current({ key }: JobUnit): JobUnit | undefined {
    return this.pool.held().find((held) => held.key === key);
  }
}
