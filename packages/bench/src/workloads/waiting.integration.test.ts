import { type TestDatabase, type TestStoreName, testDatabase } from '@bellhop/testing';
import { afterEach, expect, it } from 'vitest';
import type { Workload } from '../workload.js';
import { delayed } from './delayed.js';
import { fair } from './fair.js';
import { latency } from './latency.js';

const made: TestDatabase[] = [];
async function database(store: TestStoreName): Promise<TestDatabase> {
  const database = await testDatabase(store);
  made.push(database);
  return database;
}
afterEach(async () => {
  for (const database of made.splice(0)) await database.drop();
});

const run = (workload: Workload, store: TestStoreName, options: Record<string, string> = {}, peer = 'none') =>
  workload.run({ stores: [store], quick: true, peer, options, database });

/** Rounds start processes that compile their source. */
const PATIENCE_MS = 120_000;

// Three rounds of five jobs. A wait of a job that was not begun would be an error.
it(
  'latency measures every job, in the same process and in another',
  async () => {
    const { json } = await run(latency, 'sqlite');
    expect(json).toMatchObject({ samples: 15, p50Ms: expect.any(Number), otherProcess: { samples: 15 } });
    expect((await run(latency, 'memory')).json).not.toHaveProperty('otherProcess');
  },
  PATIENCE_MS,
);

// Three rounds of ten.
it('delayed measures every job, ours and the peer’s', async () => {
  const { json, excesses } = await run(delayed, 'sqlite', {}, 'plainjob');
  expect(json).toMatchObject({ samples: 30, missing: 0, latenessP99Ms: expect.any(Number) });
  expect(json.sides).toMatchObject([{ product: 'bellhop', samples: 30 }, { samples: 30 }, { setting: 'polls every 10 ms', samples: 30 }]);
  expect(excesses).toEqual([]);
});

// Three rounds of twenty-five organizations with ten jobs each.
it('fair measures every job of the small organizations, with the big one and without', async () => {
  const { json } = await run(fair, 'sqlite', { handlerMs: '0' });
  expect(json).toMatchObject({ backlog: 2_000, p99Ratio: expect.any(Number), alone: { samples: 750 }, behind: { samples: 750 } });
  await expect(run(fair, 'sqlite', { handlerMs: '-1' })).rejects.toThrow('--handler-ms -1');
});
