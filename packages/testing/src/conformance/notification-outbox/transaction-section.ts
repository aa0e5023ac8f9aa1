import assert from 'node:assert/strict';
import { skip } from '../conformance-api.js';
import { type NotificationOutboxConformanceOptions, OutboxBench } from './outbox-bench.js';

/** Enqueue inside the caller's transaction; only where the outbox under test offers one. */
export function transactionSection({ api, create }: NotificationOutboxConformanceOptions): void {
  api.describe('enqueue in a transaction', () => {
    let bench: OutboxBench;
    api.beforeEach(async () => {
      bench = await OutboxBench.open(create);
    });
    api.afterEach(() => bench.close());

    const test = (title: string, body: (transaction: NonNullable<OutboxBench['transaction']>) => Promise<void>): void =>
      api.it(title, async (context) => {
        const { transaction } = bench;
        if (!transaction) return skip(context, 'the outbox under test offers no transaction');
        await body(transaction);
      });

    test('is there after the commit, and claimable', async (transaction) => {
      const id = await transaction((trx) => bench.outbox.enqueue(bench.input(), { trx }));
      assert.deepEqual(
        (await bench.claim()).map((row) => row.id),
        [id],
      );
    });

    test('is not there after a rollback', async (transaction) => {
      const failure = new Error('rolled back');
      await assert.rejects(
        transaction(async (trx) => {
          await bench.outbox.enqueue(bench.input(), { trx });
          throw failure;
        }),
        failure,
      );
      assert.deepEqual(await bench.rows(), []);
    });

    test('writes no second row for a target that is taken, before or within the transaction', async (transaction) => {
      const first = await bench.enqueue({ notificationId: 'event-x' });
      await transaction(async (trx) => {
        await bench.outbox.enqueue(bench.input({ notificationId: 'event-x' }), { trx });
        await bench.outbox.enqueue(bench.input({ notificationId: 'event-y' }), { trx });
        await bench.outbox.enqueue(bench.input({ notificationId: 'event-y' }), { trx });
      });
      const rows = await bench.rows();
      assert.deepEqual(
        rows.map((row) => row.notificationId),
        ['event-x', 'event-y'],
      );
      assert.equal(rows[0]?.id, first);
    });

    test('enqueueMany joins it with all its rows', async (transaction) => {
      const { enqueueMany } = bench.outbox;
      if (!enqueueMany) return;
      const inputs = [bench.input(), bench.input()];
      await assert.rejects(
        transaction(async (trx) => {
          await enqueueMany.call(bench.outbox, inputs, { trx });
          throw new Error('rolled back');
        }),
      );
      assert.deepEqual(await bench.rows(), []);
      const ids = await transaction((trx) => enqueueMany.call(bench.outbox, inputs, { trx }));
      assert.deepEqual(
        (await bench.rows()).map((row) => row.id),
        ids,
      );
    });
  });
}
