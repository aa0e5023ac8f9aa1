import assert from 'node:assert/strict';
import type { JobSurvey, JobSurveyOptions } from '@bellhop/contracts';
import { refusal } from '../refusal.js';
import { COMPLETED } from './held-job-claims.js';
import { type JobBench, type JobStoreConformanceOptions, jobSection, LEASE_MS, QUEUE, START } from './job-bench.js';

const NOTHING: JobSurvey = { expired: false, promotable: false, claimable: [] };

export function jobSurveySection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'survey', (test) => {
    test('of an empty store says that there is nothing', async (bench) => {
      assert.deepEqual(await survey(bench), NOTHING);
    });

    test('names the queues of the call that hold a pending job, each once', async (bench) => {
      await bench.enqueue();
      await bench.enqueue({ queue: 'sms', organizationId: 'acme' });
      await bench.enqueue({ queue: 'unasked' });
      assert.deepEqual(await survey(bench), { ...NOTHING, claimable: [QUEUE] });
      const queues = [
        { queue: 'sms', organizationId: 'acme' },
        { queue: 'empty' },
        { queue: QUEUE },
        { queue: 'sms', organizationId: 'umbrella' },
        { queue: 'sms' },
      ];
      assert.deepEqual((await survey(bench, { queues })).claimable, [QUEUE, 'sms']);
      assert.deepEqual(await survey(bench, { queues: [] }), NOTHING);
    });

    test('looks at the jobs of the organization it was given alone', async (bench) => {
      await bench.enqueue({ organizationId: 'acme' });
      const asked = async (organizationId: string) => (await survey(bench, { queues: [{ queue: QUEUE, organizationId }] })).claimable;
      assert.deepEqual(await asked('acme'), [QUEUE]);
      assert.deepEqual(await asked('acm'), []);
      assert.deepEqual(await asked('acmeX'), []);
      assert.deepEqual(await asked('default'), []);
    });

    test('says promotable from the due time of a scheduled job on, and until then when it comes', async (bench) => {
      await bench.enqueue({ dueAt: START + 5 });
      assert.deepEqual(await survey(bench), { ...NOTHING, nextDueAt: START + 5 });
      await bench.clock.advance(5);
      assert.deepEqual(await survey(bench), { ...NOTHING, promotable: true });
      await bench.store.promote({ limit: 10 });
      assert.deepEqual(await survey(bench), { ...NOTHING, claimable: [QUEUE] });
    });

    test('gives as nextDueAt the earliest scheduled job that is due strictly later, whatever its queue', async (bench) => {
      await bench.enqueue({ dueAt: START + 300 });
      await bench.enqueue({ dueAt: START + 200, queue: 'unasked', organizationId: 'acme' });
      assert.deepEqual(await survey(bench), { ...NOTHING, nextDueAt: START + 200 });
      await bench.clock.advance(200);
      assert.deepEqual(await survey(bench), { ...NOTHING, promotable: true, nextDueAt: START + 300 });
      await bench.clock.advance(100);
      assert.deepEqual(await survey(bench), { ...NOTHING, promotable: true });
    });

    test('counts retries and snoozes as due later', async (bench) => {
      await bench.fill(2);
      const [first, second] = await bench.claim();
      await bench.ack(first!, { outcome: 'retry', error: 'x', dueAt: START + 90 });
      assert.deepEqual(await survey(bench), { ...NOTHING, nextDueAt: START + 90, nextExpiryAt: START + LEASE_MS });
      await bench.ack(second!, { outcome: 'snooze', dueAt: START + 80 });
      assert.deepEqual(await survey(bench), { ...NOTHING, nextDueAt: START + 80 });
    });

    test('gives as nextExpiryAt when the next live lease expires, and says expired from then on, whatever the queue', async (bench) => {
      await bench.enqueue({ queue: 'unasked' });
      await bench.claimOne({ queue: 'unasked', leaseMs: 9_000 });
      await bench.enqueue();
      await bench.claimOne({ leaseMs: 4_000 });
      assert.deepEqual(await survey(bench), { ...NOTHING, nextExpiryAt: START + 4_000 });
      await bench.clock.advance(3_999);
      assert.deepEqual(await survey(bench), { ...NOTHING, nextExpiryAt: START + 4_000 });
      await bench.clock.advance(1);
      assert.deepEqual(await survey(bench), { ...NOTHING, expired: true, nextExpiryAt: START + 9_000 });
      await bench.clock.advance(5_000);
      assert.deepEqual(await survey(bench), { ...NOTHING, expired: true });
      await bench.store.reclaim({ limit: 10 });
      assert.deepEqual(await survey(bench), { ...NOTHING, claimable: [QUEUE] });
    });

    test('follows a renewed lease', async (bench) => {
      await bench.enqueue();
      const claim = await bench.claimOne();
      await bench.clock.advance(10);
      await bench.store.renew([{ claim, leaseMs: LEASE_MS }]);
      assert.deepEqual(await survey(bench), { ...NOTHING, nextExpiryAt: START + 10 + LEASE_MS });
    });

    test('says nothing of jobs that have ended', async (bench) => {
      await bench.deadJob();
      await bench.enqueue();
      await bench.ack(await bench.claimOne(), COMPLETED);
      await bench.store.cancel(await bench.enqueue({ dueAt: START + 5 }));
      await bench.store.cancel(await bench.enqueue());
      assert.deepEqual(await survey(bench), NOTHING);
      await bench.clock.advance(LEASE_MS);
      assert.deepEqual(await survey(bench), NOTHING);
    });

    test('leaves out paused queues (control: until they are resumed), but not what is due or expired in them', async (bench) => {
      await bench.enqueue();
      await bench.claimOne();
      await bench.enqueue();
      await bench.enqueue({ dueAt: START + 50 });
      await bench.store.setPaused(QUEUE, true);
      const times = { nextDueAt: START + 50, nextExpiryAt: START + LEASE_MS };
      assert.deepEqual(await survey(bench), { ...NOTHING, ...times });
      await bench.store.setPaused(QUEUE, false);
      assert.deepEqual(await survey(bench), { ...NOTHING, ...times, claimable: [QUEUE] });
      await bench.store.setPaused(QUEUE, true);
      await bench.clock.advance(LEASE_MS);
      assert.deepEqual(await survey(bench), { ...NOTHING, promotable: true, expired: true });
    });

    test('uses the time it was given, and writes nothing', async (bench) => {
      await bench.fill(2);
      await bench.claimOne({ limit: 1 });
      await bench.enqueue({ dueAt: START + 50 });
      const before = await bench.rows();
      assert.deepEqual(await survey(bench, { now: START + LEASE_MS }), {
        expired: true,
        promotable: true,
        claimable: [QUEUE],
      });
      assert.deepEqual(await survey(bench, { now: START + 49 }), {
        ...NOTHING,
        claimable: [QUEUE],
        nextDueAt: START + 50,
        nextExpiryAt: START + LEASE_MS,
      });
      assert.deepEqual(await bench.rows(), before);
    });

    test('sees what another node did', async (bench) => {
      await bench.enqueued({}, undefined, bench.second);
      assert.deepEqual(await survey(bench), { ...NOTHING, claimable: [QUEUE] });
      await bench.claimOne({ workerId: 'worker-b' }, bench.second);
      assert.deepEqual(await survey(bench), { ...NOTHING, nextExpiryAt: START + LEASE_MS });
      await bench.enqueue();
      await bench.second.setPaused(QUEUE, true);
      assert.deepEqual(await survey(bench), { ...NOTHING, nextExpiryAt: START + LEASE_MS });
    });

    test('refuses a queue or an organization that is no name, and no time', async (bench) => {
      await refusal(() => survey(bench, { queues: [{ queue: '' }] }));
      await refusal(() => survey(bench, { queues: [{ queue: QUEUE, organizationId: '' }] }));
      await refusal(() => survey(bench, { now: Number.NaN }));
    });
  });
}

/** The survey without the fields that say nothing, its queues in the order of their names. */
async function survey(bench: JobBench, options: Partial<JobSurveyOptions> = {}): Promise<JobSurvey> {
  const seen = await bench.store.survey({ queues: [{ queue: QUEUE }], ...options });
  const { expired, promotable, nextDueAt, nextExpiryAt } = seen;
  return {
    expired,
    promotable,
    claimable: [...seen.claimable].sort(),
    ...(nextDueAt === undefined ? {} : { nextDueAt }),
    ...(nextExpiryAt === undefined ? {} : { nextExpiryAt }),
  };
}
