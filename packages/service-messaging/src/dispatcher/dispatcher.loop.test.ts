import { flakyChannel } from '@bellhop/testing';
import { describe, expect, test } from 'vitest';
import { dispatcherBench } from './dispatcher-bench.fixture.js';

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

  test('[S4] a wake owed to a failing tick is made good within 5 s of the recovery (control: without one, an idle interval)', async () => {
    for (const woken of [true, false]) {
      const { dispatcher, clock, enqueue, faults, channel } = dispatcherBench();
      dispatcher.start();
      await clock.advance(70_000);
      await enqueue();
      const when = () => clock.monotonic() < 92_000;
      for (const method of ['claim', 'survey'] as const) faults.fail({ method, kind: 'throw', times: Number.POSITIVE_INFINITY, when });
      if (woken) dispatcher.wake();
      await clock.advance(22_000);
      expect(dispatcher.counters().errors).toBeGreaterThan(0);
      await clock.advance(5_000);
      expect(channel.sent).toHaveLength(woken ? 1 : 0);
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
