import { flakyChannel } from '@bellhop/testing';
import { describe, expect, test } from 'vitest';
import { dispatcherBench, timesOf } from './dispatcher-bench.fixture.js';

/** As the dispatcher this grew from was: no survey, no wake spacing. One reap per tick tells the ticks. */
function ticking(options: Parameters<typeof dispatcherBench>[0] = {}) {
  const bench = dispatcherBench({ without: ['survey'], minWakeSpacingMs: 0, ...options });
  const ticks = timesOf(bench.clock, bench.memory, 'reap');
  return { ...bench, ticks, gaps: () => ticks.slice(1).map((at, index) => at - (ticks[index] ?? 0)) };
}

describe('when the dispatcher ticks', () => {
  test('[A3] idle gaps are 1, 2, 4, 8, 16, 30, 30 s: 24 ticks in ten idle minutes, the ceiling 30 s by default', async () => {
    const { dispatcher, clock, ticks, gaps } = ticking();
    dispatcher.start();
    await clock.advance(600_000);
    expect(gaps().slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(Math.max(...gaps())).toBe(30_000);
    expect(ticks).toHaveLength(24);
    await dispatcher.stop();
  });

  test.each([500, 200])('[A3] a ceiling of %i ms, at or below the interval, disables the backoff', async (maxIdleIntervalMs) => {
    const { dispatcher, clock, gaps } = ticking({ maxIdleIntervalMs });
    dispatcher.start();
    await clock.advance(5_000);
    expect(new Set(gaps())).toEqual(new Set([500]));
    await dispatcher.stop();
  });

  test('[A3] an unannounced row leaves within one interval, and the dispatcher is back to 500 ms', async () => {
    const { dispatcher, clock, ticks, enqueue, channel } = ticking();
    dispatcher.start();
    await clock.advance(70_000);
    const last = ticks.at(-1) ?? 0;
    await enqueue();
    await clock.advance(last + 30_000 - clock.monotonic() - 1);
    expect(channel.sent).toHaveLength(0);
    await clock.advance(1);
    expect(channel.sent).toHaveLength(1);
    await clock.advance(1_500);
    expect(ticks.slice(-3)).toEqual([last + 30_000, last + 30_500, last + 31_500]);
    await dispatcher.stop();
  });

  test('[A3] a wake ticks in the same instant', async () => {
    const { dispatcher, clock, enqueue, channel } = ticking();
    dispatcher.start();
    await clock.advance(70_000);
    await enqueue();
    await clock.advance(0);
    expect(channel.sent).toHaveLength(0); // control: nobody told
    dispatcher.wake();
    await clock.advance(0);
    expect(channel.sent).toHaveLength(1);
    await dispatcher.stop();
  });

  test('[A3] wakes during a tick collapse into one follow-up', async () => {
    const { dispatcher, clock, faults, ticks, enqueue, channel } = ticking();
    dispatcher.start();
    await clock.advance(70_000);
    const before = ticks.length;
    faults.fail({ method: 'claim', kind: 'hang' });
    dispatcher.wake();
    await clock.advance(0);
    for (let n = 0; n < 5; n += 1) dispatcher.wake();
    await enqueue();
    await clock.advance(0);
    expect(ticks).toHaveLength(before + 1);
    faults.releaseHung();
    await clock.advance(0);
    expect(ticks).toHaveLength(before + 2);
    expect(channel.sent).toHaveLength(1);
    await dispatcher.stop();
  });

  test('[A3] stop cancels, and a wake after it does nothing', async () => {
    const { dispatcher, clock, ticks, enqueue, channel } = ticking();
    dispatcher.start();
    await clock.advance(2_000);
    await dispatcher.stop();
    const before = ticks.length;
    await enqueue();
    dispatcher.wake();
    await clock.advance(120_000);
    expect(ticks).toHaveLength(before);
    dispatcher.start(); // control
    await clock.advance(0);
    expect(channel.sent).toHaveLength(1);
    await dispatcher.stop();
  });
});

describe('work that is due later', () => {
  test('[S2] a 10 s retry leaves within 50 ms of its due time with no other traffic', async () => {
    const email = flakyChannel({ id: 'email', outcomes: ['retryable', 'retryable'] });
    const { dispatcher, clock, enqueue, row } = dispatcherBench({ channels: [email] });
    const id = await enqueue();
    dispatcher.start();
    await clock.advance(1_050);
    expect(email.attempts).toHaveLength(2);
    const { dueAt } = await row(id);
    expect(dueAt - clock.now()).toBeGreaterThan(9_000); // control: it really waits
    await clock.advance(dueAt - clock.now() - 1);
    expect(email.attempts).toHaveLength(2);
    await clock.advance(51);
    expect(email.attempts).toHaveLength(3);
    await dispatcher.stop();
  });

  test('[S2] a row that another process deferred leaves at its due time, because the survey named it', async () => {
    const { dispatcher, clock, enqueue, channel } = dispatcherBench();
    await enqueue({ notBefore: clock.now() + 47_123 });
    dispatcher.start();
    await clock.advance(47_122);
    expect(channel.sent).toHaveLength(0);
    await clock.advance(1);
    expect(channel.sent).toHaveLength(1);
    expect(dispatcher.counters().lateness).toEqual({ lastMs: 0, maxMs: 0 });
    await dispatcher.stop();
  });

  test('[S6] a row deferred after the last survey leaves at its due time, because it was announced', async () => {
    for (const announced of [true, false]) {
      const { dispatcher, clock, enqueue, channel } = dispatcherBench();
      dispatcher.start();
      await clock.advance(70_000);
      const dueAt = clock.now() + 5_000;
      await enqueue({ notBefore: dueAt });
      if (announced) dispatcher.due(dueAt);
      await clock.advance(5_000);
      expect(channel.sent).toHaveLength(announced ? 1 : 0);
      await dispatcher.stop();
    }
  });

  test('a digest leaves with its due time even in the middle of a stream of wakes', async () => {
    const { dispatcher, clock, enqueue, channel } = dispatcherBench();
    dispatcher.start();
    await clock.advance(10);
    await enqueue({ digestKey: 'ada|email|now', notBefore: clock.now() + 1_000 });
    dispatcher.due(clock.now() + 1_000);
    for (let ms = 0; ms < 1_000; ms += 20) {
      await enqueue({ recipientId: `user-${ms}` });
      dispatcher.wake();
      await clock.advance(20);
    }
    expect(channel.sent.filter(({ recipientId }) => recipientId === 'ada')).toHaveLength(1);
    await dispatcher.stop();
  });
});

describe('what a busy dispatcher costs', () => {
  test('50 emits a second for 10 s cost at most 3 outbox calls per emit', async () => {
    const { dispatcher, clock, enqueue, callCount, channel } = dispatcherBench();
    dispatcher.start();
    await clock.advance(1_000);
    const before = callCount();
    for (let n = 0; n < 500; n += 1) {
      await enqueue({ recipientId: `user-${n}` });
      dispatcher.wake();
      await clock.advance(20);
    }
    expect(channel.sent).toHaveLength(500);
    expect(callCount() - before).toBeLessThanOrEqual(3 * 500);
    expect(dispatcher.counters().lateness?.maxMs).toBeLessThanOrEqual(10);
    await dispatcher.stop();
  });

  test('500 emits a second are gathered: at most 100 woken ticks a second', async () => {
    const { dispatcher, clock, enqueue, callCount, channel } = dispatcherBench();
    dispatcher.start();
    await clock.advance(1_000);
    const before = callCount();
    for (let n = 0; n < 1_000; n += 1) {
      await enqueue({ recipientId: `user-${n}` });
      dispatcher.wake();
      await clock.advance(2);
    }
    await clock.advance(10);
    expect(channel.sent).toHaveLength(1_000);
    expect(callCount() - before).toBeLessThanOrEqual(2 * 100 * 3);
    await dispatcher.stop();
  });
});
