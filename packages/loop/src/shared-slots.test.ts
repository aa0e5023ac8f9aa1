import { describe, expect, test } from 'vitest';
import { poolBench, tickets } from './pool-bench.fixture.js';
import { SharedSlots } from './shared-slots.js';

describe('slots shared by pools', () => {
  test('are never more than there are, whatever each pool may run', async () => {
    const sharedSlots = new SharedSlots(5);
    const one = poolBench({ sharedSlots, concurrency: 4 });
    const two = poolBench({ sharedSlots, concurrency: 4 });
    await one.pool.offer(tickets(4));
    await two.pool.offer(tickets(4));
    expect([one.record.started.length, two.record.started.length, sharedSlots.running, sharedSlots.free]).toEqual([4, 1, 5, 0]);
  });

  test('keep one back for each pool that runs nothing, up to half of them', async () => {
    const sharedSlots = new SharedSlots(5);
    const busy = poolBench({ sharedSlots, concurrency: 10 });
    const idle = [1, 2, 3].map(() => poolBench({ sharedSlots }));
    await busy.pool.offer(tickets(10));
    expect(busy.record.started).toHaveLength(3);
    for (const { pool } of idle) await pool.offer(tickets(1));
    expect(idle.map(({ record }) => record.started.length)).toEqual([1, 1, 0]);
  });

  test('that come free go to whoever has waited longest, in turn', async () => {
    const sharedSlots = new SharedSlots(1);
    const benches = ['a', 'b', 'c'].map((lane) => ({ lane, ...poolBench({ sharedSlots }) }));
    const order: string[] = [];
    for (const { lane, pool } of benches) await pool.offer(tickets(2, { lane }));
    for (let step = 0; step < 6; step += 1) {
      const running = benches.find(({ pool }) => pool.counters().running === 1);
      const id = running?.record.started.at(-1) as string;
      order.push(id);
      await running?.finish(id);
    }
    // `a` has waited with its second since before the others came.
    expect(order).toEqual(['a-0', 'a-1', 'b-0', 'c-0', 'b-1', 'c-1']);
    expect(sharedSlots).toMatchObject({ running: 0, idle: 3 });
  });

  test('tell a pool that found no room for them that there is some', async () => {
    const sharedSlots = new SharedSlots(2);
    const one = poolBench({ sharedSlots, concurrency: 2 });
    const two = poolBench({ sharedSlots });
    await one.pool.offer(tickets(1));
    await two.pool.offer(tickets(1, { lane: 'other' }));
    // What would wait for a slot that another pool holds is not asked for.
    expect([one.pool.room(), one.pool.free()]).toEqual([0, 0]);
    const { freed } = one.record;
    await two.finish('other-0');
    expect(one.record.freed).toBe(freed);
    const third = poolBench({ sharedSlots });
    expect(third.pool.free()).toBe(1);
    await third.pool.stop();
    await two.pool.stop();
    expect(one.record.freed).toBeGreaterThan(freed);
    expect(one.pool.free()).toBe(1);
  });

  test('keep none back for a pool that was stopped, and count what outlives its stop', async () => {
    const sharedSlots = new SharedSlots(4);
    const one = poolBench({ sharedSlots, concurrency: 10, run: () => new Promise(() => {}) });
    const two = poolBench({ sharedSlots, concurrency: 10 });
    await one.pool.offer(tickets(2));
    const stopping = one.pool.stop({ deadlineMs: 0 });
    await one.clock.advance(1_000);
    await stopping;
    await two.pool.offer(tickets(10));
    expect([sharedSlots.running, two.record.started.length]).toEqual([4, 2]);
    one.pool.start();
    expect(sharedSlots.idle).toBe(0);
  });

  test('are 1 to 10 000', () => {
    for (const limit of [0, 1.5, 10_001, Number.NaN]) expect(() => new SharedSlots(limit)).toThrow(RangeError);
  });
});
