import assert from 'node:assert/strict';
import type { Transaction } from '@bellhop/contracts';
import { skip } from '../conformance-api.js';
import { JobBench, type JobStoreConformanceOptions, START } from './job-bench.js';

type Transact = <T>(fn: (trx: Transaction) => Promise<T>) => Promise<T>;

/** Enqueue inside the caller's transaction; only where the store under test offers one. */
export function jobTransactionSection({ api, create }: JobStoreConformanceOptions): void {
  api.describe('enqueue in a transaction', () => {
    let bench: JobBench;
    api.beforeEach(async () => {
      bench = await JobBench.open(create);
    });
    api.afterEach(() => bench.close());

    const test = (title: string, body: (transaction: Transact) => Promise<void>): void =>
      api.it(title, async (context) => {
        const { transaction } = bench;
        if (!transaction) return skip(context, 'the store under test offers no transaction');
        await body(transaction);
      });

    test('is there after the commit, and claimable', async (transaction) => {
      const ids = await transaction(async (trx) => [
        await bench.enqueue({}, { trx }),
        await bench.enqueue({ dueAt: START + 5, idempotencyKey: 'k' }, { trx }),
      ]);
      assert.deepEqual(await bench.statuses(), ['pending', 'scheduled']);
      assert.deepEqual(await bench.claimIds(), [ids[0]]);
    });

    test('is not there after a rollback, and holds no key (control: after a commit it does)', async (transaction) => {
      const failure = new Error('rolled back');
      await assert.rejects(
        transaction(async (trx) => {
          await bench.enqueue({ idempotencyKey: 'k' }, { trx });
          await bench.store.enqueue([bench.job(), bench.job()], { trx });
          throw failure;
        }),
        failure,
      );
      assert.deepEqual(await bench.rows(), []);
      assert.deepEqual(await bench.claim(), []);
      const id = await transaction((trx) => bench.enqueue({ idempotencyKey: 'k' }, { trx }));
      assert.equal(await bench.enqueue({ idempotencyKey: 'k' }), id);
      assert.equal((await bench.rows()).length, 1);
    });

    test('stores no second job for a key that is held, before or within the transaction', async (transaction) => {
      const held = await bench.enqueue({ idempotencyKey: 'held' });
      await transaction(async (trx) => {
        const results = [
          await bench.enqueued({ idempotencyKey: 'held' }, { trx }),
          await bench.enqueued({ idempotencyKey: 'fresh' }, { trx }),
          await bench.enqueued({ idempotencyKey: 'fresh' }, { trx }),
        ];
        // A store whose transaction is one batch of writes knows nothing before the commit, and says so.
        if (results.every(({ deduped }) => deduped === null)) return;
        assert.equal(results[0]?.id, held);
        assert.equal(results[2]?.id, results[1]?.id);
        assert.deepEqual(
          results.map(({ deduped }) => deduped),
          [true, false, true],
        );
      });
      const rows = await bench.rows();
      assert.deepEqual(
        rows.map(({ idempotencyKey }) => idempotencyKey),
        ['held', 'fresh'],
      );
      assert.equal(rows[0]?.id, held);
    });

    test('joins it with all the jobs of a call, in their order', async (transaction) => {
      const jobs = [bench.job(), bench.job({ queue: 'sms' }), bench.job()];
      const results = await transaction((trx) => bench.store.enqueue(jobs, { trx }));
      assert.deepEqual(
        results.map(({ id }) => id),
        jobs.map(({ id }) => id),
      );
      assert.deepEqual(
        (await bench.rows()).map(({ id }) => id),
        jobs.map(({ id }) => id),
      );
    });
  });
}
