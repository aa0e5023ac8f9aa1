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
import { checkName, checkPageLimit, checkPositive, checkTime, checkWhole, createClaimToken, decodeCursor, toPage } from '@bellhop/store';
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
import { claimCappedJobs, claimJobs, lockQueues } from '../sql/claim-jobs.js';
import { type CountRecord, countJobs, toStats } from '../sql/count-jobs.js';
import { type FailedRecord, getJob, listFailedJobs } from '../sql/find-jobs.js';
import { type Claim, type ClaimedRecord, type JobRecord, toClaimed, toJob } from '../sql/job-columns.js';
import { pauseQueue, resumeQueue } from '../sql/pause-queues.js';
import { promoteJobs, reclaimJobs } from '../sql/recover-jobs.js';
import { ackJobs, completeJobs, noteProgress, releaseJobs, renewJobs } from '../sql/settle-jobs.js';
import { type SurveyRecord, surveyJobs } from '../sql/survey-jobs.js';
import { findSweepable, freeExpiredKeys, sweepJobs } from '../sql/sweep-jobs.js';
import { type ArmSet, type ClaimArm, inTurn, toArmSets } from './claim-arms.js';
import { oneTokenEach, toAck, toClaimTokens } from './job-rows.js';
import { SqlJobEnqueuer } from './sql-job-enqueuer.js';

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

  async claim({ workerId, queues, now = this.store.clock.now() }: JobClaimOptions): Promise<ClaimedJob[]> {
    checkName(workerId, 'workerId');
    checkTime(now, 'now');
    queues.forEach(({ limit, leaseMs }, index) => {
      checkWhole(limit, `queues[${index}].limit`, { least: 1, most: 1_000 });
      checkPositive(leaseMs, `queues[${index}].leaseMs`);
    });
    if (queues.length === 0) return [];
    const claimed: ClaimedJob[] = [];
    for (const set of toArmSets(queues)) claimed.push(...(await this.#claim(set, { workerId, now })));
    return inTurn(claimed, queues);
  }

  async ack(acks: readonly { readonly claim: ClaimedJob; readonly result: JobResult }[]): Promise<JobClaimOutcome[]> {
    return this.#settle(
      acks,
      ({ claim }) => claim,
      (set, now) =>
        set.every(({ result }) => result.outcome === 'completed')
          ? { statement: completeJobs, params: { claims: toClaimTokens(set.map(({ claim }) => claim)) } }
          : { statement: ackJobs, params: { acks: JSON.stringify(set.map(({ claim, result }) => toAck(claim, result, now))) } },
    );
  }

  async renew(claims: readonly { readonly claim: ClaimedJob; readonly leaseMs: number }[]): Promise<JobClaimOutcome[]> {
    return this.#settle(
      claims,
      ({ claim }) => claim,
      (set, now) => ({
        statement: renewJobs,
        params: {
          renewals: JSON.stringify(
            set.map(({ claim: { id, claimToken }, leaseMs }) => ({
              key: id,
              value: claimToken,
              locked_until: now + checkPositive(leaseMs, 'leaseMs'),
            })),
          ),
        },
      }),
    );
  }

  async release(claims: readonly ClaimedJob[]): Promise<JobClaimOutcome[]> {
    return this.#settle(
      claims,
      (claim) => claim,
      (set) => ({ statement: releaseJobs, params: { claims: toClaimTokens(set) } }),
    );
  }

  async progress({ id, claimToken }: ClaimedJob, progress: number): Promise<JobClaimOutcome> {
    const whole = checkWhole(Math.floor(progress), 'progress', { least: 0, most: 100 });
    const now = this.store.clock.now();
    const { changes } = await this.store.write(noteProgress, { id, token: claimToken, progress: whole, now }, WORK);
    return changes === 1 ? 'acked' : 'lost';
  }

  async survey({ queues, now = this.store.clock.now() }: JobSurveyOptions): Promise<JobSurvey> {
    checkTime(now, 'now');
    const asked = queues.map(({ queue, organizationId }) => ({ queue, ...laneRange(organizationId) }));
    const [record] = await this.store.read<SurveyRecord>(surveyJobs, { now, queues: JSON.stringify(asked) });
    return {
      expired: record?.expired_at != null,
      promotable: record?.due_at != null,
      claimable: JSON.parse(record?.claimable ?? '[]') as string[],
      ...(record?.next_due_at == null ? {} : { nextDueAt: record.next_due_at }),
      ...(record?.next_expiry_at == null ? {} : { nextExpiryAt: record.next_expiry_at }),
    };
  }

  async promote({ limit, now = this.store.clock.now() }: { readonly now?: number; readonly limit: number }): Promise<number> {
    const params = { now: checkTime(now, 'now'), limit: checkPositive(limit, 'limit') };
    const { changes } = await this.store.write(promoteJobs, params, WORK);
    return changes ?? 0;
  }

  async reclaim({ limit, now = this.store.clock.now() }: { readonly now?: number; readonly limit: number }): Promise<number> {
    const params = { now: checkTime(now, 'now'), limit: checkPositive(limit, 'limit') };
    const { changes } = await this.store.write(reclaimJobs, params, WORK);
    return changes ?? 0;
  }

  async get(id: string, { organizationId }: JobScope = {}): Promise<Job | null> {
    const [record] = await this.store.read<JobRecord>(getJob, { id, organizationId: organizationId ?? null });
    return record ? toJob(record) : null;
  }

  async stats(queue?: string, { organizationId }: JobScope = {}): Promise<QueueStats[]> {
    const shape = { queue: queue !== undefined, organization: organizationId !== undefined };
    const params = { ...(queue === undefined ? {} : { queue }), ...(organizationId === undefined ? {} : { organizationId }) };
    const counts = await this.store.read<CountRecord>(countJobs(shape), params);
    return toStats(counts, this.store.clock.now(), organizationId === undefined);
  }

  async listFailed({ organizationId, queue, cursor, limit }: FailedJobFilter = {}): Promise<JobPage> {
    const size = checkPageLimit(limit);
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    const shape = { organization: organizationId !== undefined, queue: queue !== undefined, after: after !== undefined };
    const params = {
      ...(organizationId === undefined ? {} : { organizationId }),
      ...(queue === undefined ? {} : { queue }),
      ...(after === undefined ? {} : { afterTime: after.time, afterId: after.id }),
      limit: size + 1,
    };
    const records = await this.store.read<FailedRecord>(listFailedJobs(shape), params);
    const total = records[0]?.total ?? 0;
    return { ...toPage(records.filter((record) => record.id !== null).map(toJob), size, ({ finishedAt }) => finishedAt ?? 0), total };
  }

  async setPaused(queue: string, paused: boolean): Promise<void> {
    checkName(queue, 'queue');
    const everybody = { global: 'queue pause: a queue is shared by all organizations' };
    if (paused) await this.store.write(pauseQueue, { queue, now: this.store.clock.now() }, everybody);
    else await this.store.write(resumeQueue, { queue }, everybody);
  }

  async cancel(id: string, scope: JobScope = {}): Promise<boolean> {
    return (await this.#change(cancelJob, { id }, scope)) > 0;
  }

  async reschedule(id: string, dueAt: number, scope: JobScope = {}): Promise<boolean> {
    return (await this.#change(rescheduleJob, { id, dueAt: checkTime(dueAt, 'dueAt') }, scope)) > 0;
  }

  async replay(id: string, scope: JobScope = {}): Promise<boolean> {
    return (await this.#change(replayJob, { id }, scope)) > 0;
  }

  async replayAll(queue: string, scope: JobScope = {}): Promise<number> {
    return this.#changeAll([replayJobs], { queue }, scope);
  }

  async purge(queue: string, scope: JobScope = {}): Promise<number> {
    return this.#changeAll([purgeScheduled, purgeFree, purgeCapped], { queue }, scope);
  }

  async purgeFailed(id: string, scope: JobScope = {}): Promise<boolean> {
    return (await this.#change(purgeDeadJob, { id }, scope)) > 0;
  }

  async sweep({ completedBefore, deadBefore, limit }: JobSweepOptions): Promise<number> {
    checkWhole(limit, 'limit', { least: 1, most: 10_000 });
    const now = this.store.clock.now();
    const params = {
      completedBefore: checkTime(completedBefore, 'completedBefore'),
      deadBefore: checkTime(deadBefore, 'deadBefore'),
      limit,
    };
    const [, swept] = await this.store.batch([
      { statement: freeExpiredKeys, params: { now, limit }, scope: RETENTION },
      { statement: sweepJobs, params, scope: RETENTION },
    ]);
    return swept?.changes ?? 0;
  }

  async sweepable({ completedBefore, deadBefore }: Omit<JobSweepOptions, 'limit'>): Promise<boolean> {
    const params = { completedBefore: checkTime(completedBefore, 'completedBefore'), deadBefore: checkTime(deadBefore, 'deadBefore') };
    const [row] = await this.store.read<{ found: number }>(findSweepable, { ...params, now: this.store.clock.now() });
    return row?.found === 1;
  }

  /** What a caller does to one job. @returns rows. */
  async #change(statement: Statement, params: SqlParams, { organizationId }: JobScope): Promise<number> {
    const scope = organizationId === undefined ? { global: 'queue: the caller named jobs and no organization' } : { organizationId };
    const given = { now: this.store.clock.now(), ...params, organizationId: organizationId ?? null };
    const { changes } = await this.store.write(statement, given, scope);
    return changes ?? 0;
  }

  /** What a caller does to many jobs, some at a time. @returns rows. */
  async #changeAll(statements: readonly Statement[], params: SqlParams, scope: JobScope): Promise<number> {
    const now = this.store.clock.now();
    let changed = 0;
    for (const statement of statements) {
      for (let some = SOME; some === SOME; changed += some) some = await this.#change(statement, { ...params, now, limit: SOME }, scope);
    }
    return changed;
  }

  async #claim({ arms, leaseMs }: ArmSet, { workerId, now }: { workerId: string; now: number }): Promise<ClaimedJob[]> {
    const claim = { token: createClaimToken(this.#random), workerId, now, lockedUntil: now + leaseMs };
    const { rows } = await this.store.write<ClaimedRecord & { left_out?: number | null }>(claimJobs, claimParams(arms, claim), WORK);
    const claimed: ClaimedJob[] = [];
    const leftOut = new Set<number>();
    for (const row of rows) {
      if (row.left_out == null) claimed.push(toClaimed(row, claim));
      else leftOut.add(row.left_out);
    }
    if (leftOut.size > 0) {
      const capped = arms.filter(({ arm }) => leftOut.has(arm));
      const [, result] = await this.store.batch([
        { statement: lockQueues, params: { queues: JSON.stringify(capped.map(({ queue }) => queue)) } },
        { statement: claimCappedJobs, params: claimParams(capped, claim), scope: WORK },
      ]);
      for (const row of (result?.rows ?? []) as unknown as ClaimedRecord[]) claimed.push(toClaimed(row, claim));
    }
    return claimed;
  }

  /** One conditional statement on the claims' tokens; whoever is not among the ids it returns has lost its claim. */
  async #settle<Item>(
    items: readonly Item[],
    claimOf: (item: Item) => ClaimedJob,
    stepFor: (items: readonly Item[], now: number) => { statement: Statement; params: SqlParams },
  ): Promise<JobClaimOutcome[]> {
    if (items.length === 0) return [];
    const now = this.store.clock.now();
    const held = new Set<string>();
    for (const set of oneTokenEach(items, claimOf)) {
      const { statement, params } = stepFor(set, now);
      const { rows } = await this.store.write<{ id: string }>(statement, { now, ...params }, WORK);
      const tokens = new Map(set.map((item) => [claimOf(item).id, claimOf(item).claimToken]));
      for (const { id } of rows) held.add(`${id} ${tokens.get(id)}`);
    }
    // A claim that appears twice is settled once: its first mention takes it out.
    return items.map((item) => (held.delete(`${claimOf(item).id} ${claimOf(item).claimToken}`) ? 'acked' : 'lost'));
  }
}

function claimParams(arms: readonly ClaimArm[], { token, workerId, now, lockedUntil }: Claim): SqlParams {
  return { arms: JSON.stringify(arms), token, workerId, now, lockedUntil };
}
