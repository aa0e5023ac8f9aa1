import { type TestDatabase, type TestStoreName, testDatabase } from '@bellhop/testing';
import { afterEach, expect, it } from 'vitest';
import { drain } from './drain.js';

const made: TestDatabase[] = [];
async function database(store: TestStoreName): Promise<TestDatabase> {
  const database = await testDatabase(store);
  made.push(database);
  return database;
}
afterEach(async () => {
  for (const database of made.splice(0)) await database.drop();
});

const run = (store: TestStoreName, processes: string, peer = 'none') =>
  drain.run({ stores: [store], quick: true, peer, options: { processes, jobs: '100000' }, database });

/** Each round starts processes that compile their source. */
const PATIENCE_MS = 120_000;

it.each([
  ['sqlite', '2'],
  ['postgres', '1'],
] as const)(
  'on %s, every job runs once in %s process(es)',
  async (store, processes) => {
    const { json, excesses } = await run(store, processes);
    expect(json).toMatchObject({ store, jobs: 300, lost: 0, duplicates: 0 });
    expect(excesses).toEqual([]);
    // Three rounds each.
    expect((json.processes as Record<string, unknown>)[processes]).toMatchObject({ sides: [{ ran: 900 }, { ran: 900 }] });
  },
  PATIENCE_MS,
);

it('refuses what it cannot measure', async () => {
  await expect(run('memory', '1')).rejects.toThrow('--store memory');
  await expect(run('sqlite', '1,0')).rejects.toThrow('--processes 0');
  await expect(run('sqlite', '')).rejects.toThrow('--processes');
  await expect(run('sqlite', '1', 'pg-boss')).rejects.toThrow('--peer pg-boss with --store sqlite');
});
