import assert from 'node:assert/strict';
import { type JobBench, type JobStoreConformanceOptions, jobSection, LEASE_MS, POINT_MS, START } from './job-bench.js';

export function jobOrderSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'the order of a lane', (test) => {
    test('goes by due time, then by id', async (bench) => {
      const late = await bench.enqueue({ dueAt: START - 1_000 });
      const ties = await bench.fill(3, { dueAt: START - 5_000 });
      const first = await bench.enqueue({ dueAt: START - 9_000 });
      assert.deepEqual(await bench.claimIds(), [first, ...ties, late]);
    });

    test('[Q10] goes by priority among jobs of one due time', async (bench) => {
      const ids = [
        await bench.enqueue({ priority: 100 }),
        await bench.enqueue({ priority: 1_000_000 }),
        await bench.enqueue({ priority: 0 }),
        await bench.enqueue({ priority: 99 }),
      ];
      assert.deepEqual(await oneByOne(bench), [ids[2], ids[3], ids[0], ids[1]]);
    });

    test('[Q10] goes by priority among the jobs of one call, with idempotency keys and without', async (bench) => {
      const priorities = [100, 1_000_000, 0, 99];
      const make = (priority: number, key: boolean) => bench.job({ priority, ...(key ? { idempotencyKey: `key-${priority}` } : {}) });
      const plain = priorities.map((priority) => make(priority, false));
      const keyed = priorities.map((priority) => make(priority, true));
      await bench.store.enqueue(plain);
      await bench.store.enqueue(keyed);
      const order = [2, 3, 0, 1].flatMap((at) => [plain[at]!.id, keyed[at]!.id]);
      assert.deepEqual(await oneByOne(bench), order);
    });

    test('[Q10] counts a point of priority as 6 s: so much later is level, and then the id decides', async (bench) => {
      const base = await bench.enqueue({ priority: 10, dueAt: START - 60_000 });
      const before = await bench.enqueue({ priority: 9, dueAt: START - 60_000 + POINT_MS - 1 });
      const level = await bench.enqueue({ priority: 9, dueAt: START - 60_000 + POINT_MS });
      const behind = await bench.enqueue({ priority: 9, dueAt: START - 60_000 + POINT_MS + 1 });
      assert.deepEqual(await oneByOne(bench), [before, base, level, behind]);
    });

    test('lets no stream of urgent jobs starve a patient one: 100 points are 600 s', async (bench) => {
      const patient = await bench.enqueue({ priority: 100 });
      for (let at = 0; at < 102; at += 1) {
        await bench.enqueue({ priority: 0 });
        await bench.clock.advance(POINT_MS);
      }
      const ids = await bench.claimIds({ limit: 1_000 });
      assert.equal(ids.length, 103);
      assert.equal(ids.indexOf(patient), 100, 'after those of the first 600 s, before all that came later');
    });

    test('keeps its place in the order when it is reclaimed or released, and takes a new one for a retry', async (bench) => {
      const [released, expired, retried, last] = (await bench.fill(4)) as [string, string, string, string];
      const claims = await bench.claim({ limit: 3 });
      await bench.store.release([claims[0]!]);
      await bench.ack(claims[2]!, { outcome: 'retry', error: 'x', dueAt: START + 1 });
      await bench.clock.advance(LEASE_MS);
      await bench.store.reclaim({ limit: 10 });
      assert.deepEqual(
        (await bench.promoteAndClaim()).map(({ id }) => id),
        [released, expired, last, retried],
      );
    });
  });
}

/** The ids in the order in which claims of one job take them: what a larger claim takes it may put in order by itself. */
async function oneByOne(bench: JobBench): Promise<string[]> {
  const ids: string[] = [];
  for (let claimed = await bench.claimIds({ limit: 1 }); claimed.length > 0; claimed = await bench.claimIds({ limit: 1 })) {
    ids.push(...claimed);
  }
  return ids;
}
