import type { ClaimedJob, Job, JobClaimOutcome, JobResult, JobStatus, JobStore, QueueClaim } from '@bellhop/contracts';
import { BellhopError, type Clock, errorMessage, type Logger, type Random, silentLogger, systemClock, systemRandom } from '@bellhop/kernel';
import { checkName } from '@bellhop/store';
import type { JobsAnnounced } from '../queue-service.js';
import { failure, settle } from '../worker/job-end.js';
import { LaneMemory } from './lane-memory.js';
import {
  type CheckedPullClaim,
  checkFail,
  checkHeartbeat,
  checkPullClaim,
  checkRelease,
  type PullClaimInput,
  type PullFailInput,
  type PullHeartbeatInput,
  type PullReleaseInput,
} from './pull-input.js';
import { groupKey } from './turns.js';
import { WaitingLine } from './waiting-line.js';

export interface JobPullOptions {
  readonly jobs: JobStore;
  /** Default: the machine's. Give the store's clock where the store has one. */
  readonly clock?: Clock;
  /** For retry jitter. Default: the machine's. */
  readonly random?: Random;
  readonly logger?: Logger;
  /** Names these consumers in their claims. 1 to 255 characters, default `pull`. */
  readonly workerId?: string;
  /** Told of what became claimable by an outcome, or will: a worker ticks then. */
  readonly onAnnounced?: (announced: JobsAnnounced) => void;
  /** Told when a look for those who wait found a lease that expired: a worker returns it, and then calls `wake`. */
  readonly onExpired?: () => void;
  /** Milliseconds between two looks for those who wait, while there is work. 1 to a year, default 500. */
  readonly intervalMs?: number;
  /** Ceiling of the idle backoff of those looks. 0 to a year, default 30 000. */
  readonly maxIdleIntervalMs?: number;
}

export interface PullCounters {
  readonly claimed: number;
  readonly completed: number;
  readonly retried: number;
  readonly dead: number;
  /** Given back, by consumers or because they were gone. */
  readonly released: number;
  /** Calls under a claim that was lost. */
  readonly lost: number;
  /** Consumers that wait, and those among them for whom a claim is under way. */
  readonly waiting: number;
  readonly trying: number;
}

/**
 * Jobs for consumers outside of the process, who claim, renew and settle them call by call. Each call names its organization: another's jobs are not
 * found. What a consumer holds when it dies comes back when its lease expires, as any job does: some process of the deployment has to work for that.
 *
 * @throws InputError `INVALID_INPUT` on malformed input; BellhopError `JOB_NOT_FOUND`, `CLAIM_LOST`.
 */
export class JobPull {
  private readonly workerId: string;
  private readonly jobs: JobStore;
  private readonly clock: Clock;
  private readonly random: Random;
  private readonly logger: Logger;
  private readonly line: WaitingLine;
  private readonly lanes = new LaneMemory();
  private readonly counts = { claimed: 0, completed: 0, retried: 0, dead: 0, released: 0, lost: 0 };

  constructor(private readonly options: JobPullOptions) {
    const { jobs, clock = systemClock, random = systemRandom, logger = silentLogger, intervalMs, maxIdleIntervalMs } = options;
    this.workerId = checkName(options.workerId ?? 'pull', 'workerId');
    this.jobs = jobs;
    this.clock = clock;
    this.random = random;
    this.logger = logger;
    this.line = new WaitingLine({
      jobs,
      clock,
      logger,
      intervalMs,
      maxIdleIntervalMs,
      claim: (wanted) => this.take(wanted),
      onExpired: () => options.onExpired?.(),
      giveBack: (claims) => this.giveBack(claims),
    });
  }

  start(): void {
    this.line.start();
  }

  /** Lets nobody wait any longer: who does is answered at once. Claims, heartbeats and outcomes go on. */
  close(): void {
    this.line.close();
  }

  /** As `close`, and looks for nothing any more. */
  stop(): Promise<void> {
    return this.line.stop();
  }

  /** Jobs became claimable. @param queue theirs, where it is known. */
  wake(queue?: string): void {
    this.line.wake(queue);
  }

  /** Jobs come due at `at`, epoch milliseconds. */
  due(at: number): void {
    this.line.due(at);
  }

  counters(): PullCounters {
    return { ...this.counts, waiting: this.line.size, trying: this.line.trying };
  }

  /**
   * Claims jobs of one organization, and waits for some where there are none and `waitMs` says so.
   *
   * @param options.signal aborts when the consumer is gone: it waits no longer, and what was claimed for it goes back uncounted.
   */
  async claim(
    queue: string,
    { organizationId, signal, ...input }: PullClaimInput & { readonly organizationId: string; readonly signal?: AbortSignal },
  ): Promise<readonly ClaimedJob[]> {
    return this.line.wait(checkPullClaim(queue, organizationId, input), signal);
  }

  /** Hands back what never reached its consumer: the attempts are not counted. One that cannot be told comes back when its lease expires. */
  async giveBack(claims: readonly ClaimedJob[]): Promise<void> {
    try {
      await this.jobs.release(claims);
    } catch (error) {
      this.logger.warn({ jobIds: claims.map(({ id }) => id), error: errorMessage(error) }, 'pulled jobs wait for their leases to expire');
      return;
    }
    this.counts.released += claims.length;
    for (const queue of new Set(claims.map((claim) => claim.queue))) this.announce({ queue, dueAt: this.clock.now() });
  }

  /** Extends a claim, and notes how far the job is. @returns epoch milliseconds at which it expires. */
  async heartbeat(id: string, organizationId: string, input: PullHeartbeatInput): Promise<{ readonly lockedUntil: number }> {
    const { claimToken, leaseMs, progress } = checkHeartbeat(input);
    const claim = await this.held(id, organizationId, claimToken);
    const lockedUntil = this.clock.now() + leaseMs;
    this.kept(claim, (await this.jobs.renew([{ claim, leaseMs }]))[0]);
    if (progress !== null) this.kept(claim, await this.jobs.progress(claim, progress));
    return { lockedUntil };
  }

  async complete(
    id: string,
    organizationId: string,
    { claimToken }: { readonly claimToken: string },
  ): Promise<{ readonly status: JobStatus }> {
    const claim = await this.held(id, organizationId, checkName(claimToken, 'claimToken'));
    await this.ack(claim, { outcome: 'completed' });
    this.counts.completed += 1;
    return { status: 'completed' };
  }

  /** Ends an attempt that failed: tried again after its backoff, dead after its last attempt. @returns what became of it; null: it is not due again. */
  async fail(
    id: string,
    organizationId: string,
    input: PullFailInput,
  ): Promise<{ readonly status: JobStatus; readonly dueAt: number | null }> {
    const { claimToken, error, permanent, retryDelayMs } = checkFail(input);
    const claim = await this.held(id, organizationId, claimToken);
    const settled = settle(claim, failure(error, permanent), { now: this.clock.now(), random: this.random });
    const retry = settled.outcome === 'retry';
    const result = retry && retryDelayMs !== null ? { ...settled, dueAt: this.clock.now() + retryDelayMs } : settled;
    await this.ack(claim, result);
    this.counts[retry ? 'retried' : 'dead'] += 1;
    const { queue, attempts: attempt } = claim;
    this.logger.warn({ queue, jobId: id, attempt, outcome: result.outcome, error: 'error' in result ? result.error : null }, 'job failed');
    return result.outcome === 'retry' ? this.later(queue, result.dueAt) : { status: 'dead', dueAt: null };
  }

  /** Hands a job back: the attempt is not counted. */
  async release(
    id: string,
    organizationId: string,
    input: PullReleaseInput,
  ): Promise<{ readonly status: JobStatus; readonly dueAt: number | null }> {
    const { claimToken, delayMs } = checkRelease(input);
    const claim = await this.held(id, organizationId, claimToken);
    const dueAt = delayMs === 0 ? claim.dueAt : this.clock.now() + delayMs;
    if (delayMs === 0) this.kept(claim, (await this.jobs.release([claim]))[0]);
    else await this.ack(claim, { outcome: 'snooze', dueAt });
    this.counts.released += 1;
    return this.later(claim.queue, dueAt);
  }

  private async take(wanted: readonly Omit<CheckedPullClaim, 'waitMs'>[]): Promise<ClaimedJob[][]> {
    const keys = wanted.map(groupKey);
    const queues = wanted.map((each, place): QueueClaim => {
      const afterLane = this.lanes.after(keys[place] as string);
      return afterLane === undefined ? each : { ...each, afterLane };
    });
    const claimed = await this.jobs.claim({ workerId: this.workerId, queues });
    const taken = new Map(keys.map((key): [string, ClaimedJob[]] => [key, []]));
    for (const job of claimed) taken.get(groupKey(job))?.push(job);
    for (const [key, jobs] of taken) {
      const last = jobs.at(-1);
      if (last) this.lanes.served(key, last.lane);
    }
    this.counts.claimed += claimed.length;
    return [...taken.values()];
  }

  /** The job as its holder names it. The token decides whether it is held: at the write, not here. */
  private async held(id: string, organizationId: string, claimToken: string): Promise<ClaimedJob> {
    const job = await this.jobs.get(checkName(id, 'id'), { organizationId });
    if (job) return { ...job, status: 'running', claimToken, lockedUntil: job.lockedUntil ?? 0, lane: '', groupConcurrency: null };
    throw new BellhopError('JOB_NOT_FOUND', `There is no job ${JSON.stringify(id)} in this organization.`);
  }

  private async ack(claim: ClaimedJob, result: JobResult): Promise<void> {
    this.kept(claim, (await this.jobs.ack([{ claim, result }]))[0]);
    // The next run of its schedule, or the next job of its group, may have waited for its end.
    if (claim.metadata?.schedule !== undefined) this.announce({ dueAt: this.clock.now() });
    else if (claim.groupKey !== null) this.announce({ queue: claim.queue, dueAt: this.clock.now() });
  }

  private kept({ id }: Job, outcome: JobClaimOutcome | undefined): void {
    if (outcome === 'acked') return;
    this.counts.lost += 1;
    throw new BellhopError(
      'CLAIM_LOST',
      `The job ${JSON.stringify(id)} is not held by this claim: its lease ran out, or it was settled already. Stop working on it; what you did may be done again.`,
    );
  }

  private later(queue: string, dueAt: number): { readonly status: JobStatus; readonly dueAt: number } {
    this.announce({ queue, dueAt });
    return { status: dueAt <= this.clock.now() ? 'pending' : 'scheduled', dueAt };
  }

  private announce(announced: JobsAnnounced): void {
    this.options.onAnnounced?.(announced);
  }
}
