import type { ClaimedJob } from '@bellhop/contracts';
import { emptyTables } from '@bellhop/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SqlJobStore } from './sql-job-store.js';
import { type TwoJobStores, twoJobStores } from './sql-jobs.fixture.js';

describe.each(['sqlite', 'postgres'] as const)('two connections to %s at once', (name) => {
  let nodes: TwoJobStores;
  let both: readonly [SqlJobStore, SqlJobStore];
  beforeAll(async () => {
    nodes = await twoJobStores(name);
    both = [nodes.jobs, nodes.second];
  });
  beforeEach(() => emptyTables(nodes.store, ['queue_job']));
  afterAll(() => nodes.database.drop());

  const claim = (store: SqlJobStore, limit: number, afterLane?: string) =>
    store.claim({ workerId: 'w', queues: [{ queue: 'mail', limit, leaseMs: 30_000, ...(afterLane === undefined ? {} : { afterLane }) }] });
  const complete = async (store: SqlJobStore, claims: readonly ClaimedJob[]) => {
    const outcomes = await store.ack(claims.map((each) => ({ claim: each, result: { outcome: 'completed' } })));
    expect(new Set(outcomes)).toEqual(new Set(['acked']));
  };

  it('[Q2] give each of 10 000 jobs to one of them, once', async () => {
    const lanes = 7;
    await nodes.jobs.enqueue(Array.from({ length: 10_000 }, (_, i) => nodes.job({ groupKey: `g${i % lanes}`, priority: i % 3 })));
    const drain = async (store: SqlJobStore): Promise<string[]> => {
      const ids: string[] = [];
      for (let lane: string | undefined; ; ) {
        const claims = await claim(store, 100, lane);
        if (claims.length === 0) return ids;
        ids.push(...claims.map(({ id }) => id));
        // One that is given twice may be given for ever.
        expect(ids.length).toBeLessThanOrEqual(10_000);
        lane = claims.at(-1)?.lane;
        await complete(store, claims);
      }
    };
    const [left, right] = await Promise.all([drain(both[0]), drain(both[1])]);
    expect(new Set([...left, ...right]).size).toBe(10_000);
    expect(left.length + right.length).toBe(10_000);
    // Control: both of them took part.
    for (const { length } of [left, right]) expect(length).toBeGreaterThan(100);
    expect(await nodes.count({ status: 'completed', attempts: 1 })).toBe(10_000);
  });

  it('keep a group’s limit exactly, however they claim at once (control: more would have been claimed)', async () => {
    const limits = { a: 1, b: 2, c: 5 };
    const make = (groupKey: keyof typeof limits) => nodes.job({ groupKey, groupConcurrency: limits[groupKey] });
    const jobs = (['a', 'b', 'c'] as const).flatMap((group) => Array.from({ length: 40 }, () => make(group)));
    await nodes.jobs.enqueue([...jobs, ...Array.from({ length: 40 }, () => nodes.job({ groupKey: 'free' }))]);
    const done: string[] = [];
    let most = 0;
    for (let round = 0; done.length < 160; round += 1) {
      expect(round).toBeLessThan(200);
      const rounds = await Promise.all([0, 1, 0, 1].map((node) => claim(both[node] as SqlJobStore, 10)));
      const claims = rounds.flat();
      for (const [group, limit] of Object.entries(limits)) {
        expect(claims.filter(({ groupKey }) => groupKey === group).length).toBeLessThanOrEqual(limit);
      }
      most = Math.max(most, claims.filter(({ groupKey }) => groupKey === 'free').length);
      done.push(...claims.map(({ id }) => id));
      await complete(both[round % 2] as SqlJobStore, claims);
    }
    expect(new Set(done).size).toBe(160);
    expect(most).toBeGreaterThan(5);
  });

  it('[Q9] make one job of one key, however many publish it at once; the others get its id', async () => {
    const publish = (at: number) => (both[at % 2] as SqlJobStore).enqueue([nodes.job({ idempotencyKey: 'order-7' }), nodes.job()]);
    const results = await Promise.allSettled(Array.from({ length: 40 }, (_, at) => publish(at)));
    expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
    const keyed = results.map((result) => (result.status === 'fulfilled' ? result.value[0] : undefined));
    expect(keyed.filter((one) => one?.deduped === false)).toHaveLength(1);
    expect(new Set(keyed.map((one) => one?.id)).size).toBe(1);
    expect(await nodes.count({ idempotency_token: 'order-7' })).toBe(1);
    // Control: what came with it, without a key, is there each time.
    expect(await nodes.count()).toBe(41);
  });
});
