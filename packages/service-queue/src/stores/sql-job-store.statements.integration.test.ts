import type { ClaimedJob, JobResult } from '@bellhop/contracts';
import { emptyTables, TEST_STORE_NAMES } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TwoJobStores, twoJobStores } from './sql-jobs.fixture.js';

const completed = (claims: readonly ClaimedJob[]): { claim: ClaimedJob; result: JobResult }[] =>
  claims.map((claim) => ({ claim, result: { outcome: 'completed' } }));

describe.each(TEST_STORE_NAMES)('statements of the job store on %s', (name) => {
  let nodes: TwoJobStores;
  beforeAll(async () => {
    nodes = await twoJobStores(name);
  });
  beforeEach(() => emptyTables(nodes.store, ['queue_job', 'queue_pause']));
  afterEach(() => expect(nodes.store.audit.findings()).toEqual([]));
  afterAll(() => nodes.database.drop());

  /** Exchanges with a server for so many statements of a transaction, or one alone. */
  const trips = (statements: number, transaction = false) => {
    if (name === 'libsql-remote') return 1;
    return name === 'postgres' ? statements + (transaction ? 2 : 0) : 0;
  };
  const claimOf = (limit: number, queue = 'mail') => ({ workerId: 'w', queues: [{ queue, limit, leaseMs: 30_000 }] });

  it('a publish is one, and those of one turn share it', async () => {
    const { jobs, job, cost } = nodes;
    expect(await cost(() => jobs.enqueue([job()]))).toMatchObject({ statements: 1, transactions: 0, roundTrips: trips(1) });
    const turn = () => Promise.all(Array.from({ length: 50 }, () => jobs.enqueue([job()])));
    expect(await cost(turn)).toMatchObject({ statements: 1, roundTrips: trips(1) });
    expect(await nodes.count()).toBe(51);
  });

  it('a thousand jobs are one, whatever their options', async () => {
    const { jobs, job, cost } = nodes;
    const mixed = Array.from({ length: 1_000 }, (_, i) =>
      job({ priority: i % 7, groupKey: `g${i % 3}`, metadata: { i }, delayMs: (i % 2) * 5 }),
    );
    expect(await cost(() => jobs.enqueue(mixed))).toMatchObject({ statements: 1, roundTrips: trips(1) });
    expect(await nodes.count()).toBe(1_000);
  });

  it('more than a thousand are one transaction', async () => {
    const { jobs, job, cost } = nodes;
    const many = Array.from({ length: 2_500 }, () => job());
    expect(await cost(() => jobs.enqueue(many))).toMatchObject({ statements: 3, transactions: 1, roundTrips: trips(3, true) });
    // Control: the last chunk fails, and takes the others with it.
    const bad = Array.from({ length: 2_500 }, () => job());
    await expect(jobs.enqueue([...bad, bad[0] as never])).rejects.toThrow();
    expect(await nodes.count()).toBe(2_500);
  });

  it('jobs with keys are three in one transaction', async () => {
    const { jobs, job, cost } = nodes;
    const keyed = Array.from({ length: 100 }, (_, i) => job({ idempotencyKey: `k${i}` }));
    expect(await cost(() => jobs.enqueue(keyed))).toMatchObject({ statements: 3, transactions: 1, roundTrips: trips(3, true) });
  });

  it('a claim is one, its acks another', async () => {
    const { jobs, job, cost } = nodes;
    await jobs.enqueue(Array.from({ length: 64 }, (_, i) => job({ groupKey: `g${i % 5}` })));
    let claims: ClaimedJob[] = [];
    const round = async () => {
      claims = await jobs.claim(claimOf(32));
      await jobs.ack(completed(claims));
    };
    expect(await cost(round)).toMatchObject({ statements: 2, transactions: 0, roundTrips: trips(1) * 2 });
    expect(claims).toHaveLength(32);
    const outcomes = async () => {
      const [first, second, third, ...rest] = (await jobs.claim(claimOf(32))) as [ClaimedJob, ClaimedJob, ClaimedJob, ...ClaimedJob[]];
      await jobs.ack([
        { claim: first, result: { outcome: 'retry', error: 'e', dueAt: nodes.clock.now() + 10 } },
        { claim: second, result: { outcome: 'dead', error: 'e' } },
        { claim: third, result: { outcome: 'snooze', dueAt: nodes.clock.now() + 10 } },
        ...completed(rest),
      ]);
    };
    expect(await cost(outcomes)).toMatchObject({ statements: 2, transactions: 0 });
    expect(await nodes.count({ status: 'completed' })).toBe(61);
  });

  it('a claim of many queues is one, too', async () => {
    const { jobs, job, cost } = nodes;
    const queues = Array.from({ length: 20 }, (_, i) => `q${i}`);
    await jobs.enqueue(queues.flatMap((queue) => [job({}, queue), job({}, queue)]));
    let claims: ClaimedJob[] = [];
    const options = { workerId: 'w', queues: queues.map((queue) => ({ queue, limit: 10, leaseMs: 30_000 })) };
    const claim = async () => {
      claims = await jobs.claim(options);
    };
    expect(await cost(claim)).toMatchObject({ statements: 1, roundTrips: trips(1) });
    expect(claims.map(({ queue }) => queue)).toEqual(queues.flatMap((queue) => [queue, queue]));
  });

  it('a claim of limited groups is one, and on Postgres three more under a lock', async () => {
    const { jobs, job, cost } = nodes;
    await jobs.enqueue(Array.from({ length: 10 }, (_, i) => job({ groupKey: `g${i % 2}`, groupConcurrency: 2 })));
    let claims: ClaimedJob[] = [];
    const claim = async () => {
      claims = await jobs.claim(claimOf(10));
    };
    const labels = name === 'postgres' ? ['queue.claim', 'queue.claimCapped', 'queue.lock'] : ['queue.claim'];
    const { labels: ran, transactions } = await cost(claim);
    expect(ran).toEqual(labels);
    expect(transactions).toBe(name === 'postgres' ? 1 : 0);
    expect(claims).toHaveLength(4);
  });

  it('survey, promote, reclaim, renew, release, progress: one each', async () => {
    const { jobs, job, clock, cost } = nodes;
    const delayed = Array.from({ length: 40 }, () => job({ delayMs: 10 }));
    await jobs.enqueue(delayed);
    await clock.advance(10);
    const queues = Array.from({ length: 100 }, (_, i) => ({ queue: i === 0 ? 'mail' : `q${i}` }));
    const one = { statements: 1, transactions: 0, roundTrips: trips(1) };
    expect(await cost(() => jobs.survey({ queues }))).toMatchObject(one);
    expect(await cost(() => jobs.promote({ limit: 1_000 }))).toMatchObject(one);
    const claims = await jobs.claim(claimOf(30));
    expect(claims).toHaveLength(30);
    expect(await cost(() => jobs.renew(claims.map((claim) => ({ claim, leaseMs: 30_000 }))))).toMatchObject(one);
    expect(await cost(() => jobs.progress(claims[0] as ClaimedJob, 50))).toMatchObject(one);
    expect(await cost(() => jobs.release(claims.slice(0, 10)))).toMatchObject(one);
    await clock.advance(30_000);
    expect(await cost(() => jobs.reclaim({ limit: 1_000 }))).toMatchObject(one);
    expect(await nodes.count({ status: 'pending' })).toBe(40);
  });
});
