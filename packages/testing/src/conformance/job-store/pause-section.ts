import assert from 'node:assert/strict';
import { refusal } from '../refusal.js';
import { COMPLETED } from './held-job-claims.js';
import { type JobStoreConformanceOptions, jobSection, LEASE_MS, QUEUE } from './job-bench.js';

export function pauseSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'a paused queue', (test) => {
    test('gives nothing, to no node, until it is resumed; others go on', async (bench) => {
      const ids = await bench.fill(2);
      await bench.fill(1, { queue: 'sms' });
      await bench.store.setPaused(QUEUE, true);
      assert.deepEqual(await bench.claim(), []);
      assert.deepEqual(await bench.claim({ organizationId: 'default' }, bench.second), []);
      assert.equal((await bench.claim({ queue: 'sms' })).length, 1);
      await bench.second.setPaused(QUEUE, false);
      assert.deepEqual(await bench.claimIds(), ids);
    });

    test('is left out of a claim of several', async (bench) => {
      await bench.fill(2);
      const [sms] = await bench.fill(1, { queue: 'sms' });
      await bench.store.setPaused(QUEUE, true);
      const claimed = await bench.store.claim({
        workerId: 'worker-a',
        queues: [QUEUE, 'sms'].map((queue) => ({ queue, limit: 5, leaseMs: LEASE_MS })),
      });
      assert.deepEqual(
        claimed.map(({ id }) => id),
        [sms],
      );
    });

    test('lets running jobs end: they are renewed, acked and released as ever', async (bench) => {
      await bench.fill(3);
      const [first, second, third] = await bench.claim();
      await bench.store.setPaused(QUEUE, true);
      assert.deepEqual(await bench.store.renew([{ claim: first!, leaseMs: LEASE_MS }]), ['acked']);
      assert.equal(await bench.ack(first!, COMPLETED), 'acked');
      assert.deepEqual(await bench.store.release([second!]), ['acked']);
      assert.equal(await bench.ack(third!, { outcome: 'dead', error: 'x' }), 'acked');
      assert.deepEqual(await bench.claim(), []);
    });

    test('takes jobs, keeps their keys, and gives them once it is resumed', async (bench) => {
      await bench.store.setPaused(QUEUE, true);
      const id = await bench.enqueue({ idempotencyKey: 'k' });
      assert.equal((await bench.enqueued({ idempotencyKey: 'k' })).deduped, true);
      assert.equal((await bench.row(id)).status, 'pending');
      await bench.store.setPaused(QUEUE, false);
      assert.deepEqual(await bench.claimIds(), [id]);
    });

    test('may be paused twice and resumed twice', async (bench) => {
      await bench.enqueue();
      await Promise.all([bench.store.setPaused(QUEUE, true), bench.second.setPaused(QUEUE, true)]);
      await bench.store.setPaused(QUEUE, true);
      assert.deepEqual(await bench.claim(), []);
      await bench.store.setPaused(QUEUE, false);
      await bench.store.setPaused(QUEUE, false);
      assert.equal((await bench.claim()).length, 1);
    });

    test('is shown as such, empty or not, and only to those who ask for no organization or name it', async (bench) => {
      await bench.store.setPaused('empty', true);
      await bench.enqueue();
      await bench.store.setPaused(QUEUE, true);
      const shown = async (of: Parameters<typeof bench.store.stats>) =>
        (await bench.store.stats(...of)).map(({ queue, paused, pending }) => [queue, paused, pending]);
      assert.deepEqual(await shown([]), [
        ['empty', true, 0],
        [QUEUE, true, 1],
      ]);
      assert.deepEqual(await shown(['empty']), [['empty', true, 0]]);
      assert.deepEqual(await shown([undefined, { organizationId: 'default' }]), [[QUEUE, true, 1]]);
      assert.deepEqual(await shown([undefined, { organizationId: 'acme' }]), []);
      assert.deepEqual(await shown(['empty', { organizationId: 'acme' }]), [['empty', true, 0]]);
      assert.deepEqual(await shown([QUEUE, { organizationId: 'acme' }]), [[QUEUE, true, 0]]);
      assert.deepEqual(await shown(['another', { organizationId: 'acme' }]), []);
      await bench.store.setPaused('empty', false);
      await bench.store.setPaused(QUEUE, false);
      assert.deepEqual(await shown([]), [[QUEUE, false, 1]]);
    });

    test('is one with a name', async (bench) => {
      for (const queue of ['', 'a\0', 'x'.repeat(256)]) await refusal(() => bench.store.setPaused(queue, true));
    });
  });
}
