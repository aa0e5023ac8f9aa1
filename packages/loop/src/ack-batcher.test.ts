import { describe, expect, test } from 'vitest';
import { ids, poolBench, scripted, type Ticket, ticket, tickets } from './pool-bench.fixture.js';
import type { ClaimOutcome, PoolAck } from './pool-options.js';

type Batch = readonly PoolAck<Ticket, string>[];
const acked = async (batch: Batch) => batch.map((): ClaimOutcome => 'acked');
const down = () => Promise.reject(new Error('store is down'));

describe('batched acks', () => {
  test('are written at once, in one call and without a timer, when nothing is running', async () => {
    const { pool, clock, record, finish } = poolBench();
    await pool.offer(tickets(3));
    await finish('job-0', 'job-1', 'job-2');
    expect(record.acks).toEqual([['job-0:done', 'job-1:done', 'job-2:done']]);
    expect(record.acked).toHaveLength(3);
    expect(clock.nextTimerAt()).toBeNull();
  });

  test('are at most 20 ms behind while others run', async () => {
    const { pool, clock, record, finish } = poolBench();
    await pool.offer(tickets(4));
    await finish('job-0');
    await clock.advance(15);
    await finish('job-1');
    await clock.advance(4);
    expect(record.acks).toEqual([]);
    await clock.advance(1);
    expect(record.acks).toEqual([['job-0:done', 'job-1:done']]);
    await finish('job-2');
    await clock.advance(20);
    expect(record.acks).toHaveLength(2);
  });

  test('are at most one batch behind', async () => {
    const { pool, record, finish } = poolBench({ concurrency: 100, batchSize: 100 });
    await pool.offer(tickets(100));
    await finish(...ids(tickets(63)));
    expect(record.acks).toEqual([]);
    await finish('job-63');
    expect(record.acks.map(({ length }) => length)).toEqual([64]);
  });

  test('gather while one is being written', async () => {
    let answer: (outcomes: ClaimOutcome[]) => void = () => {};
    const sizes: number[] = [];
    const { pool, finish } = poolBench({
      ack: (batch) => {
        sizes.push(batch.length);
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    });
    await pool.offer([ticket('a')]);
    await finish('a');
    await pool.offer([ticket('b'), ticket('c')]);
    await finish('b', 'c');
    expect(sizes).toEqual([1]);
    answer(['acked']);
    await finish();
    expect(sizes).toEqual([1, 2]);
  });

  test('an ack that finds its claim lost is counted, told, and touches no other', async () => {
    const { pool, record, finish } = poolBench({
      ack: async (batch) => batch.map(({ claim }) => (claim.id === 'job-1' ? 'lost' : 'acked')),
    });
    await pool.offer(tickets(3));
    await finish('job-0', 'job-1', 'job-2');
    expect(record.lost).toEqual(['job-1']);
    expect(record.acked).toEqual(['job-0:done', 'job-2:done']);
    expect(pool.counters()).toMatchObject({ acked: 2, lost: 1 });
  });
});

describe('failing acks', () => {
  test('a batch that fails falls back to single acks', async () => {
    const { pool, record, finish } = poolBench({ ack: scripted(acked, down) });
    await pool.offer(tickets(3));
    await finish('job-0', 'job-1', 'job-2');
    expect(record.acked).toHaveLength(3);
    expect(record.errors).toEqual([['store is down', undefined]]);
  });

  test('one that keeps failing never touches another, and is retried with doubling waits until its lease would have ended', async () => {
    const tries: number[] = [];
    const { pool, clock, record, finish } = poolBench({
      ack: async (batch) => {
        if (batch.some(({ claim }) => claim.id === 'job-1')) {
          if (batch.length === 1) tries.push(clock.monotonic());
          throw new Error('cannot be written');
        }
        return acked(batch);
      },
    });
    await pool.offer(tickets(3));
    const drained = pool.drained();
    await finish('job-0', 'job-1', 'job-2');
    expect(record.acked).toEqual(['job-0:done', 'job-2:done']);
    await drained; // it waits for nothing but its retry
    await pool.offer([ticket('later')]);
    await finish('later');
    expect(record.acked).toContain('later:done');
    await clock.advance(60_000);
    expect(tries).toEqual([0, 100, 300, 700, 1_500]); // the next, at 3 100, is past the lease of 3 000
    expect(record.renewals.flat()).not.toContain('job-1'); // a renewal would keep it failing for ever
    expect(record.errors.at(-1)).toEqual(['cannot be written', 'job-1']);
    expect(pool.counters()).toMatchObject({ abandoned: 1 });
    expect(pool.held()).toEqual([]);
  });

  test('those of a store that is back in time are all written', async () => {
    const { pool, clock, record, finish } = poolBench({ ack: scripted(acked, down, down, down, down) });
    await pool.offer(tickets(2));
    await finish('job-0', 'job-1');
    expect(record.acked).toEqual([]);
    await clock.advance(300);
    expect(record.acked).toEqual(['job-0:done', 'job-1:done']);
  });

  test('one that is not answered holds up the others no longer than its lease', async () => {
    const { pool, clock, record, finish } = poolBench({ ack: scripted(acked, () => new Promise(() => {})) });
    await pool.offer([ticket('hangs')]);
    await finish('hangs');
    await pool.offer([ticket('waits')]);
    await finish('waits');
    await clock.advance(2_999);
    expect(record.acked).toEqual([]);
    await clock.advance(1);
    expect(record.acked).toEqual(['waits:done']);
    expect(record.errors[0]).toEqual(['The ack of 1 claims was not answered within 3000 ms.', undefined]);
  });
});
