/** What consumers do with the jobs that they pulled. */
import type { ClaimedJob } from '@bellhop/contracts';
import { describe, expect, it } from 'vitest';
import { pullBench, turns } from './pull-bench.fixture.js';

async function pulled(options: Parameters<ReturnType<typeof pullBench>['publish']>[2] = {}) {
  const bench = pullBench();
  const id = await bench.publish('mail', { to: 'ada' }, options);
  const [job] = (await bench.pull.claim('mail', { organizationId: 'acme' })) as [ClaimedJob];
  return { ...bench, id, job, claimToken: job.claimToken };
}

describe('a pulled job', () => {
  it('is held by its token, with its data, attempt and lease', async () => {
    const { job, id, clock } = await pulled({ metadata: { from: 'shop' } });
    expect(job).toMatchObject({
      id,
      data: { to: 'ada' },
      metadata: { from: 'shop' },
      attempts: 1,
      claimedBy: 'pull',
      lockedUntil: clock.now() + 30_000,
    });
    expect(job.claimToken.length).toBeGreaterThan(8);
  });

  it('is completed once: a second time the claim is lost', async () => {
    const { pull, id, claimToken, job } = await pulled();
    expect(await pull.complete(id, 'acme', { claimToken })).toEqual({ status: 'completed' });
    await expect(pull.complete(id, 'acme', { claimToken })).rejects.toMatchObject({ code: 'CLAIM_LOST' });
    expect(job.id).toBe(id);
    expect(pull.counters()).toMatchObject({ claimed: 1, completed: 1, lost: 1, waiting: 0 });
  });

  it('is kept by heartbeats, which note its progress', async () => {
    const { pull, id, claimToken, clock, memory } = await pulled();
    await clock.advance(29_000);
    const { lockedUntil } = await pull.heartbeat(id, 'acme', { claimToken, leaseMs: 60_000, progress: 40.9 });
    expect(lockedUntil).toBe(clock.now() + 60_000);
    expect(await memory.get(id)).toMatchObject({ lockedUntil, progress: 40 });
    await clock.advance(59_999);
    expect(await memory.reclaim({ limit: 10 })).toBe(0);
    await clock.advance(1);
    expect(await memory.reclaim({ limit: 10 })).toBe(1);
    await expect(pull.heartbeat(id, 'acme', { claimToken })).rejects.toMatchObject({ code: 'CLAIM_LOST' });
  });

  it('that fails with a long error is logged with as much of it as is kept', async () => {
    const { pull, id, claimToken, memory, logged } = await pulled();
    await pull.fail(id, 'acme', { claimToken, error: 'x'.repeat(700_000) });
    expect((await memory.get(id))?.lastError).toHaveLength(8 * 1024);
    expect(logged.join()).toMatch(/job failed.*x{8192}/);
    expect(logged.join().length).toBeLessThan(9_000);
  });

  it('comes back when its lease expires, and its late consumer changes nothing', async () => {
    const { pull, id, claimToken, clock, memory } = await pulled();
    await clock.advance(30_000);
    await memory.reclaim({ limit: 10 });
    const [again] = (await pull.claim('mail', { organizationId: 'acme' })) as [ClaimedJob];
    expect(again).toMatchObject({ id, attempts: 2, lastError: 'lease expired' });
    for (const settle of [
      () => pull.complete(id, 'acme', { claimToken }),
      () => pull.fail(id, 'acme', { claimToken, error: 'late' }),
      () => pull.release(id, 'acme', { claimToken }),
      () => pull.release(id, 'acme', { claimToken, delayMs: 5 }),
      () => pull.heartbeat(id, 'acme', { claimToken, progress: 1 }),
    ]) {
      await expect(settle()).rejects.toMatchObject({ code: 'CLAIM_LOST' });
    }
    expect(await memory.get(id)).toMatchObject({ status: 'running', attempts: 2, progress: 0 });
    expect(await pull.complete(id, 'acme', { claimToken: again.claimToken })).toEqual({ status: 'completed' });
  });

  it('that fails waits out its backoff, and is dead after its last attempt', async () => {
    const { pull, id, claimToken, clock, memory, logged } = await pulled({
      maxAttempts: 2,
      backoff: { type: 'fixed', delayMs: 4_000, jitter: 'none' },
    });
    const dueAt = clock.now() + 4_000;
    expect(await pull.fail(id, 'acme', { claimToken, error: 'busy' })).toEqual({ status: 'scheduled', dueAt });
    expect(await memory.get(id)).toMatchObject({ status: 'scheduled', dueAt, lastError: 'busy' });
    const waiting = pull.claim('mail', { organizationId: 'acme', waitMs: 10_000 });
    await clock.advance(4_000);
    const [again] = (await waiting) as [ClaimedJob];
    expect(again.attempts).toBe(2);
    expect(await pull.fail(id, 'acme', { claimToken: again.claimToken, error: 'still busy' })).toEqual({ status: 'dead', dueAt: null });
    expect(await memory.get(id)).toMatchObject({ status: 'dead', lastError: 'still busy' });
    expect(logged.filter((line) => line.startsWith('job failed'))).toHaveLength(2);
    expect(logged.join()).not.toContain('ada');
    expect(pull.counters()).toMatchObject({ retried: 1, dead: 1 });
  });

  it('that fails for good is dead at once, and one that says when is due then', async () => {
    const one = await pulled();
    expect(await one.pull.fail(one.id, 'acme', { claimToken: one.claimToken, error: 'no such mailbox', permanent: true })).toEqual({
      status: 'dead',
      dueAt: null,
    });
    const other = await pulled();
    const dueAt = other.clock.now() + 60_000;
    expect(await other.pull.fail(other.id, 'acme', { claimToken: other.claimToken, error: 'later', retryDelayMs: 60_000 })).toEqual({
      status: 'scheduled',
      dueAt,
    });
    const third = await pulled();
    expect(await third.pull.fail(third.id, 'acme', { claimToken: third.claimToken, error: 'again', retryDelayMs: 0 })).toMatchObject({
      status: 'pending',
    });
  });

  it('that is released is as it was, or due later; its attempt does not count', async () => {
    const { pull, id, claimToken, memory, clock } = await pulled();
    expect(await pull.release(id, 'acme', { claimToken })).toMatchObject({ status: 'pending' });
    expect(await memory.get(id)).toMatchObject({ status: 'pending', attempts: 0 });
    const [again] = (await pull.claim('mail', { organizationId: 'acme' })) as [ClaimedJob];
    const dueAt = clock.now() + 5_000;
    expect(await pull.release(id, 'acme', { claimToken: again.claimToken, delayMs: 5_000 })).toEqual({ status: 'scheduled', dueAt });
    expect(await memory.get(id)).toMatchObject({ status: 'scheduled', attempts: 0, dueAt });
  });

  it('that ends lets the next of its limited group go to whoever waits', async () => {
    const { pull, id, claimToken, publish } = await pulled({ groupKey: 'one at a time', groupConcurrency: 1 });
    const next = await publish('mail', 'next', { groupKey: 'one at a time', groupConcurrency: 1 });
    const waiting = pull.claim('mail', { organizationId: 'acme', waitMs: 10_000 });
    await turns();
    expect(pull.counters().waiting).toBe(1);
    await pull.complete(id, 'acme', { claimToken });
    expect(await waiting).toMatchObject([{ id: next }]);
  });

  it("is nobody's but its organization's: for another it does not exist, token or not", async () => {
    const { pull, id, claimToken, memory } = await pulled();
    for (const settle of [
      () => pull.complete(id, 'umbrella', { claimToken }),
      () => pull.fail(id, 'umbrella', { claimToken, error: 'x' }),
      () => pull.release(id, 'umbrella', { claimToken }),
      () => pull.heartbeat(id, 'umbrella', { claimToken }),
      () => pull.complete('nothing', 'acme', { claimToken }),
    ]) {
      await expect(settle()).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' });
    }
    expect(await memory.get(id)).toMatchObject({ status: 'running' });
  });
});

describe('bad input', () => {
  const { pull } = pullBench();
  const claim = (input: object) => pull.claim('mail', { organizationId: 'acme', ...input } as never);
  const token = { claimToken: 'token' };
  it.each<[string, () => Promise<unknown>, string]>([
    ['a limit of 0', () => claim({ limit: 0 }), 'limit'],
    ['a limit past its bound', () => claim({ limit: 101 }), 'limit'],
    ['a limit that is NaN', () => claim({ limit: Number.NaN }), 'limit'],
    ['a lease that is too short', () => claim({ leaseMs: 999 }), 'leaseMs'],
    ['a wait that is too long', () => claim({ waitMs: 30_001 }), 'waitMs'],
    ['a wait below 0', () => claim({ waitMs: -1 }), 'waitMs'],
    ['an unknown field', () => claim({ wait: 1 }), 'wait'],
    ['an empty queue', () => pull.claim('', { organizationId: 'acme' }), 'queue'],
    ['no token', () => pull.complete('id', 'acme', {} as never), 'claimToken'],
    ['an empty token', () => pull.complete('id', 'acme', { claimToken: '' }), 'claimToken'],
    ['U+0000 in a token', () => pull.heartbeat('id', 'acme', { claimToken: 'a\0' }), 'claimToken'],
    ['progress past 100', () => pull.heartbeat('id', 'acme', { ...token, progress: 101 }), 'progress'],
    ['progress that is NaN', () => pull.heartbeat('id', 'acme', { ...token, progress: Number.NaN }), 'progress'],
    ['no error', () => pull.fail('id', 'acme', token as never), 'error'],
    ['U+0000 in an error', () => pull.fail('id', 'acme', { ...token, error: '\0' }), 'error'],
    ['permanent that is no flag', () => pull.fail('id', 'acme', { ...token, error: 'x', permanent: 'yes' as never }), 'permanent'],
    ['a negative delay', () => pull.release('id', 'acme', { ...token, delayMs: -1 }), 'delayMs'],
    ['an empty id', () => pull.complete('', 'acme', token), 'id'],
  ])('%s is refused, naming the field', async (_what, call, path) => {
    await expect(call()).rejects.toMatchObject({ code: 'INVALID_INPUT', path });
  });
});
