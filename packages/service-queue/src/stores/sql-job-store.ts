import type {
  ClaimedJob,
  Enqueued,
  FailedJobFilter,
  Job,
  JobClaimOptions,
  JobClaimOutcome,
  JobPage,
  JobResult,
  JobScope,
  JobStore,
  JobSurvey,
  JobSurveyOptions,
  JobSweepOptions,
  NewJob,
  QueueStats,
  SqlParams,
  Statement,
  Store,
  TransactionOption,
} from '@bellhop/contracts';
import { type Random, systemRandom } from '@bellhop/kernel';
import { checkName, checkPositive, checkTime, createClaimToken, toPage } from '@bellhop/store';
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
  cancelJob,
  purgeCapped,
  purgeDeadJob,
  purgeFree,
  purgeScheduled,
  replayJob,
  replayJobs,
  rescheduleJob,
} from '../sql/change-jobs.js';
import { claimCappedJobs, claimJobs, claimQueue, lockQueues } from '../sql/claim-jobs.js';
import { type CountRecord, countJobs, toStats } from '../sql/count-jobs.js';
import { type FailedRecord, getJob, listFailedJobs } from '../sql/find-jobs.js';
import { type Claim, type ClaimedRecord, type JobRecord, toClaimed, toJob } from '../sql/job-columns.js';
import { pauseQueue, resumeQueue } from '../sql/pause-queues.js';
import { promoteJobs, reclaimJobs } from '../sql/recover-jobs.js';
import { ackJobs, completeJobs, noteProgress, releaseJobs, renewJobs } from '../sql/settle-jobs.js';
import { type SurveyRecord, surveyJobs } from '../sql/survey-jobs.js';
import { findSweepable, freeExpiredKeys, sweepJobs } from '../sql/sweep-jobs.js';
import { type ArmSet, type ClaimArm, inTurn, toArmSets } from './claim-arms.js';
import { type AckRow, oneTokenEach, toAck } from './job-rows.js';
import { SqlJobEnqueuer } from './sql-job-enqueuer.js';
import { writeScope } from './write-scope.js';

/** Why the worker's writes name no organization: on a tick there is no caller, and a claim takes the jobs of all of them. */
const WORK = { global: 'queue worker: a claim, its outcome and its recovery cross organizations by design' };

const RETENTION = { global: 'queue retention: what ended long ago goes, whosever it is' };

/** Jobs that one statement of `replayAll` and `purge` takes. */
const SOME = 1_000;

export interface SqlJobStoreOptions {
  readonly store: Store;
  /** For claim tokens. Default: the machine's. */
  readonly random?: Random;
}

/** Jobs in a SQL database of any dialect. Every hot operation is one statement. */
export class SqlJobStore implements JobStore {
  /** The database it lives in. */
  readonly store: Store;
  readonly #random: Random;
  readonly #enqueuer: SqlJobEnqueuer;

  constructor({ store, random = systemRandom }: SqlJobStoreOptions) {
    this.store = store;
    this.#random = random;
    this.#enqueuer = new SqlJobEnqueuer(store);
  }

  get durable(): boolean {
    return this.store.durable;
  }

  enqueue(jobs: readonly NewJob[], options?: TransactionOption): Promise<Enqueued[]> {
    return this.#enqueuer.enqueue(jobs, options);
  }

  async claim(options: JobClaimOptions): Promise<ClaimedJob[]> {
    const { workerId, queues, now } = checkJobClaim(options, this.store.clock.now());
    const claimed: ClaimedJob[] = [];
    try {
      for (const set of toArmSets(queues)) await this.#claim(set, { workerId, now }, claimed);
    } catch (error) {
      // What was taken before is held, and must be worked: thrown away, it would wait for its lease with an attempt gone. The next claim meets
      // the error again.
      if (claimed.length === 0) throw error;
    }
    return inTurn(claimed, queues);
  }

  async ack(acks: readonly { readonly claim: ClaimedJob; readonly result: JobResult }[]): Promise<JobClaimOutcome[]> {
    const now = this.store.clock.now();
    const rows = acks.map(({ claim, result }, place) => toAck(claim, checkJobResult(result, `acks[${place}].result`), now));
    return this.#settle(
      acks.map(({ claim }) => claim),
      (places) => {
        const of = places.map((place) => rows[place] as AckRow);
        const token = of[0]?.token ?? '';
        if (of.every((row) => row.status === 'completed' && row.token === token)) {
          return { statement: completeJobs, params: { now, ids: JSON.stringify(of.map(({ id }) => id)), token } };
        }
        return { statement: ackJobs, params: { now, acks: JSON.stringify(of) } };
      },
    );
  }

  async renew(renewals: readonly { readonly claim: ClaimedJob; readonly leaseMs: number }[]): Promise<JobClaimOutcome[]> {
    const now = this.store.clock.now();
    const rows = renewals.map(({ claim: { id, claimToken }, leaseMs }, place) => ({
      id,
      token: claimToken,
      locked_until: now + checkPositive(leaseMs, `claims[${place}].leaseMs`),
    }));
    return this.#settle(
      renewals.map(({ claim }) => claim),
      (places) => ({ statement: renewJobs, params: { now, renewals: JSON.stringify(places.map((place) => rows[place])) } }),
    );
  }

  async release(claims: readonly ClaimedJob[]): Promise<JobClaimOutcome[]> {
    const now = this.store.clock.now();
    const rows = claims.map(({ id, claimToken }) => ({ id, token: claimToken }));
    return this.#settle(claims, (places) => ({
      statement: releaseJobs,
      params: { now, claims: JSON.stringify(places.map((place) => rows[place])) },
    }));
  }

  async progress({ id, claimToken }: ClaimedJob, progress: number): Promise<JobClaimOutcome> {
    const params = { id, token: claimToken, progress: checkProgress(progress), now: this.store.clock.now() };
    const { changes } = await this.store.write(noteProgress, params, WORK);
    return changes === 1 ? 'acked' : 'lost';
  }

  async survey(options: JobSurveyOptions): Promise<JobSurvey> {
    const { queues, now } = checkJobSurvey(options, this.store.clock.now());
    const asked = queues.map(({ queue, organizationId }) => ({ queue, ...laneRange(organizationId ?? undefined) }));
    const [record] = await this.store.read<SurveyRecord>(surveyJobs, { now, queues: JSON.stringify(asked) });
    const fires = [record?.next_fire_at, record?.ready_run_at].filter((time) => time != null);
    return {
      expired: record?.expired_at != null,
      promotable: record?.due_at != null,
      claimable: JSON.parse(record?.claimable ?? '[]') as string[],
      ...(record?.next_due_at == null ? {} : { nextDueAt: record.next_due_at }),
      ...(record?.next_expiry_at == null ? {} : { nextExpiryAt: record.next_expiry_at }),
      ...(fires.length === 0 ? {} : { nextFireAt: Math.min(...fires) }),
    };
  }

  async promote(options: { readonly now?: number; readonly limit: number }): Promise<number> {
    const { changes } = await this.store.write(promoteJobs, { ...checkBatch(options, this.store.clock.now()) }, WORK);
    return changes ?? 0;
  }

  async reclaim(options: { readonly now?: number; readonly limit: number }): Promise<number> {
    const { changes } = await this.store.write(reclaimJobs, { ...checkBatch(options, this.store.clock.now()) }, WORK);
    return changes ?? 0;
  }

  async get(id: string, scope?: JobScope): Promise<Job | null> {
    const [record] = await this.store.read<JobRecord>(getJob, { id, organizationId: checkScope(scope) });
    return record ? toJob(record) : null;
  }

  async stats(queue?: string, scope?: JobScope): Promise<QueueStats[]> {
    const organizationId = checkScope(scope);
    const name = queue === undefined ? null : checkName(queue, 'queue');
    const statement = countJobs({ queue: name !== null, organization: organizationId !== null });
    const records = await this.store.read<CountRecord>(statement, { queue: name, organizationId });
    return toStats(records, this.store.clock.now(), organizationId === null || name !== null);
  }

  async listFailed(filter: FailedJobFilter = {}): Promise<JobPage> {
    const { organizationId, queue, limit, after } = checkFailedFilter(filter);
    const statement = listFailedJobs({ organization: organizationId !== null, queue: queue !== null, after: after !== null });
    const params = { organizationId, queue, afterTime: after?.time ?? null, afterId: after?.id ?? null, limit: limit + 1 };
    const records = await this.store.read<FailedRecord>(statement, params);
    const jobs = records.filter((record) => record.id !== null).map(toJob);
    return { ...toPage(jobs, limit, ({ finishedAt }) => finishedAt ?? 0), total: records[0]?.total ?? 0 };
  }

  async setPaused(queue: string, paused: boolean): Promise<void> {
    checkName(queue, 'queue');
    const everybody = { global: 'queue pause: a queue is shared by all organizations' };
    if (paused) await this.store.write(pauseQueue, { queue, now: this.store.clock.now() }, everybody);
    else await this.store.write(resumeQueue, { queue }, everybody);
  }

  async cancel(id: string, scope?: JobScope): Promise<boolean> {
    return (await this.#change(cancelJob, { id }, scope)) > 0;
  }

  async reschedule(id: string, dueAt: number, scope?: JobScope): Promise<boolean> {
    return (await this.#change(rescheduleJob, { id, dueAt: checkTime(dueAt, 'dueAt') }, scope)) > 0;
  }

  async replay(id: string, scope?: JobScope): Promise<boolean> {
    return (await this.#change(replayJob, { id }, scope)) > 0;
  }

  async replayAll(queue: string, scope?: JobScope): Promise<number> {
    return this.#changeAll([replayJobs], { queue: checkName(queue, 'queue') }, scope);
  }

  async purge(queue: string, scope?: JobScope): Promise<number> {
    return this.#changeAll([purgeScheduled, purgeFree, purgeCapped], { queue: checkName(queue, 'queue') }, scope);
  }

  async purgeFailed(id: string, scope?: JobScope): Promise<boolean> {
    return (await this.#change(purgeDeadJob, { id }, scope)) > 0;
  }

  async sweep(options: JobSweepOptions): Promise<number> {
    const { completedBefore, deadBefore, limit } = checkSweep(options);
    const [, swept] = await this.store.batch([
      { statement: freeExpiredKeys, params: { now: this.store.clock.now(), limit }, scope: RETENTION },
      { statement: sweepJobs, params: { completedBefore, deadBefore, limit }, scope: RETENTION },
    ]);
    return swept?.changes ?? 0;
  }

  async sweepable(options: Omit<JobSweepOptions, 'limit'>): Promise<boolean> {
    const params = { ...checkSweepTimes(options), now: this.store.clock.now() };
    const [row] = await this.store.read<{ found: number }>(findSweepable, params);
    return row?.found === 1;
  }

  /** What a caller does to one job. @returns rows. */
  async #change(statement: Statement, params: SqlParams, scope: JobScope | undefined): Promise<number> {
    const given = { now: this.store.clock.now(), ...params, organizationId: checkScope(scope) };
    const { changes } = await this.store.write(statement, given, writeScope(scope, 'queue: the caller named jobs and no organization'));
    return changes ?? 0;
  }

  /** What a caller does to many jobs, some at a time. @returns rows. */
  async #changeAll(statements: readonly Statement[], params: SqlParams, scope: JobScope | undefined): Promise<number> {
    const now = this.store.clock.now();
    let changed = 0;
    for (const statement of statements) {
      for (let some = SOME; some === SOME; changed += some) some = await this.#change(statement, { ...params, now, limit: SOME }, scope);
    }
    return changed;
  }

  /** @param claimed gets what each statement took, when it took it. */
  async #claim({ arms, leaseMs }: ArmSet, { workerId, now }: { workerId: string; now: number }, claimed: ClaimedJob[]): Promise<void> {
    const claim = { token: createClaimToken(this.#random), workerId, now, lockedUntil: now + leaseMs };
    const { rows } = await this.store.write<ClaimedRecord & { left_out?: number | null }>(
      arms.length === 1 ? claimQueue : claimJobs,
      { ...claimParams(arms, claim), ...(arms.length === 1 ? arms[0] : {}) },
      WORK,
    );
    const leftOut = new Set<number>();
    for (const row of rows) {
      if (row.left_out == null) claimed.push(toClaimed(row, claim));
      else leftOut.add(row.left_out);
    }
    if (leftOut.size === 0) return;
    const capped = arms.filter(({ arm }) => leftOut.has(arm));
    const [, result] = await this.store.batch([
      { statement: lockQueues, params: { queues: JSON.stringify(capped.map(({ queue }) => queue)) } },
      { statement: claimCappedJobs, params: claimParams(capped, claim), scope: WORK },
    ]);
    for (const row of (result?.rows ?? []) as unknown as ClaimedRecord[]) claimed.push(toClaimed(row, claim));
  }

  /** One conditional statement on the claims' tokens; whoever is not among the ids it returns has lost its claim. */
  async #settle(
    claims: readonly ClaimedJob[],
    stepFor: (places: readonly number[]) => { statement: Statement; params: SqlParams },
  ): Promise<JobClaimOutcome[]> {
    const outcomes: JobClaimOutcome[] = claims.map(() => 'lost');
    for (const places of oneTokenEach(claims)) {
      const { statement, params } = stepFor(places);
      const { rows } = await this.store.write<{ id: string }>(statement, params, WORK);
      const held = new Set(rows.map(({ id }) => id));
      // A claim that appears twice is settled once: its first mention takes the id out.
      for (const place of places) if (held.delete(claims[place]?.id ?? '')) outcomes[place] = 'acked';
    }
    return outcomes;
  }
}

function claimParams(arms: readonly ClaimArm[], { token, workerId, now, lockedUntil }: Claim): SqlParams {
  return { arms: JSON.stringify(arms), token, workerId, now, lockedUntil };
}
