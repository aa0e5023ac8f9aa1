import assert from 'node:assert/strict';
import { COMPLETED } from './held-job-claims.js';
import { type JobBench, type JobStoreConformanceOptions, jobSection, QUEUE, START } from './job-bench.js';

const ACME = { organizationId: 'acme' };
const OTHER = { organizationId: 'umbrella' };

export function replayAndPurgeSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'replay', (test) => {
    test('makes a dead job pending and due at once, with its attempts before it; its last error stays to be read', async (bench) => {
      const id = await bench.deadJob({ priority: 7, maxAttempts: 1, metadata: { a: 1 } });
      const dead = await bench.row(id);
      await bench.clock.advance(3_000);
      assert.equal(await bench.store.replay(id), true);
      assert.deepEqual(await bench.row(id), {
        ...dead,
        status: 'pending',
        attempts: 0,
        dueAt: START + 3_000,
        updatedAt: START + 3_000,
        finishedAt: null,
      });
      assert.equal((await bench.claimOne()).attempts, 1);
    });

    test('puts the job behind those that wait already', async (bench) => {
      const dead = await bench.deadJob();
      await bench.clock.advance(10);
      const waiting = await bench.enqueue();
      await bench.clock.advance(10);
      await bench.store.replay(dead);
      assert.deepEqual(await bench.claimIds(), [waiting, dead]);
    });

    test('does nothing to a job that is not dead, and says so', async (bench) => {
      const ids = [await bench.enqueue({ queue: 'sms' }), await bench.enqueue({ dueAt: START + 9 })];
      ids.push(await bench.enqueue());
      await bench.ack(await bench.claimOne(), COMPLETED);
      const cancelled = await bench.enqueue();
      await bench.store.cancel(cancelled);
      const before = await bench.rows();
      for (const id of [...ids, cancelled, 'unknown']) assert.equal(await bench.store.replay(id), false);
      assert.deepEqual(await bench.rows(), before);
    });

    test('finds nothing for another organization (control: its own does)', async (bench) => {
      const id = await bench.deadJob(ACME);
      assert.equal(await bench.store.replay(id, OTHER), false);
      assert.equal((await bench.row(id)).status, 'dead');
      assert.equal(await bench.store.replay(id, ACME), true);
    });

    test('is taken once by two nodes at once', async (bench) => {
      const id = await bench.deadJob();
      const replayed = await Promise.all([bench.store.replay(id), bench.second.replay(id)]);
      assert.deepEqual([...replayed].sort(), [false, true]);
    });
  });

  jobSection(options, 'replayAll', (test) => {
    test('replays every dead job of the queue, and says how many', async (bench) => {
      const dead = [await bench.deadJob(), await bench.deadJob(ACME)];
      const elsewhere = await bench.deadJob({ queue: 'sms' });
      await bench.clock.advance(5);
      assert.equal(await bench.store.replayAll(QUEUE), 2);
      for (const id of dead) {
        const row = await bench.row(id);
        assert.deepEqual([row.status, row.attempts, row.dueAt, row.finishedAt], ['pending', 0, START + 5, null]);
      }
      assert.equal((await bench.row(elsewhere)).status, 'dead');
      assert.equal(await bench.store.replayAll(QUEUE), 0);
    });

    test('replays those of one organization alone', async (bench) => {
      const [own, other] = [await bench.deadJob(ACME), await bench.deadJob(OTHER)];
      assert.equal(await bench.store.replayAll(QUEUE, { organizationId: 'nobody' }), 0);
      assert.equal(await bench.store.replayAll(QUEUE, ACME), 1);
      assert.deepEqual([(await bench.row(own)).status, (await bench.row(other)).status], ['pending', 'dead']);
    });

    test('replays thousands', async (bench) => {
      await kill(bench, 2_500);
      assert.equal(await bench.store.replayAll(QUEUE), 2_500);
      const [stats] = await bench.store.stats();
      assert.deepEqual([stats?.pending, stats?.dead], [2_500, 0]);
    });
  });

  jobSection(options, 'purge', (test) => {
    test('removes the scheduled and the pending jobs of the queue, and no others', async (bench) => {
      const dead = await bench.deadJob();
      const running = await bench.enqueue();
      await bench.claimOne();
      const elsewhere = await bench.enqueue({ queue: 'sms' });
      const gone = [await bench.enqueue(), await bench.enqueue({ dueAt: START + 9 }), await bench.enqueue(ACME)];
      assert.equal(await bench.store.purge(QUEUE), 3);
      for (const id of gone) assert.equal(await bench.store.get(id), null);
      assert.deepEqual(
        (await bench.rows()).map(({ id }) => id),
        [dead, running, elsewhere],
      );
      assert.deepEqual(await bench.claim(), []);
      assert.equal((await bench.store.survey({ queues: [] })).nextDueAt, undefined);
      assert.equal(await bench.store.purge(QUEUE), 0);
    });

    test('removes those of one organization alone', async (bench) => {
      const [own, other] = [await bench.enqueue(ACME), await bench.enqueue(OTHER)];
      assert.equal(await bench.store.purge(QUEUE, { organizationId: 'nobody' }), 0);
      assert.equal(await bench.store.purge(QUEUE, ACME), 1);
      assert.equal(await bench.store.get(own), null);
      assert.equal((await bench.row(other)).status, 'pending');
    });

    test('removes thousands', async (bench) => {
      await bench.fill(2_500);
      assert.equal(await bench.store.purge(QUEUE), 2_500);
      assert.deepEqual(await bench.store.stats(), []);
    });
  });

  jobSection(options, 'purgeFailed', (test) => {
    test('removes a dead job, and no other', async (bench) => {
      const dead = await bench.deadJob();
      const pending = await bench.enqueue();
      assert.equal(await bench.store.purgeFailed(pending), false);
      assert.equal(await bench.store.purgeFailed('unknown'), false);
      assert.equal(await bench.store.purgeFailed(dead), true);
      assert.equal(await bench.store.purgeFailed(dead), false);
      assert.deepEqual(
        (await bench.rows()).map(({ id }) => id),
        [pending],
      );
    });

    test('finds nothing for another organization (control: its own does)', async (bench) => {
      const id = await bench.deadJob(ACME);
      assert.equal(await bench.store.purgeFailed(id, OTHER), false);
      assert.equal((await bench.row(id)).status, 'dead');
      assert.equal(await bench.store.purgeFailed(id, ACME), true);
    });
  });
}

async function kill(bench: JobBench, count: number): Promise<void> {
  await bench.fill(count);
  for (let killed = 0; killed < count; ) {
    const claims = await bench.claim({ limit: 1_000 });
    await bench.store.ack(claims.map((claim) => ({ claim, result: { outcome: 'dead', error: 'gone' } })));
    killed += claims.length;
    assert.notEqual(claims.length, 0);
  }
}
