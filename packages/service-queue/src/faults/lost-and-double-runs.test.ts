import { JOB_LEASE_EXPIRED } from '@bellhop/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { heldHandler, queueBench, recordingHandler } from '../queue-bench.fixture.js';
import { NODE_STORES, twoNodes } from './two-nodes.fixture.js';

// Faults that other queues have had, each by what its users saw. Here: jobs that were lost, or run twice.

const LEASE_MS = 30_000;
const jobs = (count: number) => Array.from({ length: count }, (_, data) => ({ data }));

describe.each(NODE_STORES)('on %s', (name) => {
  let nodes: Awaited<ReturnType<typeof twoNodes>>;
  beforeEach(async () => {
    nodes = await twoNodes(name);
  });
  afterEach(() => nodes.end());

  test('a job whose process crashed is not lost for ever: it runs again when its lease ends, and a repeat of its key waits for it', async () => {
    const { one, clock } = nodes;
    const { handler, seen } = recordingHandler();
    one.service.subscribe('mail', handler);
    const { id } = await one.service.publish('mail', 1, { idempotencyKey: 'order-7' });
    await one.claimForDead('mail', LEASE_MS);
    expect(await one.worker.tick()).toBe(0);
    expect(await one.service.publish('mail', 1, { idempotencyKey: 'order-7' })).toMatchObject({ id, deduped: true });
    await clock.advance(LEASE_MS);
    expect(await one.worker.tick()).toBe(1);
    expect(seen).toMatchObject([{ id, attempt: 2 }]);
    expect(await one.job(id)).toMatchObject({ status: 'completed', attempts: 2 });
  });

  test('two workers that look at the same moment run no job twice', async () => {
    const { one, two } = nodes;
    const ran: string[] = [];
    for (const { service } of [one, two]) service.subscribe('mail', ({ id }) => void ran.push(id));
    const published = await one.service.publishMany('mail', jobs(10));
    const claimed = await Promise.all([one.worker.tick(), two.worker.tick()]);
    expect(claimed[0] + claimed[1]).toBe(10);
    expect(ran.toSorted()).toEqual(published.map(({ id }) => id).toSorted());
  });

  test('a job that ends its process each time is counted at the claim: it dies of its leases, and does not loop for ever', async () => {
    const { one, clock } = nodes;
    const { handler, seen } = recordingHandler();
    const { id } = await one.service.publish('mail', 'poison', { maxAttempts: 3 });
    for (const attempt of [1, 2, 3]) {
      expect(await one.claimForDead('mail', LEASE_MS)).toMatchObject([{ id, attempts: attempt }]);
      await clock.advance(LEASE_MS);
      expect(await one.worker.tick()).toBe(0);
    }
    one.service.subscribe('mail', handler);
    expect(await one.worker.tick()).toBe(0);
    expect(seen).toEqual([]);
    expect(await one.job(id)).toMatchObject({ status: 'dead', attempts: 3, lastError: JOB_LEASE_EXPIRED });
  });

  test('whoever lost a claim cannot settle the run of another', async () => {
    const { one, two, clock } = nodes;
    const { id } = await one.service.publish('mail', 1);
    const [late] = await one.claimForDead('mail', LEASE_MS);
    await clock.advance(LEASE_MS);
    await one.worker.tick();
    const [held] = await two.claimForDead('mail', LEASE_MS);
    if (!late || !held) throw new Error('Both were to claim it.');
    for (const result of [{ outcome: 'completed' }, { outcome: 'dead', error: 'late' }] as const) {
      expect(await one.memory.ack([{ claim: late, result }])).toEqual(['lost']);
    }
    expect(await one.memory.renew([{ claim: late, leaseMs: LEASE_MS }])).toEqual(['lost']);
    expect(await one.job(id)).toMatchObject({ status: 'running', attempts: 2, lockedUntil: held.lockedUntil });
    expect(await two.memory.ack([{ claim: held, result: { outcome: 'completed' } }])).toEqual(['acked']);
  });
});

test('a slow handler does not lose its lease while its process lives', async () => {
  const { service, worker, clock, job, claimForDead, stop } = queueBench();
  const { handler, runs } = heldHandler();
  service.subscribe('mail', handler, { leaseMs: LEASE_MS });
  const { id } = await service.publish('mail', 1);
  worker.start();
  await clock.advance(10 * LEASE_MS);
  expect(await claimForDead('mail')).toEqual([]);
  runs[0]?.end();
  await clock.advance(20);
  expect(await job(id)).toMatchObject({ status: 'completed', attempts: 1 });
  await stop();
});

test('a job that waits behind the others of its claim does not begin after its lease has ended', async () => {
  const { service, worker, clock, job, stop, claimForDead } = queueBench();
  const { handler, runs } = heldHandler();
  service.subscribe('mail', (message, ctx) => (message.data === 'quick' ? undefined : handler(message, ctx)), { concurrency: 1 });
  await service.publish('mail', 'quick');
  worker.start();
  await worker.settled();
  const published = await service.publishMany('mail', jobs(10));
  await clock.advance(20);
  for (let place = 0; place < 10; place += 1) {
    // Each takes longer than a lease: the last one would begin nine leases after its claim.
    await clock.advance(1.1 * LEASE_MS);
    expect(await claimForDead('mail')).toEqual([]);
    const now = clock.now();
    for (const { id } of published.slice(place)) {
      expect(await job(id)).toMatchObject({ status: 'running', attempts: 1 });
      expect((await job(id)).lockedUntil).toBeGreaterThan(now);
    }
    runs[place]?.end();
    await clock.advance(20);
  }
  expect(worker.counters()).toMatchObject({ completed: 11, lost: 0 });
  await stop();
});

test('one ack that fails does not strand the other jobs of its batch', async () => {
  const { service, worker, faults, clock, job, stop } = queueBench();
  service.subscribe('mail', () => {});
  const published = await service.publishMany('mail', jobs(5));
  const first = published[0]?.id;
  faults.fail({
    method: 'ack',
    kind: 'throw',
    times: Number.POSITIVE_INFINITY,
    when: ([acks]) => acks.some(({ claim }) => claim.id === first),
  });
  worker.start();
  await clock.advance(1_000);
  const statuses = await Promise.all(published.map(async ({ id }) => (await job(id)).status));
  expect(statuses).toEqual(['running', ...Array(4).fill('completed')]);
  await stop();
});

test('a stop does not return before its handlers are done, nor wait for them for ever, and hands back what had not begun', async () => {
  const { service, worker, clock, memory } = queueBench();
  const { handler, runs } = heldHandler();
  service.subscribe('mail', handler, { concurrency: 2 });
  const published = await service.publishMany('mail', jobs(2));
  worker.start();
  await clock.advance(0);
  let stopped = false;
  const stopping = worker.stop({ deadlineMs: 5_000 }).then(() => {
    stopped = true;
  });
  runs[0]?.end();
  await clock.advance(4_999);
  expect(stopped).toBe(false);
  await clock.advance(1_001);
  await stopping;
  const jobsAfter = await Promise.all(published.map(({ id }) => memory.get(id)));
  expect(jobsAfter).toMatchObject([
    { status: 'completed', attempts: 1 },
    { status: 'pending', attempts: 0, claimedBy: null },
  ]);
});

test('one slow queue does not block the others', async () => {
  const { service, worker, clock, stop } = queueBench();
  const { handler, runs } = heldHandler();
  const { handler: quick, data } = recordingHandler();
  service.subscribe('slow', handler);
  service.subscribe('quick', quick);
  await service.publishMany('slow', jobs(50));
  worker.start();
  await clock.advance(0);
  await service.publishMany('quick', jobs(3));
  await clock.advance(20);
  expect(runs).toHaveLength(10);
  expect(data()).toEqual([0, 1, 2]);
  await stop();
});

test('two handlers of one queue do not share a job: it goes to one of them, and its end is that one’s', async () => {
  const { service, worker, job, clock } = queueBench();
  const [first, second] = [recordingHandler(), recordingHandler()];
  service.subscribe('mail', first.handler, { concurrency: 1 });
  service.subscribe('mail', second.handler, { concurrency: 1 });
  const published = await service.publishMany('mail', jobs(6));
  worker.start();
  await clock.advance(1_000);
  expect([...first.data(), ...second.data()].toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
  for (const { id } of published) expect(await job(id)).toMatchObject({ status: 'completed', attempts: 1 });
  await worker.stop();
});
