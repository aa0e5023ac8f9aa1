import { describe, expect, test } from 'vitest';
import { poolBench, ticket, tickets } from './pool-bench.fixture.js';
import { watched } from './watched.fixture.js';

const hangs = () => new Promise<never>(() => {});

describe('[L8] stopping the pool', () => {
  test('[L8] releases at once what never started, and waits for what runs', async () => {
    const { pool, clock, record, finish } = poolBench({ concurrency: 2 });
    await pool.offer(tickets(5));
    const stop = watched(pool.stop({ deadlineMs: 5_000 }));
    await clock.advance(0);
    expect(record.released).toEqual(['job-2', 'job-3', 'job-4']);
    expect(pool.room()).toBe(0);
    await clock.advance(100);
    expect(stop.ended).toBe(false);
    await finish('job-0', 'job-1');
    expect(stop.ended).toBe(true);
    expect(record.acked).toEqual(['job-0:done', 'job-1:done']);
    expect(record.started).toEqual(['job-0', 'job-1']);
    expect(record.aborted).toEqual([]);
    expect(pool.counters().released).toBe(3);
    expect(clock.nextTimerAt()).toBeNull();
  });

  test('[L8] aborts what runs at the deadline, and writes what comes of it', async () => {
    const { pool, clock, record } = poolBench();
    await pool.offer(tickets(2));
    const stop = watched(pool.stop({ deadlineMs: 5_000 }));
    await clock.advance(4_999);
    expect(record.aborted).toEqual([]);
    await clock.advance(1);
    expect(record.aborted).toEqual(['job-0', 'job-1']);
    expect(record.acked).toEqual(['job-0:aborted', 'job-1:aborted']);
    expect(stop.ended).toBe(true);
  });

  test('[L8] keeps leases renewed while it waits', async () => {
    const { pool, clock, record } = poolBench();
    await pool.offer([ticket('a')]);
    void pool.stop({ deadlineMs: 5_000 });
    await clock.advance(2_500);
    expect(record.renewals).toHaveLength(2);
  });

  test('[L8] ends one second after the deadline when runs ignore their signal', async () => {
    const { pool, clock, record } = poolBench({ run: hangs });
    await pool.offer([ticket('a')]);
    const stop = watched(pool.stop({ deadlineMs: 500 }));
    await clock.advance(1_499);
    expect(stop.ended).toBe(false);
    await clock.advance(1);
    expect(stop.ended).toBe(true);
    expect(pool.held()).toEqual([]);
    expect(record.acks).toEqual([]);
    expect(clock.nextTimerAt()).toBeNull();
  });

  test('[L8] ends in time when the store hangs, in whatever call', async () => {
    for (const hanging of [{ ack: hangs }, { release: hangs }, { renew: hangs }]) {
      const { pool, clock, finish } = poolBench({ concurrency: 1, ...hanging });
      await pool.offer(tickets(3));
      const stop = watched(pool.stop({ deadlineMs: 500 }));
      await finish('job-0');
      await clock.advance(500);
      expect(stop.ended).toBe(true);
    }
  });

  test('[L8] a failing ack is retried until the deadline', async () => {
    let up = false;
    const { pool, clock, record, finish } = poolBench({
      ack: async (batch) => {
        if (!up) throw new Error('store is down');
        record.acks.push(batch.map(({ claim }) => claim.id));
        return batch.map(() => 'acked' as const);
      },
    });
    await pool.offer([ticket('a')]);
    await finish('a');
    const stop = watched(pool.stop({ deadlineMs: 500 }));
    await clock.advance(50);
    expect(stop.ended).toBe(false);
    up = true;
    await clock.advance(50);
    expect(stop.ended).toBe(true);
    expect(record.acks).toEqual([['a']]);
  });

  test('[L8] an ack that fails to the end is left to its lease, and its retry with it', async () => {
    const { pool, clock, record, finish } = poolBench({ ack: () => Promise.reject(new Error('store is down')) });
    await pool.offer([ticket('a')]);
    await finish('a');
    const stop = watched(pool.stop({ deadlineMs: 500 }));
    await clock.advance(499);
    expect(clock.nextTimerAt()).not.toBeNull(); // control
    await clock.advance(1);
    expect(stop.ended).toBe(true);
    expect(pool.held()).toEqual([]);
    expect(record.errors).toHaveLength(3); // at 0, 100 and 300
    expect(clock.nextTimerAt()).toBeNull(); // the next would be at 700
  });

  test('[L8] claims that come home after the stop are released, and none is begun', async () => {
    const { pool, record } = poolBench();
    await pool.stop();
    await pool.offer(tickets(2));
    expect(record.released).toEqual(['job-0', 'job-1']);
    expect(record.started).toEqual([]);
    pool.start();
    await pool.offer([ticket('job-2')]);
    expect(record.started).toEqual(['job-2']); // control
  });

  test('[L8] without the port what never started is left to its lease', async () => {
    const { pool, clock, record } = poolBench({ concurrency: 1, release: undefined as never });
    await pool.offer(tickets(2));
    const stop = watched(pool.stop({ deadlineMs: 0 }));
    await clock.advance(0);
    expect(stop.ended).toBe(true);
    expect(record.started).toEqual(['job-0']);
    expect(pool.counters().released).toBe(0);
  });
});
