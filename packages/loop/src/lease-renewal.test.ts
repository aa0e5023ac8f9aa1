import { describe, expect, test } from 'vitest';
import { poolBench, scripted, type Ticket, ticket, tickets } from './pool-bench.fixture.js';
import type { ClaimOutcome } from './pool-options.js';

const renewed = async (claims: readonly Ticket[]) => claims.map((): ClaimOutcome => 'acked');
const down = () => Promise.reject(new Error('store is down'));

describe('lease renewal', () => {
  test('renews every third of the lease, in one call, all that is held: running, buffered and not yet acked', async () => {
    const { pool, clock, record, finish } = poolBench({
      concurrency: 2,
      ack: () => new Promise(() => {}),
    });
    await pool.offer(tickets(4));
    await finish('job-0');
    await clock.advance(999);
    expect(record.renewals).toEqual([]);
    await clock.advance(1);
    expect(record.renewals).toEqual([['job-0', 'job-1', 'job-2', 'job-3']]);
    await clock.advance(1_000);
    expect(record.renewals).toHaveLength(2);
  });

  test('stops when nothing is held, and costs nothing then', async () => {
    const { pool, clock, record, finish } = poolBench();
    await pool.offer([ticket('a')]);
    await clock.advance(1_000);
    expect(record.renewals).toHaveLength(1); // control
    await finish('a');
    await clock.advance(10_000);
    expect(record.renewals).toHaveLength(1);
    expect(clock.nextTimerAt()).toBeNull();
  });

  test('a claim reported lost aborts its run and writes nothing; the others go on', async () => {
    const { pool, clock, record, finish } = poolBench({
      renew: async (claims) => claims.map(({ id }) => (id === 'job-1' ? 'lost' : 'acked')),
    });
    await pool.offer(tickets(3));
    await clock.advance(1_000);
    expect(record.aborted).toEqual(['job-1']);
    expect(record.lost).toEqual(['job-1']);
    await finish('job-0', 'job-2');
    expect(record.acks.flat().sort()).toEqual(['job-0:done', 'job-2:done']);
    expect(pool.counters()).toMatchObject({ lost: 1, acked: 2, running: 0 });
  });

  test('a buffered claim reported lost is never begun', async () => {
    const { pool, clock, record, finish } = poolBench({
      concurrency: 1,
      renew: async (claims) => claims.map(({ id }) => (id === 'job-1' ? 'lost' : 'acked')),
    });
    await pool.offer(tickets(3));
    await clock.advance(1_000);
    await finish('job-0');
    expect(record.started).toEqual(['job-0', 'job-2']);
  });

  test('a claim that was acked while the renewal was under way is not lost', async () => {
    let answer: (outcomes: ClaimOutcome[]) => void = () => {};
    const { pool, clock, record, finish } = poolBench({
      renew: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    await pool.offer([ticket('a')]);
    await clock.advance(1_000);
    await finish('a');
    answer(['lost']);
    await clock.advance(0);
    expect(record.acked).toEqual(['a:done']);
    expect(record.lost).toEqual([]);
  });

  test('two renewals may fail; when the lease has ended without one, the claim counts as lost', async () => {
    for (const failures of [2, 3]) {
      const { pool, clock, record } = poolBench({ renew: scripted(renewed, ...Array.from({ length: failures }, () => down)) });
      await pool.offer([ticket('a')]);
      await clock.advance(3_000);
      expect(record.aborted).toEqual(failures === 2 ? [] : ['a']);
      expect(record.errors).toHaveLength(failures);
    }
  });

  test('a renewal that hangs is a renewal that failed', async () => {
    const { pool, clock, record } = poolBench({ renew: () => new Promise(() => {}) });
    await pool.offer([ticket('a')]);
    await clock.advance(2_999);
    expect(record.aborted).toEqual([]);
    await clock.advance(1_001);
    expect(record.aborted).toEqual(['a']);
    expect(record.errors[0]?.[0]).toBe('The renewal of 1 claims was not answered within 1000 ms.');
  });

  test('without the port a lease ends when it ends, and the run goes on', async () => {
    const bench = poolBench({ renew: undefined as never });
    await bench.pool.offer([ticket('a')]);
    await bench.clock.advance(60_000);
    expect(bench.record.aborted).toEqual([]);
    await bench.finish('a');
    expect(bench.record.acked).toEqual(['a:done']);
  });

  test('renew() renews at once what is held', async () => {
    const { pool, clock, record } = poolBench();
    await pool.renew();
    expect(record.renewals).toEqual([]);
    await pool.offer(tickets(2));
    await clock.advance(100);
    await Promise.all([pool.renew(), pool.renew()]);
    expect(record.renewals).toEqual([['job-0', 'job-1']]);
  });
});
