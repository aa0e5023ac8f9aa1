import {
  JOB_LEASE_EXPIRED,
  type JobClaimOutcome,
  type JobResult,
  type JobStatus,
  type JobSurvey,
  type JobSweepOptions,
} from '@bellhop/contracts';
import { POINT_MS } from './job-bench.js';

/** A job as the model sees it: no more than the rules need. */
export interface ModelJob {
  readonly id: string;
  readonly organizationId: string;
  readonly queue: string;
  readonly groupKey: string | null;
  readonly cap: number | null;
  readonly priority: number;
  readonly maxAttempts: number;
  readonly until: number;
  key: string | null;
  status: JobStatus;
  attempts: number;
  dueAt: number;
  lastError: string | null;
  progress: number;
  finishedAt: number | null;
  lockedUntil: number | null;
  /** Which claim holds it; 0 is none. */
  claim: number;
  /** Learnt from its claims: what the text is, is the store's business. */
  lane: string | null;
}

export type NewModelJob = Pick<
  ModelJob,
  'id' | 'organizationId' | 'queue' | 'groupKey' | 'cap' | 'priority' | 'maxAttempts' | 'until' | 'key' | 'dueAt'
>;

/**
 * The contract of a job store over a plain list, written to be read: every operation looks at every job. The property test runs it beside the
 * real one.
 */
export class JobStoreModel {
  jobs: ModelJob[] = [];
  readonly paused = new Set<string>();
  #claims = 0;

  find(id: string): ModelJob | undefined {
    return this.jobs.find((job) => job.id === id);
  }

  /** @returns the id of the job, or of the one that holds its key. */
  enqueue(job: NewModelJob, now: number): string {
    const holder = job.key === null ? undefined : this.jobs.find((other) => this.#holds(other, job, now));
    if (holder) return holder.id;
    const lane = this.jobs.find((other) => this.isPeer(other, job))?.lane ?? null;
    const rest = { attempts: 0, lastError: null, progress: 0, finishedAt: null, lockedUntil: null, claim: 0, lane };
    this.jobs.push({ ...job, ...rest, status: job.dueAt <= now ? 'pending' : 'scheduled' });
    return job.id;
  }

  /** Those of one lane that may be claimed, in order. */
  claimable(lane: ModelJob): ModelJob[] {
    const peers = this.jobs.filter((job) => this.isPeer(job, lane));
    const room = lane.cap === null ? Number.POSITIVE_INFINITY : lane.cap - peers.filter((job) => job.status === 'running').length;
    return peers
      .filter((job) => job.status === 'pending')
      .sort((left, right) => rank(left) - rank(right) || (left.id < right.id ? -1 : 1))
      .slice(0, Math.max(0, room));
  }

  /** The first job of each lane of the queue that may be claimed. */
  heads(queue: string, organizationId: string | null): ModelJob[] {
    if (this.paused.has(queue)) return [];
    const heads: ModelJob[] = [];
    for (const job of this.jobs) {
      if (job.queue !== queue || (organizationId !== null && job.organizationId !== organizationId)) continue;
      const [first] = this.claimable(job);
      if (first && !heads.includes(first)) heads.push(first);
    }
    return heads;
  }

  /** Takes what the store chose. @returns the number of the claim. */
  take(ids: readonly string[], now: number, leaseMs: number): number {
    this.#claims += 1;
    for (const id of ids) {
      const job = this.find(id) as ModelJob;
      job.status = 'running';
      job.attempts += 1;
      job.claim = this.#claims;
      job.lockedUntil = now + leaseMs;
    }
    return this.#claims;
  }

  ack(id: string, claim: number, result: JobResult, now: number): JobClaimOutcome {
    const job = this.#held(id, claim);
    if (!job) return 'lost';
    this.#letGo(job);
    if ('error' in result) job.lastError = result.error;
    if (result.outcome === 'completed') this.#end(job, 'completed', now);
    else if (result.outcome === 'dead') this.#end(job, 'dead', now);
    else {
      if (result.outcome === 'snooze') job.attempts -= 1;
      this.#move(job, result.dueAt, now);
    }
    return 'acked';
  }

  renew(id: string, claim: number, lockedUntil: number): JobClaimOutcome {
    const job = this.#held(id, claim);
    if (job) job.lockedUntil = lockedUntil;
    return job ? 'acked' : 'lost';
  }

  release(id: string, claim: number): JobClaimOutcome {
    const job = this.#held(id, claim);
    if (!job) return 'lost';
    this.#letGo(job);
    job.status = 'pending';
    job.attempts -= 1;
    return 'acked';
  }

  progress(id: string, claim: number, progress: number): JobClaimOutcome {
    const job = this.#held(id, claim);
    if (job) job.progress = progress;
    return job ? 'acked' : 'lost';
  }

  promote(now: number, limit: number): ModelJob[] {
    const due = this.jobs.filter((job) => job.status === 'scheduled' && job.dueAt <= now);
    due.sort((left, right) => left.dueAt - right.dueAt);
    const taken = due.slice(0, limit);
    for (const job of taken) job.status = 'pending';
    return taken;
  }

  reclaim(now: number): ModelJob[] {
    const expired = this.jobs.filter((job) => job.status === 'running' && (job.lockedUntil as number) <= now);
    for (const job of expired) {
      this.#letGo(job);
      job.lastError = JOB_LEASE_EXPIRED;
      if (job.attempts >= job.maxAttempts) this.#end(job, 'dead', now);
      else job.status = 'pending';
    }
    return expired;
  }

  cancel(id: string, now: number): boolean {
    const job = this.#waiting(id);
    if (job) this.#end(job, 'cancelled', now);
    return job !== undefined;
  }

  reschedule(id: string, dueAt: number, now: number): boolean {
    const job = this.#waiting(id);
    if (job) this.#move(job, dueAt, now);
    return job !== undefined;
  }

  replay(id: string, now: number): boolean {
    const job = this.find(id);
    if (job?.status !== 'dead') return false;
    Object.assign(job, { status: 'pending', attempts: 0, dueAt: now, finishedAt: null });
    return true;
  }

  replayAll(queue: string, organizationId: string | null, now: number): number {
    return this.jobs.filter((job) => inScope(job, queue, organizationId) && this.replay(job.id, now)).length;
  }

  purge(queue: string, organizationId: string | null): number {
    return this.#remove((job) => inScope(job, queue, organizationId) && (job.status === 'scheduled' || job.status === 'pending'));
  }

  purgeFailed(id: string): boolean {
    return this.#remove((job) => job.id === id && job.status === 'dead') > 0;
  }

  sweep({ completedBefore, deadBefore }: Omit<JobSweepOptions, 'limit'>, now: number): number {
    return this.#remove((job) => {
      if (job.finishedAt === null) return false;
      if (job.status === 'dead') return job.finishedAt < deadBefore;
      return job.finishedAt < completedBefore && (job.key === null || job.until <= now);
    });
  }

  survey(queues: readonly { queue: string; organizationId: string | null }[], now: number): JobSurvey {
    const scheduled = this.jobs.filter(({ status }) => status === 'scheduled').map(({ dueAt }) => dueAt);
    const leases = this.jobs.map(({ lockedUntil }) => lockedUntil).filter((at) => at !== null);
    const claimable = queues.filter(({ queue, organizationId }) => this.heads(queue, organizationId).length > 0);
    const [due, expiry] = [scheduled.filter((at) => at > now), leases.filter((at) => at > now)];
    return {
      expired: expiry.length < leases.length,
      promotable: due.length < scheduled.length,
      claimable: [...new Set(claimable.map(({ queue }) => queue))],
      ...(due.length > 0 ? { nextDueAt: Math.min(...due) } : {}),
      ...(expiry.length > 0 ? { nextExpiryAt: Math.min(...expiry) } : {}),
    };
  }

  /** Of one lane. */
  isPeer(job: NewModelJob, other: NewModelJob): boolean {
    return job.queue === other.queue && job.organizationId === other.organizationId && job.groupKey === other.groupKey;
  }

  #holds(job: ModelJob, other: NewModelJob, now: number): boolean {
    return (
      job.key === other.key &&
      job.organizationId === other.organizationId &&
      job.queue === other.queue &&
      (job.status !== 'completed' || now < job.until)
    );
  }

  #waiting(id: string): ModelJob | undefined {
    return this.jobs.find((job) => job.id === id && (job.status === 'scheduled' || job.status === 'pending'));
  }

  #held(id: string, claim: number): ModelJob | undefined {
    return this.jobs.find((job) => job.id === id && job.status === 'running' && job.claim === claim);
  }

  #letGo(job: ModelJob): void {
    job.claim = 0;
    job.lockedUntil = null;
  }

  #move(job: ModelJob, dueAt: number, now: number): void {
    job.dueAt = dueAt;
    job.status = dueAt <= now ? 'pending' : 'scheduled';
  }

  #end(job: ModelJob, status: JobStatus, now: number): void {
    job.status = status;
    job.finishedAt = now;
    if (status !== 'completed') job.key = null;
  }

  #remove(matches: (job: ModelJob) => boolean): number {
    const before = this.jobs.length;
    this.jobs = this.jobs.filter((job) => !matches(job));
    return before - this.jobs.length;
  }
}

function rank({ dueAt, priority }: ModelJob): number {
  return dueAt + priority * POINT_MS;
}

function inScope(job: ModelJob, queue: string, organizationId: string | null): boolean {
  return job.queue === queue && (organizationId === null || job.organizationId === organizationId);
}
