import assert from 'node:assert/strict';
import type { NewJob } from '@bellhop/contracts';
import { type JobStoreConformanceOptions, jobSection, START } from './job-bench.js';

export function enqueueSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'enqueue', (test) => {
    test('says whether it survives the process', async (bench) => {
      assert.equal(bench.store.durable, options.durable);
      assert.equal(bench.second.durable, options.durable);
    });

    test('stores a job with everything that was given', async (bench) => {
      const job: NewJob = {
        id: 'given-id',
        organizationId: 'acme',
        queue: 'invoices',
        dataText: '{"to":"user-9","deep":{"list":[1,null,true,1.5]},"text":"Grüße 😀 \\"quoted\\"\\n"}',
        metadataText: '{"source":"import"}',
        priority: 7,
        maxAttempts: 9,
        backoff: { type: 'fixed', delayMs: 5, maxDelayMs: 50, jitter: 'none' },
        timeoutMs: 1_234,
        dueAt: START + 60_000,
        groupKey: 'user-9',
        groupConcurrency: 4,
        idempotencyKey: 'invoice-7',
        idempotencyUntil: START + 1_000,
      };
      assert.deepEqual(await bench.store.enqueue([job]), [{ id: 'given-id', deduped: false }]);
      assert.deepEqual(await bench.row('given-id'), {
        id: 'given-id',
        organizationId: 'acme',
        queue: 'invoices',
        status: 'scheduled',
        data: { to: 'user-9', deep: { list: [1, null, true, 1.5] }, text: 'Grüße 😀 "quoted"\n' },
        metadata: { source: 'import' },
        priority: 7,
        attempts: 0,
        maxAttempts: 9,
        backoff: { type: 'fixed', delayMs: 5, maxDelayMs: 50, jitter: 'none' },
        timeoutMs: 1_234,
        dueAt: START + 60_000,
        groupKey: 'user-9',
        idempotencyKey: 'invoice-7',
        progress: 0,
        claimedBy: null,
        lockedUntil: null,
        lastError: null,
        createdAt: START,
        updatedAt: START,
        finishedAt: null,
      });
    });

    for (const [delayMs, status] of [
      [-1, 'pending'],
      [0, 'pending'],
      [1, 'scheduled'],
    ] as const) {
      test(`a job that is due in ${delayMs} ms is ${status}`, async (bench) => {
        const id = await bench.enqueue({ dueAt: START + delayMs });
        assert.equal((await bench.row(id)).status, status);
        assert.equal((await bench.row(id)).dueAt, START + delayMs);
      });
    }

    for (const data of [null, false, 0, -1.5, '', 'text', [], [1, [2]], { a: {} }]) {
      test(`keeps ${JSON.stringify(data)} as data`, async (bench) => {
        const id = await bench.enqueue({ dataText: JSON.stringify(data) });
        assert.deepEqual((await bench.row(id)).data, data);
        assert.deepEqual((await bench.claimOne()).data, data);
      });
    }

    test('gives results in the order of the jobs, whatever their queues and keys', async (bench) => {
      const held = await bench.enqueue({ idempotencyKey: 'k' });
      const jobs = [
        bench.job({ queue: 'z' }),
        bench.job({ idempotencyKey: 'k' }),
        bench.job({ queue: 'a' }),
        bench.job({ idempotencyKey: 'other' }),
        bench.job(),
      ];
      const ids = jobs.map(({ id }) => id);
      assert.deepEqual(await bench.store.enqueue(jobs), [
        { id: ids[0], deduped: false },
        { id: held, deduped: true },
        { id: ids[2], deduped: false },
        { id: ids[3], deduped: false },
        { id: ids[4], deduped: false },
      ]);
      assert.equal(await bench.store.get(ids[1] as string), null);
    });

    test('takes none, and takes thousands in one call', async (bench) => {
      assert.deepEqual(await bench.store.enqueue([]), []);
      const jobs = Array.from({ length: 2_500 }, (_, at) => bench.job(at % 10 === 0 ? { idempotencyKey: `key-${at}` } : {}));
      const results = await bench.store.enqueue(jobs);
      assert.deepEqual(
        results,
        jobs.map(({ id }) => ({ id, deduped: false })),
      );
      const [stats] = await bench.store.stats();
      assert.equal(stats?.pending, 2_500);
    });

    test('stores all or none: an id that another job has takes the whole call with it', async (bench) => {
      const taken = await bench.enqueue({ data: 'first' });
      const before = await bench.row(taken);
      const good = bench.job();
      await assert.rejects(bench.store.enqueue([good, bench.job({ id: taken, data: 'second' }), bench.job()]));
      assert.deepEqual(await bench.rows(), [before]);
      // Without the bad one the rest is taken.
      await bench.store.enqueue([good]);
      assert.equal((await bench.rows()).length, 2);
    });

    test('stores all or none: an id given twice in one call', async (bench) => {
      const twice = bench.job();
      await assert.rejects(bench.store.enqueue([bench.job(), twice, { ...twice }]));
      assert.deepEqual(await bench.rows(), []);
      await bench.store.enqueue([twice]);
      assert.equal((await bench.rows()).length, 1);
    });

    test('gives copies: changing one changes no job', async (bench) => {
      const id = await bench.enqueue({ data: { list: [1] }, metadata: { a: 1 } });
      const row = await bench.row(id);
      (row.data as { list: number[] }).list.push(2);
      (row.metadata as Record<string, unknown>).a = 2;
      assert.deepEqual((await bench.row(id)).data, { list: [1] });
      assert.deepEqual((await bench.claimOne()).metadata, { a: 1 });
    });

    test('is seen by the other node', async (bench) => {
      const { id } = await bench.enqueued({}, undefined, bench.second);
      assert.equal((await bench.row(id)).status, 'pending');
      assert.equal((await bench.claimOne()).id, id);
    });
  });
}
