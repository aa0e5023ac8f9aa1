// When a dispatcher without a survey ticks: what backs it off, what wakes it, what ends it. No survey and no wake spacing, so that each leg pins
// what it names; one reap per tick tells the ticks.
import { ManualClock } from '@bellhop/testing';
import { describe, expect, test } from 'vitest';
import { emitting } from '../emitting.fixture.js';
import { dispatcherBench, timesOf } from './dispatcher-bench.fixture.js';

function ticking(options: Parameters<typeof dispatcherBench>[0] = {}) {
  const bench = dispatcherBench({ without: ['survey'], minWakeSpacingMs: 0, ...options });
  const ticks = timesOf(bench.clock, bench.memory, 'reap');
  return { ...bench, ticks, gaps: () => ticks.slice(1).map((at, index) => at - (ticks[index] ?? 0)) };
}

describe('when the dispatcher ticks', () => {
  test('[A3] idle gaps double from the interval to the ceiling: 1, 2, 4, 8, 16, 30, 30 s, 24 ticks in ten minutes', async () => {
    const { dispatcher, clock, ticks, gaps } = ticking({ intervalMs: 500, maxIdleIntervalMs: 30_000 });
    dispatcher.start();
    await clock.advance(600_000);
    expect(gaps().slice(0, 7)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(Math.max(...gaps())).toBe(30_000);
    expect(ticks).toHaveLength(24);
    await dispatcher.stop();
  });

  test('[A3] the ceiling is 30 s by default', async () => {
    const { dispatcher, clock, gaps } = ticking();
    dispatcher.start();
    await clock.advance(120_000);
    expect(gaps().slice(-2)).toEqual([30_000, 30_000]);
    await dispatcher.stop();
  });

  test.each([500, 200])('[idle-ceiling] a ceiling of %i ms, at or below the interval, disables the backoff', async (maxIdleIntervalMs) => {
    const { dispatcher, clock, gaps } = ticking({ maxIdleIntervalMs });
    dispatcher.start();
    await clock.advance(5_000);
    expect(new Set(gaps())).toEqual(new Set([500]));
    await dispatcher.stop();
  });

  test('[A3] a row nobody announced waits at most one backed-off interval, then the dispatcher is back to 500 ms', async () => {
    const { dispatcher, clock, ticks, enqueue, channel } = ticking();
    dispatcher.start();
    await clock.advance(70_000);
    const deadline = clock.monotonic() + 30_000;
    await enqueue();
    while (channel.sent.length === 0) {
      expect(clock.monotonic()).toBeLessThan(deadline);
      await clock.advance(500);
    }
    const found = ticks.at(-1) ?? 0;
    await clock.advance(500);
    expect(ticks.at(-1)).toBe(found + 500);
    await dispatcher.stop();
  });

  test('[dispatcher-wake] a wake ticks in the same instant (control: a row that nobody told of waits)', async () => {
    const { dispatcher, clock, enqueue, channel } = ticking();
    dispatcher.start();
    await clock.advance(70_000);
    await enqueue();
    await clock.advance(0);
    expect(channel.sent).toHaveLength(0);
    dispatcher.wake();
    await clock.advance(0);
    expect(channel.sent).toHaveLength(1);
    await dispatcher.stop();
  });

  test('[dispatcher-wake] wakes during a tick collapse into one follow-up', async () => {
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

  test('[dispatcher-stop] stop cancels, and a wake after it does nothing (control: a start)', async () => {
    const { dispatcher, clock, ticks, enqueue, channel } = ticking();
    dispatcher.start();
    await clock.advance(2_000);
    await dispatcher.stop();
    const before = ticks.length;
    await enqueue();
    dispatcher.wake();
    await clock.advance(120_000);
    expect(ticks).toHaveLength(before);
    dispatcher.start();
    await clock.advance(0);
    expect(channel.sent).toHaveLength(1);
    await dispatcher.stop();
  });

  test('[A2] an emit wakes a wired dispatcher; one that enqueues nothing does not', async () => {
    const clock = new ManualClock();
    const { service, outbox } = emitting({ clock });
    const { dispatcher, channel, ticks } = ticking({ clock, memory: outbox });
    service.registerChannel(channel);
    service.setOutbox(outbox, { onEnqueued: () => dispatcher.wake() });
    dispatcher.start();
    await clock.advance(70_000);
    const before = ticks.length;
    await service.emit({ topic: 'order.placed', audience: [], channels: ['email'] });
    await clock.advance(0);
    expect(ticks).toHaveLength(before);
    await service.emit({ topic: 'order.placed', audience: 'ada', channels: ['email'] });
    await clock.advance(0);
    expect(ticks).toHaveLength(before + 1);
    expect(channel.sent).toHaveLength(1);
    expect(clock.monotonic()).toBe(70_000);
    await dispatcher.stop();
  });
});
