import { type TestDatabase, type TestStoreName, testDatabase } from '@bellhop/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { budgets } from './budgets.js';
import { enqueue } from './enqueue.js';
import { idle } from './idle.js';

const made: TestDatabase[] = [];
async function database(store: TestStoreName): Promise<TestDatabase> {
  const database = await testDatabase(store);
  made.push(database);
  return database;
}
afterEach(async () => {
  for (const database of made.splice(0)) await database.drop();
});

const settings = (options: Record<string, string> = {}) => ({ stores: ['sqlite'] as const, quick: false, peer: 'none', options, database });

describe('idle', () => {
  it.each(['1', '8', '64'])('[idle-backoff][survey-cost] is 24 reads and no write in ten minutes, at %s partitions', async (partitions) => {
    const { json, excesses } = await idle.run(settings({ partitions, capabilities: 'all' }));
    expect(json).toEqual({ ticks: 24, statements: 24, statementsPerIdleTick: 1, writes: 0, byLabel: { survey: 24 }, loops: {} });
    expect(excesses).toEqual([]);
  });

  it('is 408 statements without the survey, and 768 without the reap: what the system it grew from paid', async () => {
    const reap = await idle.run(settings({ partitions: '8', capabilities: 'reap' }));
    expect(reap.json).toMatchObject({ ticks: 24, statements: 408, byLabel: { reap: 24 } });
    const none = await idle.run(settings({ partitions: '8', capabilities: 'none' }));
    expect(none.json).toMatchObject({ ticks: 24, statements: 768, statementsPerIdleTick: 32 });
  });

  it.each(['1', '100'])('is 24 reads and no write in ten minutes, with %s queues', async (queues) => {
    const { json, excesses } = await idle.run(settings({ partitions: '8', capabilities: 'all', queues }));
    expect(json).toEqual({ ticks: 24, statements: 24, statementsPerIdleTick: 1, writes: 0, byLabel: { survey: 24 }, loops: {} });
    expect(excesses).toEqual([]);
  });

  it.each([
    { queues: '0' },
    { partitions: '0', capabilities: 'all' },
    { partitions: 'x', capabilities: 'all' },
    { partitions: '8', capabilities: 'some' },
  ])('refuses %o', async (options) => {
    await expect(idle.run(settings(options))).rejects.toThrow(RangeError);
  });
});

describe('budgets', () => {
  it('are kept', async () => {
    const { json, excesses } = await budgets.run(settings());
    expect(excesses).toEqual([]);
    expect(json).toMatchObject({
      sqlite: {
        idleTick: { statements: 1 },
        emit100: { statements: 3, transactions: 1 },
        reap1000: { statements: 1 },
        publishMany1000: { statements: 1 },
        jobClaimAck32: { statements: 2 },
      },
    });
  });
});

describe('enqueue', () => {
  const run = (mode: string, peer: string) => enqueue.run({ ...settings({ mode }), quick: true, peer });
  const durability = { journal_mode: 'wal', synchronous: 'NORMAL' };

  // That the database holds as many jobs as were published, the workload sees to itself.
  it.each(['single', 'concurrent', 'batch'])(
    '%s measures ours and the peer in three rounds each, as durable as one another',
    async (mode) => {
      const { json, excesses } = await run(mode, 'plainjob');
      expect(excesses).toEqual([]);
      expect(json).toMatchObject({ store: 'sqlite', mode, peer: 'plainjob, defaults', ratio: expect.any(Number) });
      expect(json.sides).toMatchObject([
        { product: 'bellhop', durability, rounds: { length: 3 } },
        { product: 'plainjob', version: '0.0.14', settings: { pollIntervall: 1_000 }, durability, rounds: { length: 3 } },
      ]);
    },
  );

  it('compares batches on SQLite with the raw insert of the same rows, and nothing else', async () => {
    expect((await run('batch', 'none')).json).toMatchObject({ raw: { perSecond: expect.any(Number), ratio: expect.any(Number) } });
    const { json } = await run('single', 'none');
    for (const absent of ['raw', 'ratio', 'peer']) expect(json).not.toHaveProperty(absent);
  });

  it('refuses a mode or a peer that there is not', async () => {
    await expect(run('bulk', 'none')).rejects.toThrow('--mode bulk: allowed are single, concurrent, batch');
    await expect(run('single', 'pg-boss')).rejects.toThrow('--peer pg-boss with --store sqlite');
  });
});
