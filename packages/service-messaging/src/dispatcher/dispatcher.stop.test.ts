import { flakyChannel, type ManualClock } from '@bellhop/testing';
import { describe, expect, test } from 'vitest';
import { dispatcherBench, heldChannel } from './dispatcher-bench.fixture.js';

/** When it ended, on the test's clock: a test must not wait for what may never end. */
function timed(clock: ManualClock, ending: Promise<void>) {
  const timed = { endedAt: null as number | null };
  void ending.then(() => {
    timed.endedAt = clock.monotonic();
  });
  return timed;
}

describe('stopping', () => {
  test('[L8] releases what never started, its attempt not counted, and waits for sends', async () => {
    const email = heldChannel('email');
    const { dispatcher, enqueue, clock, memory } = dispatcherBench({ channels: [email.channel], concurrency: 2 });
    for (let n = 0; n < 5; n += 1) await enqueue({ recipientId: `u-${n}` });
    dispatcher.start();
    await clock.advance(0);
    const stop = timed(clock, dispatcher.stop({ deadlineMs: 5_000 }));
    await clock.advance(1_000);
    const released = (await memory.list({ status: 'pending' })).items;
    expect(released.map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
    expect(stop.endedAt).toBe(null);
    for (const { end } of email.sends) end();
    await clock.advance(0);
    expect(stop.endedAt).toBe(1_000);
    expect((await memory.list({ status: 'success' })).items).toHaveLength(2);
    expect(email.sends.every(({ signal }) => !signal.aborted)).toBe(true);
  });

  test('[L8] aborts sends at the deadline; what was cut short is retried, whatever the channel makes of the abort', async () => {
    const email = { ...flakyChannel({ id: 'email', outcomes: ['hang'] }), classifyError: () => 'permanent' as const };
    const { dispatcher, enqueue, clock, row } = dispatcherBench({ channels: [email] });
    const id = await enqueue();
    dispatcher.start();
    await clock.advance(0);
    const stop = timed(clock, dispatcher.stop({ deadlineMs: 2_000 }));
    await clock.advance(1_999);
    expect((await row(id)).status).toBe('in_flight');
    await clock.advance(1);
    expect(stop.endedAt).toBe(2_000);
    expect(await row(id)).toMatchObject({ status: 'pending', attempts: 1, dueAt: clock.now() + 1_000 });
  });

  test('[L8] by default sends have ten seconds', async () => {
    const email = heldChannel('email');
    const { dispatcher, enqueue, clock } = dispatcherBench({ channels: [email.channel] });
    await enqueue();
    dispatcher.start();
    await clock.advance(0);
    const stop = timed(clock, dispatcher.stop());
    await clock.advance(9_999);
    expect(email.sends[0]?.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(email.sends[0]?.signal.aborted).toBe(true);
    await clock.advance(1_000);
    expect(stop.endedAt).toBe(11_000);
  });

  test('[L8] ends in time when the outbox hangs, and releases claims that come home late', async () => {
    const { dispatcher, enqueue, clock, faults, row } = dispatcherBench();
    const id = await enqueue();
    faults.fail({ method: 'claim', kind: 'hang' });
    dispatcher.start();
    await clock.advance(0);
    const stop = timed(clock, dispatcher.stop({ deadlineMs: 500 }));
    await clock.advance(500);
    expect(stop.endedAt).toBe(500);
    faults.releaseHung();
    await clock.advance(0);
    expect(await row(id)).toMatchObject({ status: 'pending', attempts: 0 });
  });

  test('[L8] waits for a tick and for sends at the same time', async () => {
    const email = heldChannel('email'); // never ends, and does not heed its signal
    const { dispatcher, enqueue, clock, faults } = dispatcherBench({ channels: [email.channel] });
    await enqueue();
    dispatcher.start();
    await clock.advance(0);
    faults.fail({ method: 'claim', kind: 'hang' });
    dispatcher.wake();
    await clock.advance(0);
    const stop = timed(clock, dispatcher.stop({ deadlineMs: 500 }));
    await clock.advance(10_000);
    expect(email.sends).toHaveLength(1);
    expect(stop.endedAt).toBe(1_500);
  });

  test('[L8] a tick that was left behind claims no more, though the dispatcher was started again', async () => {
    for (const stops of [true, false]) {
      const { dispatcher, clock, faults } = dispatcherBench({ without: ['survey'], partitionCount: 4 });
      faults.fail({ method: 'claim', kind: 'hang' });
      dispatcher.start();
      await clock.advance(0);
      if (stops) void dispatcher.stop({ deadlineMs: 0 });
      await clock.advance(0);
      dispatcher.start();
      faults.releaseHung();
      await clock.advance(0);
      expect(faults.calls('claim')).toBe(stops ? 1 + 4 : 4); // else, as a control, it is the one tick and goes on
      await dispatcher.stop();
    }
  });

  test('[L8] can be started again', async () => {
    const { dispatcher, enqueue, clock, channel } = dispatcherBench();
    dispatcher.start();
    await clock.advance(0);
    await dispatcher.stop();
    await enqueue();
    dispatcher.start();
    await clock.advance(0);
    expect(channel.sent).toHaveLength(1);
    await dispatcher.stop();
  });
});

describe('the public tick', () => {
  test('repeats until everything due at its start is handed out and acked', async () => {
    const { dispatcher, enqueue, statuses, clock } = dispatcherBench({ batchSize: 4, concurrency: 2 });
    for (let n = 0; n < 30; n += 1) await enqueue({ recipientId: `u-${n}` });
    expect(await dispatcher.tick()).toBe(30);
    expect(new Set(await statuses())).toEqual(new Set(['success']));
    expect(clock.nextTimerAt()).toBeNull();
  });

  test('does not wait for what comes due later, its own retries among it', async () => {
    const email = flakyChannel({ id: 'email', outcomes: () => 'retryable' });
    const { dispatcher, enqueue, clock } = dispatcherBench({ channels: [email] });
    await enqueue();
    await enqueue({ recipientId: 'grace', notBefore: clock.now() + 1 });
    expect(await dispatcher.tick()).toBe(1);
    expect(await dispatcher.tick()).toBe(0);
  });

  test('waits for a pool that others have filled, and goes on', async () => {
    const email = heldChannel('email');
    const { dispatcher, enqueue, clock } = dispatcherBench({ channels: [email.channel], concurrency: 1, batchSize: 1 });
    for (let n = 0; n < 3; n += 1) await enqueue({ recipientId: `u-${n}` });
    const others = [dispatcher.tick()];
    await clock.advance(0);
    others.push(dispatcher.tick());
    await clock.advance(0); // one is being sent, one waits: the pool is full
    let ended = false;
    const ticking = dispatcher.tick().then(() => {
      ended = true;
    });
    for (let n = 0; n < 3; n += 1) {
      await clock.advance(0);
      expect(ended).toBe(false);
      email.sends[n]?.end();
    }
    await Promise.all([...others, ticking]);
    expect(email.sends).toHaveLength(3);
  });

  test('counters and nodeId', async () => {
    const email = flakyChannel({ id: 'email', outcomes: ['ok', 'retryable', 'permanent', 'invalid_recipient', 'rate_limited'] });
    const { dispatcher, enqueue, clock } = dispatcherBench({ channels: [email], random: () => 0.5 });
    for (let n = 0; n < 5; n += 1) await enqueue({ recipientId: `u-${n}` });
    await clock.advance(40);
    await dispatcher.tick();
    expect(dispatcher.nodeId).toBe('notify-80000000');
    expect(dispatcher.counters()).toMatchObject({
      claimed: 5,
      delivered: 1,
      failed: 1,
      dead: 1,
      suppressed: 1,
      deferred: 1,
      lost: 0,
      reaped: 0,
      sending: 0,
      errors: 0,
      lateness: { lastMs: 40, maxMs: 40 },
    });
  });

  test.each([
    [{ partitionCount: 0 }, 'partitionCount: 0 given; an integer from 1 to 4096 is allowed.'],
    [{ batchSize: 2.5 }, 'batchSize: 2.5 given'],
    [{ claimTtlMs: 9 }, 'claimTtlMs: 9 given; an integer from 10 to 2147483647 is allowed.'],
    [{ nodeId: '' }, 'nodeId'],
    [{ concurrency: 0 }, 'concurrency: 0 given'],
    [{ channelConcurrency: { email: 0 } }, 'laneLimits.email: 0 given'],
    [{ intervalMs: 0 }, 'intervalMs: 0 given'],
  ])('an option out of its bounds is refused by name: %o', (options, message) => {
    expect(() => dispatcherBench(options)).toThrow(message);
  });
});
