import { type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Contender, type JobData, jobData, nameOf } from './contender.js';
import { graphileWorkerKinds } from './graphile-worker.js';
import { pgBossKinds } from './pg-boss.js';
import { plainjobKinds } from './plainjob.js';

const DURABLE = { sqlite: { journal_mode: 'wal', synchronous: 'NORMAL' }, postgres: { synchronous_commit: 'on' } } as const;

describe.each([...plainjobKinds, ...graphileWorkerKinds, ...pgBossKinds].map((kind) => [nameOf(kind), kind] as const))('%s', (_, kind) => {
  const store = kind.stores[0] as 'sqlite' | 'postgres';
  let database: TestDatabase;
  let contender: Contender;
  beforeEach(async () => {
    database = await testDatabase(store);
    contender = await kind.open(database.options.url as string);
  });
  afterEach(async () => {
    await contender.close();
    await database.drop();
  });

  it('keeps what is published, and says how it commits', async () => {
    await contender.publish(jobData(0));
    await contender.publishMany([jobData(1), jobData(2)]);
    expect(await contender.unfinished()).toBe(3);
    expect(await contender.durability()).toMatchObject(DURABLE[store]);
    // Another process opens it as it is.
    const second = await kind.open(database.options.url as string);
    expect(await second.unfinished()).toBe(3);
    await second.close();
  });

  it('runs each job once, and not before it is due', async () => {
    const hour = Date.now() + 3_600_000;
    await contender.publish(jobData(9), { runAt: hour });
    await contender.publish(jobData(0));
    await contender.publishMany([jobData(1)]);
    expect(await runsOf(contender, 2)).toEqual([jobData(0), jobData(1)]);
    // Some write down that a job is done after its handler returned, and past their stop: not past their close.
    await contender.close();
    contender = await kind.open(database.options.url as string);
    expect(await contender.unfinished()).toBe(1);
  });
});

/** Works until so many have run. */
async function runsOf(contender: Contender, count: number): Promise<JobData[]> {
  const runs: JobData[] = [];
  let enough = () => {};
  const ran = new Promise<void>((resolve) => {
    enough = resolve;
  });
  const work = await contender.work((job) => {
    runs.push(job);
    if (runs.length === count) enough();
  });
  await ran;
  await work.stop();
  return runs.toSorted((a, b) => a.n - b.n);
}
