import assert from 'node:assert/strict';
import type { JobPage } from '@bellhop/contracts';
import { refusal } from '../refusal.js';
import { COMPLETED } from './held-job-claims.js';
import { type JobStoreConformanceOptions, jobSection, QUEUE, START } from './job-bench.js';

const ZEROS = {
  paused: false,
  scheduled: 0,
  pending: 0,
  running: 0,
  completed: 0,
  dead: 0,
  cancelled: 0,
  oldestPendingMs: null,
  oldestDeadMs: null,
};

export function statsAndListSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'stats', (test) => {
    test('of an empty store, and of a queue that nobody knows, are none', async (bench) => {
      assert.deepEqual(await bench.store.stats(), []);
      assert.deepEqual(await bench.store.stats('unknown'), []);
    });

    test('count the jobs of each queue by status', async (bench) => {
      const queue = 'a-queue';
      await bench.fill(2, { queue });
      await bench.ack((await bench.claim({ queue, limit: 1 }))[0]!, COMPLETED);
      await bench.claim({ queue, limit: 1 });
      await bench.deadJob({ queue });
      await bench.store.cancel(await bench.enqueue({ queue }));
      await bench.fill(2, { queue, dueAt: START + 1 });
      await bench.fill(3, { queue });
      await bench.enqueue({ dueAt: START + 1 });
      assert.deepEqual(await bench.store.stats(), [
        {
          ...ZEROS,
          queue,
          scheduled: 2,
          pending: 3,
          running: 1,
          completed: 1,
          dead: 1,
          cancelled: 1,
          oldestPendingMs: 0,
          oldestDeadMs: 0,
        },
        { ...ZEROS, queue: QUEUE, scheduled: 1 },
      ]);
      assert.deepEqual(await bench.store.stats(QUEUE), [{ ...ZEROS, queue: QUEUE, scheduled: 1 }]);
    });

    test('say how long the oldest pending job has been due and the oldest dead one dead', async (bench) => {
      await bench.deadJob();
      await bench.clock.advance(1_000);
      await bench.deadJob();
      await bench.enqueue({ dueAt: START + 400 });
      await bench.enqueue();
      // Scheduled: it does not wait.
      await bench.enqueue({ dueAt: START + 1_050 });
      await bench.clock.advance(100);
      const [stats] = await bench.store.stats();
      assert.deepEqual([stats?.oldestPendingMs, stats?.oldestDeadMs], [700, 1_100]);
    });

    test('are of one organization when asked for it: another’s jobs are not counted', async (bench) => {
      await bench.fill(2, { organizationId: 'acme' });
      await bench.fill(3, { organizationId: 'umbrella' });
      await bench.fill(1, { organizationId: 'umbrella', queue: 'sms' });
      const counts = async (organizationId: string, queue?: string) =>
        (await bench.store.stats(queue, { organizationId })).map(({ queue: name, pending }) => [name, pending]);
      assert.deepEqual(await counts('acme'), [[QUEUE, 2]]);
      assert.deepEqual(await counts('umbrella'), [
        [QUEUE, 3],
        ['sms', 1],
      ]);
      assert.deepEqual(await counts('umbrella', 'sms'), [['sms', 1]]);
      assert.deepEqual(await counts('acme', 'sms'), []);
      assert.deepEqual(await counts('nobody'), []);
    });
  });

  jobSection(options, 'listFailed', (test) => {
    test('gives the dead jobs, whole, those that died last first, and how many there are', async (bench) => {
      const ids = [await bench.enqueue(), await bench.enqueue({ metadata: { a: 1 } }), await bench.enqueue()];
      const claims = await bench.claim();
      for (const at of [2, 0, 1]) {
        await bench.ack(claims[at]!, { outcome: 'dead', error: `death ${at}` });
        await bench.clock.advance(1);
      }
      await bench.enqueue();
      const page = await bench.store.listFailed();
      assert.deepEqual(
        page.items.map(({ id }) => id),
        [ids[1], ids[0], ids[2]],
      );
      assert.deepEqual(page.items[0], await bench.row(ids[1]!));
      assert.deepEqual([page.total, page.nextCursor], [3, null]);
    });

    test('filters by organization and queue, alone and together; the total too', async (bench) => {
      for (const organizationId of ['acme', 'umbrella']) {
        for (const queue of [QUEUE, 'sms', 'sms']) await bench.deadJob({ organizationId, queue });
      }
      for (const [filter, expected] of [
        [{}, 6],
        [{ organizationId: 'acme' }, 3],
        [{ queue: 'sms' }, 4],
        [{ organizationId: 'acme', queue: 'sms' }, 2],
        [{ organizationId: 'nobody' }, 0],
        [{ queue: 'unknown' }, 0],
      ] as const) {
        const { items, total } = await bench.store.listFailed(filter);
        assert.deepEqual([items.length, total], [expected, expected]);
        for (const item of items) assert.deepEqual({ ...item, ...filter }, item);
        assert.equal((await bench.store.listFailed({ ...filter, limit: 1 })).total, expected);
      }
    });

    test('goes on where a page ended, without repeating or missing a job, while others die and are replayed', async (bench) => {
      const ids: string[] = [];
      for (let at = 0; at < 11; at += 1) {
        ids.push(await bench.deadJob());
        // Many of one millisecond: only the id tells them apart.
        if (at === 5) await bench.clock.advance(1);
      }
      const seen: string[] = [];
      const sizes: number[] = [];
      let page: JobPage = await bench.store.listFailed({ limit: 4 });
      await bench.clock.advance(1);
      await bench.deadJob();
      await bench.store.replay(ids[10]!);
      for (;;) {
        sizes.push(page.items.length);
        seen.push(...page.items.map(({ id }) => id));
        if (page.nextCursor === null || sizes.length > 5) break;
        page = await bench.store.listFailed({ limit: 4, cursor: page.nextCursor });
      }
      assert.deepEqual(sizes, [4, 4, 3]);
      assert.deepEqual(seen, ids.toReversed());
      assert.equal(page.total, 11);
    });

    test('has no further page when the last one is exactly full', async (bench) => {
      for (let at = 0; at < 4; at += 1) await bench.deadJob();
      assert.equal((await bench.store.listFailed({ limit: 4 })).nextCursor, null);
      assert.notEqual((await bench.store.listFailed({ limit: 3 })).nextCursor, null);
      assert.deepEqual(await bench.store.listFailed({ organizationId: 'nobody' }), { items: [], nextCursor: null, total: 0 });
    });

    test('gives 50 jobs unless told, and at most 200', async (bench) => {
      await bench.fill(205);
      const claims = await bench.claim({ limit: 1_000 });
      await bench.store.ack(claims.map((claim) => ({ claim, result: { outcome: 'dead', error: 'x' } })));
      const size = async (limit?: number) => (await bench.store.listFailed(limit === undefined ? {} : { limit })).items.length;
      assert.deepEqual([await size(), await size(200), await size(1)], [50, 200, 1]);
      for (const limit of [0, 201, -1, 1.5, Number.NaN]) await refusal(() => bench.store.listFailed({ limit }));
    });

    test('refuses a cursor that no page gave, and names that are none', async (bench) => {
      for (const cursor of ['', 'garbage', 7 as unknown as string]) await refusal(() => bench.store.listFailed({ cursor }));
      await refusal(() => bench.store.listFailed({ queue: '' }));
      await refusal(() => bench.store.listFailed({ organizationId: 'a\0' }));
    });
  });
}
