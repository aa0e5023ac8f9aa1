import assert from 'node:assert/strict';
import { refusal } from '../refusal.js';
import { type JobStoreConformanceOptions, jobSection, START } from './job-bench.js';

const ACME = { organizationId: 'acme' };
const OTHER = { organizationId: 'umbrella' };

export function manageSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'get', (test) => {
    test('finds a job by its id, for everybody or for its own organization; nothing for another', async (bench) => {
      const id = await bench.enqueue(ACME);
      assert.equal((await bench.store.get(id))?.id, id);
      assert.deepEqual(await bench.store.get(id, ACME), await bench.store.get(id));
      assert.equal(await bench.store.get(id, OTHER), null);
      assert.equal(await bench.store.get('unknown'), null);
    });
  });

  jobSection(options, 'cancel', (test) => {
    test('ends a pending and a scheduled job; they never run', async (bench) => {
      const ids = [await bench.enqueue(), await bench.enqueue({ dueAt: START + 5 })];
      const before = await bench.rows();
      await bench.clock.advance(3);
      for (const id of ids) assert.equal(await bench.store.cancel(id), true);
      assert.deepEqual(
        await bench.rows(),
        before.map((row) => ({ ...row, status: 'cancelled', updatedAt: START + 3, finishedAt: START + 3 })),
      );
      await bench.clock.advance(5);
      assert.deepEqual(await bench.promoteAndClaim(), []);
    });

    test('does nothing to one that runs or has ended, and says so', async (bench) => {
      const dead = await bench.deadJob();
      const running = await bench.enqueue();
      await bench.claimOne();
      const before = await bench.rows();
      for (const id of [dead, running, 'unknown']) assert.equal(await bench.store.cancel(id), false);
      assert.deepEqual(await bench.rows(), before);
    });

    test('finds nothing for another organization (control: its own does)', async (bench) => {
      const id = await bench.enqueue(ACME);
      const before = await bench.rows();
      assert.equal(await bench.store.cancel(id, OTHER), false);
      assert.deepEqual(await bench.rows(), before);
      assert.equal(await bench.store.cancel(id, ACME), true);
    });

    test('and a claim at once: one of them has the job', async (bench) => {
      for (let trial = 0; trial < 10; trial += 1) {
        const id = await bench.enqueue();
        const [cancelled, claimed] = await Promise.all([bench.store.cancel(id), bench.claim({}, bench.second)]);
        assert.equal(claimed.length, cancelled ? 0 : 1);
        assert.equal((await bench.row(id)).status, cancelled ? 'cancelled' : 'running');
      }
    });
  });

  jobSection(options, 'reschedule', (test) => {
    test('moves a pending job into the future, and a scheduled one to now', async (bench) => {
      const [pending, scheduled] = [await bench.enqueue(), await bench.enqueue({ dueAt: START + 500 })];
      await bench.clock.advance(3);
      assert.equal(await bench.store.reschedule(pending, START + 100), true);
      assert.equal(await bench.store.reschedule(scheduled, START + 3), true);
      assert.deepEqual(
        (await bench.rows()).map(({ status, dueAt, attempts, updatedAt }) => [status, dueAt, attempts, updatedAt]),
        [
          ['scheduled', START + 100, 0, START + 3],
          ['pending', START + 3, 0, START + 3],
        ],
      );
      assert.deepEqual(await bench.claimIds(), [scheduled]);
      await bench.clock.advance(97);
      assert.deepEqual(
        (await bench.promoteAndClaim()).map(({ id }) => id),
        [pending],
      );
    });

    test('gives the job the place of its time', async (bench) => {
      const [first, second] = await bench.fill(2);
      await bench.store.reschedule(second!, START - 1);
      assert.deepEqual(await bench.claimIds(), [second, first]);
    });

    test('moves a job to where the survey sees it', async (bench) => {
      const id = await bench.enqueue({ dueAt: START + 500 });
      await bench.store.reschedule(id, START + 700);
      assert.equal((await bench.store.survey({ queues: [] })).nextDueAt, START + 700);
      await bench.store.reschedule(id, START + 300);
      assert.equal((await bench.store.survey({ queues: [] })).nextDueAt, START + 300);
    });

    test('does nothing to one that runs or has ended, and says so', async (bench) => {
      const dead = await bench.deadJob();
      const running = await bench.enqueue();
      await bench.claimOne();
      const before = await bench.rows();
      for (const id of [dead, running, 'unknown']) assert.equal(await bench.store.reschedule(id, START + 9), false);
      assert.deepEqual(await bench.rows(), before);
    });

    test('finds nothing for another organization (control: its own does)', async (bench) => {
      const id = await bench.enqueue(ACME);
      const before = await bench.rows();
      assert.equal(await bench.store.reschedule(id, START + 9, OTHER), false);
      assert.deepEqual(await bench.rows(), before);
      assert.equal(await bench.store.reschedule(id, START + 9, ACME), true);
    });

    test('refuses what is no time', async (bench) => {
      const id = await bench.enqueue();
      const before = await bench.row(id);
      for (const at of [Number.NaN, -1, 1.5, Number.POSITIVE_INFINITY]) await refusal(() => bench.store.reschedule(id, at));
      assert.deepEqual(await bench.row(id), before);
    });
  });
}
