import {
  type ClaimedJob,
  type Enqueued,
  type FailedJobFilter,
  JOB_LEASE_EXPIRED,
  type Job,
  type JobClaimOptions,
  type JobClaimOutcome,
  type JobPage,
  type JobResult,
  type JobScope,
  type JobStore,
  type JobSurvey,
  type JobSurveyOptions,
  type JobSweepOptions,
  type NewJob,
  type QueueStats,
  type Transaction,
  type TransactionOption,
} from '@bellhop/contracts';
import { type Clock, InputError, type Random, systemRandom } from '@bellhop/kernel';
import { checkName, checkPositive, checkTime, checkWhole, createClaimToken, isOlder, type TimeIndex, toPage } from '@bellhop/store';
import {
  checkBatch,
  checkFailedFilter,
  checkJobClaim,
  checkJobResult,
  checkJobSurvey,
  checkProgress,
  checkScope,
  checkSweep,
  checkSweepTimes,
} from '../job-store-input.js';
import { laneRange } from '../lane.js';
import {
  ended,
  isIn,
  isWaiting,
  type JobRow,
  keyOf,
  newRow,
  replayed,
  settled,
  taken,
  toClaimed,
  toJob,
  unclaimed,
  waitingStatus,
} from './memory-job-row.js';
import { MemoryJobTable } from './memory-job-table.js';
import { queueStats } from './memory-queue-stats.js';

export interface MemoryJobStoreOptions {
  readonly clock: Pick<Clock, 'now'>;
  /** For claim tokens. Default: the machine's. */
  readonly random?: Random;
  /** Calls `fn` once the root of `trx` has committed, never after a rollback: the store's `afterCommit`. Without it `{ trx }` is refused. */
  readonly afterCommit?: (trx: Transaction, fn: () => void) => void;
  /**
   * Ended jobs held at most, so that a long-lived process does not grow without end; the one that ended first is forgotten first, and with it
   * that its idempotency key was taken. 0 or more, default 100 000.
   */
  readonly keepFinished?: number;
}

/** What an open transaction is going to store. */
interface InTransaction {
  readonly ids: Set<string>;
  /** Ids by key. */
  readonly keys: Map<string, string>;
}

/**
 * The jobs of one process: nothing survives it, every guarantee that needs no disk holds.
 *
 * Every operation is atomic because it runs to its end within one turn of the event loop: no `await` inside.
 */
export class MemoryJobStore implements JobStore {
  readonly durable = false;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #random: Random;
  readonly #afterCommit: MemoryJobStoreOptions['afterCommit'];
  readonly #table: MemoryJobTable;
  readonly #paused = new Set<string>();
  readonly #inTransaction = new WeakMap<Transaction, InTransaction>();
  #nextFireAt: () => number | undefined = () => undefined;

  constructor({ clock, random = systemRandom, afterCommit, keepFinished = 100_000 }: MemoryJobStoreOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#afterCommit = afterCommit;
    this.#table = new MemoryJobTable(checkWhole(keepFinished, 'keepFinished', { least: 0, most: Number.MAX_SAFE_INTEGER }));
  }

  /** For the schedules that publish into this store: what its survey gives as `nextFireAt`. The last one told holds. */
  tellFires(nextFireAt: () => number | undefined): void {
    this.#nextFireAt = nextFireAt;
  }

  /** Whether there is such a job that has not ended. */
  isUnfinished(id: string): boolean {
    return this.#table.get(id)?.finishedAt === null;
  }

  async enqueue(jobs: readonly NewJob[], options?: TransactionOption): Promise<Enqueued[]> {
    const now = this.#clock.now();
    if (options?.trx) return this.#enqueueAtCommit(jobs, now, options.trx);
    this.#checkIds(jobs, new Set());
    return jobs.map((job) => this.#insert(job, now, now));
  }

  async claim(options: JobClaimOptions): Promise<ClaimedJob[]> {
    const { workerId, queues, now } = checkJobClaim(options, this.#clock.now());
    const claimToken = createClaimToken(this.#random);
    return queues.flatMap(({ queue, limit, leaseMs, organizationId, afterLane }) => {
      const lanes = this.#paused.has(queue) ? undefined : this.#table.lanes(queue);
      const jobs = lanes?.inTurn(limit, laneRange(organizationId), afterLane) ?? [];
      return jobs.map(({ id }) => {
        const row = taken(this.#table.get(id) as JobRow, { claimedBy: workerId, claimToken, lockedUntil: now + leaseMs }, now);
        this.#table.put(row);
        return toClaimed(row);
      });
    });
  }

  async ack(acks: readonly { readonly claim: ClaimedJob; readonly result: JobResult }[]): Promise<JobClaimOutcome[]> {
    // All are checked before the first is written: a malformed one refuses them all.
    const checked = acks.map(({ claim, result }, index) => ({ claim, result: checkJobResult(result, `acks[${index}].result`) }));
    const now = this.#clock.now();
    return checked.map(({ claim, result }) => this.#change(claim, (held) => settled(held, result, now)));
  }

  async renew(claims: readonly { readonly claim: ClaimedJob; readonly leaseMs: number }[]): Promise<JobClaimOutcome[]> {
    for (const [index, { leaseMs }] of claims.entries()) checkPositive(leaseMs, `claims[${index}].leaseMs`);
    const now = this.#clock.now();
    return claims.map(({ claim, leaseMs }) => this.#change(claim, (held) => ({ ...held, lockedUntil: now + leaseMs, updatedAt: now })));
  }

  async release(claims: readonly ClaimedJob[]): Promise<JobClaimOutcome[]> {
    const now = this.#clock.now();
    return claims.map((claim) => this.#change(claim, (held) => ({ ...unclaimed(held, 'pending', now), attempts: held.attempts - 1 })));
  }

  async progress(claim: ClaimedJob, progress: number): Promise<JobClaimOutcome> {
    const percent = checkProgress(progress);
    const now = this.#clock.now();
    return this.#change(claim, (held) => ({ ...held, progress: percent, updatedAt: now }));
  }

  async survey(options: JobSurveyOptions): Promise<JobSurvey> {
    const { queues, now } = checkJobSurvey(options, this.#clock.now());
    const { due, expiries } = this.#table;
    const claimable = queues.filter(
      ({ queue, organizationId }) => !this.#paused.has(queue) && this.#table.lanes(queue)?.isReady(laneRange(organizationId)),
    );
    const [nextDueAt, nextExpiryAt, nextFireAt] = [due.firstTimeAfter(now), expiries.firstTimeAfter(now), this.#nextFireAt()];
    return {
      expired: hasCome(expiries, now),
      promotable: hasCome(due, now),
      claimable: [...new Set(claimable.map(({ queue }) => queue))],
      ...(nextDueAt === undefined ? {} : { nextDueAt }),
      ...(nextExpiryAt === undefined ? {} : { nextExpiryAt }),
      ...(nextFireAt === undefined ? {} : { nextFireAt }),
    };
  }

  async promote(options: { readonly now?: number; readonly limit: number }): Promise<number> {
    const { now, limit } = checkBatch(options, this.#clock.now());
    const rows = this.#upTo(this.#table.due, now, limit);
    for (const row of rows) this.#table.put({ ...row, status: 'pending', updatedAt: now });
    return rows.length;
  }

  async reclaim(options: { readonly now?: number; readonly limit: number }): Promise<number> {
    const { now, limit } = checkBatch(options, this.#clock.now());
    const rows = this.#upTo(this.#table.expiries, now, limit);
    for (const row of rows) {
      const next = row.attempts >= row.maxAttempts ? ended(row, 'dead', now) : unclaimed(row, 'pending', now);
      this.#table.put({ ...next, lastError: JOB_LEASE_EXPIRED });
    }
    return rows.length;
  }

  async get(id: string, scope?: JobScope): Promise<Job | null> {
    const row = this.#find(id, scope);
    return row ? toJob(row) : null;
  }

  async stats(queue?: string, scope?: JobScope): Promise<QueueStats[]> {
    const name = queue === undefined ? null : checkName(queue, 'queue');
    return queueStats(this.#table.all(), this.#paused, name, checkScope(scope), this.#clock.now());
  }

  async listFailed(filter: FailedJobFilter = {}): Promise<JobPage> {
    const { organizationId, queue, limit, after } = checkFailedFilter(filter);
    const rows = this.#upTo(this.#table.dead, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
      .filter((row) => isIn(row, queue, organizationId))
      .reverse();
    const timeOf = ({ finishedAt }: JobRow) => finishedAt as number;
    const rest = after === null ? rows : rows.filter((row) => isOlder({ time: timeOf(row), id: row.id }, after));
    const { items, nextCursor } = toPage(rest, limit, timeOf);
    return { items: items.map(toJob), nextCursor, total: rows.length };
  }

  async setPaused(queue: string, paused: boolean): Promise<void> {
    const name = checkName(queue, 'queue');
    if (paused) this.#paused.add(name);
    else this.#paused.delete(name);
  }

  async cancel(id: string, scope?: JobScope): Promise<boolean> {
    const row = this.#find(id, scope);
    if (!row || !isWaiting(row)) return false;
    this.#table.put(ended(row, 'cancelled', this.#clock.now()));
    return true;
  }

  async reschedule(id: string, dueAt: number, scope?: JobScope): Promise<boolean> {
    checkTime(dueAt, 'dueAt');
    const now = this.#clock.now();
    const row = this.#find(id, scope);
    if (!row || !isWaiting(row)) return false;
    this.#table.put({ ...row, status: waitingStatus(dueAt, now), dueAt, updatedAt: now });
    return true;
  }

  async replay(id: string, scope?: JobScope): Promise<boolean> {
    const row = this.#find(id, scope);
    if (row?.status !== 'dead') return false;
    this.#table.put(replayed(row, this.#clock.now()));
    return true;
  }

  async replayAll(queue: string, scope?: JobScope): Promise<number> {
    const now = this.#clock.now();
    return this.#each(
      queue,
      scope,
      ({ status }) => status === 'dead',
      (row) => this.#table.put(replayed(row, now)),
    );
  }

  async purge(queue: string, scope?: JobScope): Promise<number> {
    return this.#each(queue, scope, isWaiting, ({ id }) => this.#table.remove(id));
  }

  async purgeFailed(id: string, scope?: JobScope): Promise<boolean> {
    const row = this.#find(id, scope);
    if (row?.status !== 'dead') return false;
    this.#table.remove(id);
    return true;
  }

  async sweep(options: JobSweepOptions): Promise<number> {
    const { completedBefore, deadBefore, limit } = checkSweep(options);
    this.#table.freeKeys(this.#clock.now());
    // Times are whole milliseconds: the last one before a time is one less.
    const done = this.#upTo(this.#table.done, completedBefore - 1, limit);
    const dead = this.#upTo(this.#table.dead, deadBefore - 1, limit - done.length);
    for (const { id } of [...done, ...dead]) this.#table.remove(id);
    return done.length + dead.length;
  }

  async sweepable(options: Omit<JobSweepOptions, 'limit'>): Promise<boolean> {
    const { completedBefore, deadBefore } = checkSweepTimes(options);
    this.#table.freeKeys(this.#clock.now());
    return hasCome(this.#table.done, completedBefore - 1) || hasCome(this.#table.dead, deadBefore - 1);
  }

  #insert(job: NewJob, createdAt: number, now: number): Enqueued {
    const holder = this.#table.holder(job, now);
    if (holder) return { id: holder.id, deduped: true };
    this.#table.put(newRow(job, createdAt, now));
    return { id: job.id, deduped: false };
  }

  #enqueueAtCommit(jobs: readonly NewJob[], createdAt: number, trx: Transaction): Enqueued[] {
    if (!this.#afterCommit) {
      throw new InputError('INVALID_INPUT', 'trx: this store was made without `afterCommit` and cannot join a transaction.', {
        path: 'trx',
      });
    }
    const { ids, keys } = this.#inTransaction.get(trx) ?? { ids: new Set<string>(), keys: new Map<string, string>() };
    this.#checkIds(jobs, ids);
    this.#inTransaction.set(trx, { ids, keys });
    this.#afterCommit(trx, () => {
      const now = this.#clock.now();
      // An id taken since by somebody else stays theirs; a key, too.
      for (const job of jobs) if (!this.#table.get(job.id)) this.#insert(job, createdAt, now);
    });
    return jobs.map((job) => {
      ids.add(job.id);
      const key = keyOf(job);
      const holder = this.#table.holder(job, createdAt)?.id ?? (key === null ? undefined : keys.get(key));
      if (key !== null) keys.set(key, holder ?? job.id);
      return { id: holder ?? job.id, deduped: holder !== undefined };
    });
  }

  /** An id that another job has already would overwrite it. */
  #checkIds(jobs: readonly NewJob[], taken: ReadonlySet<string>): void {
    const seen = new Set(taken);
    for (const [index, { id }] of jobs.entries()) {
      if (seen.has(id) || this.#table.get(id)) {
        const path = `jobs[${index}].id`;
        throw new InputError('INVALID_INPUT', `${path}: ${id} is another job's; give a fresh id.`, { path });
      }
      seen.add(id);
    }
  }

  /** Compare and set: only the claim that holds the row changes it. */
  #change(claim: ClaimedJob, change: (held: JobRow) => JobRow): JobClaimOutcome {
    const row = this.#table.get(claim.id);
    if (row?.status !== 'running' || row.claimToken !== claim.claimToken) return 'lost';
    this.#table.put(change(row));
    return 'acked';
  }

  #find(id: string, scope?: JobScope): JobRow | undefined {
    const organizationId = checkScope(scope);
    const row = this.#table.get(checkName(id, 'id'));
    return row && isIn(row, null, organizationId) ? row : undefined;
  }

  /** Does it to every row of the queue that matches. @returns rows. */
  #each(queue: string, scope: JobScope | undefined, matches: (row: JobRow) => boolean, act: (row: JobRow) => void): number {
    const [name, organizationId] = [checkName(queue, 'queue'), checkScope(scope)];
    const rows = [...this.#table.all()].filter((row) => isIn(row, name, organizationId) && matches(row));
    for (const row of rows) act(row);
    return rows.length;
  }

  /** The first `limit` rows of an index up to a time. Reading them through before the first changes. */
  #upTo(index: TimeIndex, time: number, limit: number): JobRow[] {
    const rows: JobRow[] = [];
    if (limit <= 0) return rows;
    for (const { id } of index.upTo(time)) {
      rows.push(this.#table.get(id) as JobRow);
      if (rows.length === limit) break;
    }
    return rows;
  }
}

function hasCome(index: TimeIndex, now: number): boolean {
  const first = index.first();
  return first !== undefined && first.time <= now;
}
