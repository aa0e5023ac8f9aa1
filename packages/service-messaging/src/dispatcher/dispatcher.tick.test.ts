import { flakyChannel } from '@bellhop/testing';
import { describe, expect, test } from 'vitest';
import { dispatcherBench, heldChannel } from './dispatcher-bench.fixture.js';

async function enqueueMany(bench: ReturnType<typeof dispatcherBench>, count: number) {
  for (let n = 0; n < count; n += 1) await bench.enqueue({ recipientId: `user-${n}` });
}

describe('a tick with survey', () => {
  test.each([1, 8, 64])('an idle tick is one survey at %i partitions', async (partitionCount) => {
    const { dispatcher, calls, enqueue, clock } = dispatcherBench({ partitionCount });
    await enqueue({ notBefore: clock.now() + 60_000 });
    for (let n = 0; n < 10; n += 1) await dispatcher.tick();
    expect(calls()).toEqual({ survey: 10 });
  });

  test('due rows of all partitions are claimed in one statement and acked in one', async () => {
    const bench = dispatcherBench();
    await enqueueMany(bench, 16);
    expect(await bench.dispatcher.tick()).toBe(16);
    // The second survey is the public tick's look whether that was everything.
    expect(bench.calls()).toEqual({ survey: 2, claim: 1, ackMany: 1 });
    expect(bench.channel.sent).toHaveLength(16);
    expect(new Set(await bench.statuses())).toEqual(new Set(['success']));
  });

  test('a digest is claimed only when the survey saw one', async () => {
    const { dispatcher, enqueue, calls, channel } = dispatcherBench();
    for (const index of [1, 2]) await enqueue({ notificationId: `n-${index}`, digestKey: 'ada|email|today' });
    await dispatcher.tick();
    expect(calls()).toEqual({ survey: 2, claimDigest: 1, ackMany: 1 });
    expect(channel.sent.map(({ title }) => title)).toEqual(['You have 2 notifications']);
  });

  test('[S1] an expired claim is reaped and its row delivered in the same tick; without one nothing is reaped', async () => {
    const { dispatcher, enqueue, calls, clock, claimForDeadNode, row, channel } = dispatcherBench();
    const id = await enqueue();
    await claimForDeadNode();
    await dispatcher.tick();
    expect(calls()).toEqual({ survey: 1 }); // control: the claim lives, and is left alone
    expect((await row(id)).claimedBy).toBe('dead');
    await clock.advance(5_000);
    await dispatcher.tick();
    expect(calls()).toMatchObject({ reap: 1 });
    expect(channel.sent).toHaveLength(1);
    expect(await row(id)).toMatchObject({ status: 'success', attempts: 2 });
    expect(dispatcher.counters().reaped).toBe(1);
  });

  test('[S1] a running dispatcher wakes for the expiry of a claim it has seen', async () => {
    const { dispatcher, enqueue, clock, claimForDeadNode, channel } = dispatcherBench();
    await enqueue();
    await claimForDeadNode();
    dispatcher.start();
    await clock.advance(4_999);
    expect(channel.sent).toHaveLength(0);
    await clock.advance(1);
    expect(channel.sent).toHaveLength(1);
    await dispatcher.stop();
  });

  test('right after a wake it claims first; the survey is saved when that found something', async () => {
    const { dispatcher, enqueue, calls, clock } = dispatcherBench();
    dispatcher.start();
    await clock.advance(100);
    expect(calls()).toEqual({ survey: 1 });
    await enqueue();
    dispatcher.wake();
    await clock.advance(0);
    expect(calls()).toEqual({ survey: 1, claim: 1, ackMany: 1 });
    dispatcher.wake(); // for nothing
    await clock.advance(10);
    expect(calls()).toEqual({ survey: 2, claim: 2, ackMany: 1 });
    await dispatcher.stop();
  });

  test('a stream of wakes does not put the survey off for longer than a claim TTL', async () => {
    const { dispatcher, enqueue, clock, claimForDeadNode, channel } = dispatcherBench({ claimTtlMs: 5_000 });
    dispatcher.start();
    await clock.advance(0);
    await enqueue({ recipientId: 'of the dead node' });
    await claimForDeadNode(1_000);
    for (let ms = 0; ms < 7_000; ms += 100) {
      await enqueue({ recipientId: `user-${ms}` });
      dispatcher.wake();
      await clock.advance(100);
    }
    expect(channel.sent.map(({ recipientId }) => recipientId)).toContain('of the dead node');
    await dispatcher.stop();
  });

  test('what a full batch leaves is claimed at once', async () => {
    const bench = dispatcherBench({ batchSize: 10, concurrency: 4 });
    await enqueueMany(bench, 55);
    bench.dispatcher.start();
    await bench.clock.advance(0);
    await bench.dispatcher.settled();
    expect(bench.channel.sent).toHaveLength(55);
    expect(bench.clock.monotonic()).toBe(0);
    await bench.dispatcher.stop();
  });

  test('only channels mounted on this node are asked for', async () => {
    const { dispatcher, enqueue, mounted, row, channel } = dispatcherBench();
    const [mine, foreign] = [await enqueue(), await enqueue({ channel: 'sms' })];
    await dispatcher.tick();
    expect((await row(mine)).status).toBe('success');
    expect((await row(foreign)).status).toBe('pending');
    mounted.set('sms', { ...channel, id: 'sms' });
    await dispatcher.tick();
    expect((await row(foreign)).status).toBe('success');
  });

  test('a channel at its limit is not asked for, delays no other, and goes on when a send ends', async () => {
    const slow = heldChannel('sms');
    const fast = flakyChannel({ id: 'email' });
    const bench = dispatcherBench({ channels: [slow.channel, fast], channelConcurrency: { sms: 2 }, batchSize: 2 });
    for (let n = 0; n < 5; n += 1) await bench.enqueue({ channel: 'sms', recipientId: `s-${n}` });
    for (let n = 0; n < 5; n += 1) await bench.enqueue({ channel: 'email', recipientId: `e-${n}` });
    bench.dispatcher.start();
    await bench.clock.advance(50);
    expect(slow.sends).toHaveLength(2);
    expect(fast.sent).toHaveLength(5);
    const before = bench.callCount();
    await bench.clock.advance(400);
    expect(bench.callCount()).toBe(before); // nothing spins meanwhile
    slow.sends[0]?.end();
    await bench.clock.advance(0);
    expect(slow.sends).toHaveLength(3);
    await bench.stop();
  });

  test('a row whose channel is mounted no more is dead, with the reason', async () => {
    const { dispatcher, enqueue, mounted, row } = dispatcherBench();
    const id = await enqueue();
    mounted.get = () => undefined; // it went between claim and send
    await dispatcher.tick();
    expect(await row(id)).toMatchObject({
      status: 'dead',
      error: 'The channel "email" is not registered any more: register it and emit again.',
    });
  });
});

describe('a tick without survey, and without reap', () => {
  test('[reap-once] per 10 idle ticks at 8 partitions: exactly 10 reaps and at most 10 × (1 + 2 × 8) statements', async () => {
    const { dispatcher, calls, callCount } = dispatcherBench({ without: ['survey'], minWakeSpacingMs: 0 });
    for (let n = 0; n < 10; n += 1) await dispatcher.tick();
    expect(calls()).toEqual({ reap: 10, claim: 80, claimDigest: 80 });
    expect(callCount()).toBeLessThanOrEqual(10 * (1 + 2 * 8));
  });

  test('16 rows over several partitions and a two-row digest are all out on the next tick, the digest as one message', async () => {
    const bench = dispatcherBench({ without: ['survey'], minWakeSpacingMs: 0 });
    bench.dispatcher.start();
    await bench.clock.advance(0);
    await enqueueMany(bench, 16);
    for (const index of [1, 2]) await bench.enqueue({ notificationId: `d-${index}`, digestKey: 'ada|email|today' });
    expect(bench.channel.sent).toHaveLength(0);
    await bench.clock.advance(1_000);
    expect(bench.channel.sent).toHaveLength(17);
    expect(bench.channel.sent.filter(({ payload }) => payload.digest === true)).toHaveLength(1);
    expect(new Set(await bench.statuses())).toEqual(new Set(['success']));
    await bench.dispatcher.stop();
  });

  test('an expired claim of a dead node is delivered within one tick, a live one is left alone', async () => {
    const { dispatcher, enqueue, clock, claimForDeadNode, channel } = dispatcherBench({ without: ['survey'], minWakeSpacingMs: 0 });
    await enqueue();
    await claimForDeadNode();
    await clock.advance(4_999);
    await dispatcher.tick();
    expect(channel.sent).toHaveLength(0);
    await clock.advance(1);
    await dispatcher.tick();
    expect(channel.sent).toHaveLength(1);
  });

  test('[legacy-outbox] an outbox without reap keeps working: each claim reaps for itself', async () => {
    const { dispatcher, enqueue, calls, clock, claimForDeadNode, channel } = dispatcherBench({
      without: ['survey', 'reap'],
      minWakeSpacingMs: 0,
    });
    await enqueue();
    await claimForDeadNode();
    await enqueue({ recipientId: 'grace' });
    await dispatcher.tick();
    expect(channel.sent.map(({ recipientId }) => recipientId)).toEqual(['grace']);
    await clock.advance(5_000);
    await dispatcher.tick();
    expect(channel.sent.map(({ recipientId }) => recipientId)).toEqual(['grace', 'ada']);
    expect(calls()).not.toHaveProperty('reap');
  });

  test('[legacy-outbox] an outbox with survey and without reap recovers expired claims, too', async () => {
    const { dispatcher, enqueue, clock, claimForDeadNode, channel } = dispatcherBench({ without: ['reap'] });
    await enqueue();
    await claimForDeadNode();
    await clock.advance(5_000);
    await dispatcher.tick();
    expect(channel.sent).toHaveLength(1);
  });

  test('an outbox with no capability at all delivers, retries and stops', async () => {
    const email = flakyChannel({ id: 'email', outcomes: ['retryable'] });
    const { dispatcher, enqueue, clock, row } = dispatcherBench({
      channels: [email],
      without: ['survey', 'reap', 'ackMany', 'renew', 'release', 'enqueueMany', 'cancel'],
    });
    const ids = [await enqueue(), await enqueue({ recipientId: 'grace' })];
    dispatcher.start();
    await clock.advance(1_100);
    for (const id of ids) expect((await row(id)).status).toBe('success');
    expect(email.attempts).toHaveLength(3);
    await dispatcher.stop();
  });

  test('a send that outlasts its claim, on an outbox that cannot renew, is not sent twice by the same node', async () => {
    const email = heldChannel('email');
    const { dispatcher, enqueue, clock, row } = dispatcherBench({ channels: [email.channel], without: ['survey', 'reap', 'renew'] });
    const id = await enqueue();
    dispatcher.start();
    await clock.advance(20_000);
    expect(email.sends).toHaveLength(1);
    expect((await row(id)).attempts).toBeGreaterThan(1); // control: it was claimed again meanwhile
    email.sends[0]?.end();
    await clock.advance(0);
    expect((await row(id)).status).toBe('success');
    await dispatcher.stop();
  });
});
