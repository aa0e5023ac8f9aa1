import { describe, expect, test } from 'vitest';
import { ids, poolBench, ticket, tickets } from './pool-bench.fixture.js';

describe('handing out', () => {
  test('runs up to the concurrency, buffers a batch, and starts the next in order as slots free', async () => {
    const { pool, record, finish } = poolBench({ concurrency: 2, batchSize: 3 });
    expect(pool.room()).toBe(5);
    await pool.offer(tickets(5));
    expect(record.started).toEqual(['job-0', 'job-1']);
    expect(pool.room()).toBe(0);
    expect(pool.counters()).toMatchObject({ running: 2, buffered: 3 });
    await finish('job-1');
    expect(record.started).toEqual(['job-0', 'job-1', 'job-2']);
    expect(pool.room()).toBe(1);
  });

  test('by default 16 run, and 32 wait', async () => {
    const { pool, record } = poolBench();
    await pool.offer(tickets(48));
    expect(record.started).toHaveLength(16);
    expect(pool.room()).toBe(0);
  });

  test('onFree is called once the buffer is half empty, not for each freed slot before', async () => {
    const { pool, record, finish } = poolBench({ concurrency: 1, batchSize: 4 });
    await pool.offer(tickets(5));
    await finish('job-0');
    expect(record.freed).toBe(0);
    await finish('job-1');
    expect(record.freed).toBeGreaterThan(0);
  });

  test('finished claims whose acks wait for the store take up room', async () => {
    const { pool, clock, record } = poolBench({
      concurrency: 4,
      batchSize: 4,
      ackBatchSize: 2,
      run: async () => 'done',
      ack: () => new Promise(() => {}),
    });
    await pool.offer(tickets(8));
    await clock.advance(0);
    expect(pool.held()).toHaveLength(8);
    expect(pool.room()).toBe(2); // 8 less the 6 beyond one batch of acks
    expect(record.errors).toEqual([]);
  });

  test('a run that throws touches no other, and is left to its lease', async () => {
    const { pool, clock, record, finish, fail } = poolBench();
    await pool.offer(tickets(3));
    await fail('job-1', new Error('a bug'));
    expect(record.errors).toEqual([['a bug', 'job-1']]);
    expect(ids(pool.held())).toEqual(['job-0', 'job-2']);
    await finish('job-0', 'job-2');
    expect(record.acked).toEqual(['job-0:done', 'job-2:done']);
    await clock.advance(3_000);
    expect(record.acks.flat()).not.toContain('job-1:done');
    expect(pool.counters()).toMatchObject({ abandoned: 1, acked: 2, running: 0 });
  });

  test('hooks that throw touch nothing', async () => {
    const bad = () => {
      throw new Error('hook');
    };
    const { pool, finish } = poolBench({ onFree: bad, onAcked: bad, onLost: bad, onError: bad });
    await pool.offer(tickets(2));
    await finish('job-0', 'job-1');
    await pool.drained();
    expect(pool.counters()).toMatchObject({ acked: 2, running: 0 });
  });

  test('drained waits for runs and for their acks', async () => {
    const { pool, finish } = poolBench();
    let drained = false;
    await pool.drained();
    await pool.offer(tickets(2));
    const draining = pool.drained().then(() => {
      drained = true;
    });
    await finish('job-0');
    expect(drained).toBe(false);
    await finish('job-1');
    await draining;
  });

  test.each([
    [{ concurrency: 0 }, 'concurrency: 0 given; a number from 1 to 10000 is allowed.'],
    [{ concurrency: 1.5 }, 'concurrency: 1.5 given; a whole number from 1 to 10000 is allowed.'],
    [{ batchSize: 0 }, 'batchSize: 0 given'],
    [{ claimTtlMs: 9 }, 'claimTtlMs: 9 given; a number from 10 to 2147483647 is allowed.'],
    [{ ackBatchSize: 1_001 }, 'ackBatchSize: 1001 given'],
    [{ laneLimits: { email: 0 } }, 'laneLimits.email: 0 given'],
  ])('an option out of its bounds is refused by name: %o', (options, message) => {
    expect(() => poolBench(options)).toThrow(message);
  });
});

describe('lanes', () => {
  const slow = { concurrency: 4, batchSize: 8, laneLimits: { slow: 2 } };

  test('a limited lane runs so many at once, and work of others passes by', async () => {
    const { pool, record } = poolBench(slow);
    await pool.offer([...tickets(3, { lane: 'slow' }), ...tickets(2, { lane: 'fast' })]);
    expect(record.started).toEqual(['slow-0', 'slow-1', 'fast-0', 'fast-1']);
  });

  test('a lane that holds what it may run is saturated until one of its claims ends', async () => {
    const { pool, record, finish } = poolBench(slow);
    expect(pool.saturatedLanes()).toEqual([]);
    await pool.offer(tickets(3, { lane: 'slow' }));
    expect(pool.saturatedLanes()).toEqual(['slow']);
    await finish('slow-0'); // the third takes the slot
    expect(pool.saturatedLanes()).toEqual(['slow']);
    await finish('slow-1');
    expect(pool.saturatedLanes()).toEqual([]);
    expect(record.started).toEqual(['slow-0', 'slow-1', 'slow-2']);
  });

  test('onFree tells when a lane has room again, however full the buffer', async () => {
    const { pool, record, finish } = poolBench({ concurrency: 2, batchSize: 8, laneLimits: { slow: 1 } });
    await pool.offer([ticket('slow', { lane: 'slow' }), ...tickets(9, { lane: 'fast' })]);
    await finish('fast-0');
    expect(record.freed).toBe(0); // control: seven wait still, and no lane was asked about
    expect(pool.saturatedLanes()).toEqual(['slow']);
    await finish('slow');
    expect(record.freed).toBe(1);
  });
});

describe('work that is claimed again while it is still in the pool', () => {
  test('is not run twice: the new claim takes over the run, and its outcome', async () => {
    const written: [string, number][] = [];
    const { pool, record, finish } = poolBench({
      ack: async (batch) => {
        written.push(...batch.map(({ claim }): [string, number] => [claim.id, claim.token]));
        return batch.map(() => 'acked' as const);
      },
    });
    await pool.offer([ticket('job', { token: 1 })]);
    await pool.offer([ticket('job', { token: 2 }), ticket('other')]);
    expect(record.started).toEqual(['job', 'other']);
    expect(pool.held()).toContainEqual(ticket('job', { token: 2 }));
    await finish('job', 'other');
    expect(written).toContainEqual(['job', 2]);
    expect(written).not.toContainEqual(['job', 1]);
  });

  test('while its ack is under way: the outcome is written under the new claim', async () => {
    const written: number[] = [];
    const { pool, record, finish } = poolBench({
      ack: async (batch) => {
        const { claim } = batch[0] as (typeof batch)[0];
        written.push(claim.token);
        if (claim.token === 1) await pool.offer([ticket('job', { token: 2 })]);
        return [claim.token === 1 ? 'lost' : 'acked'];
      },
    });
    await pool.offer([ticket('job', { token: 1 })]);
    await finish('job');
    expect(written).toEqual([1, 2]);
    expect(record.started).toEqual(['job']);
    expect(record.lost).toEqual([]);
    expect(pool.held()).toEqual([]);
  });

  test('after its ack was written: it is work of its own', async () => {
    const { pool, record, finish } = poolBench({
      ack: async (batch) => {
        if (batch[0]?.claim.token === 1) await pool.offer([ticket('job', { token: 2 })]);
        return ['acked'];
      },
    });
    await pool.offer([ticket('job', { token: 1 })]);
    await finish('job');
    expect(record.started).toEqual(['job', 'job']);
    await finish('job');
    expect(record.acked).toEqual(['job:done', 'job:done']);
  });
});
