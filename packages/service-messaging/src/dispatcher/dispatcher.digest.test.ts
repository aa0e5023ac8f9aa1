import { flakyChannel } from '@bellhop/testing';
import { describe, expect, test } from 'vitest';
import { dispatcherBench } from './dispatcher-bench.fixture.js';

async function enqueueDigest(bench: ReturnType<typeof dispatcherBench>, rows: number) {
  return Promise.all(
    Array.from({ length: rows }, (_, index) =>
      bench.enqueue({ notificationId: `n-${index}`, digestKey: 'ada|email|today', topic: `topic-${index}` }),
    ),
  );
}

describe('digests', () => {
  test('[B2] a failed digest is retried as one message: every row is acked with the one outcome', async () => {
    const email = flakyChannel({ id: 'email', outcomes: ['retryable'] });
    let draws = 0;
    const bench = dispatcherBench({ channels: [email], random: () => (draws++ % 10) / 10 });
    const ids = await enqueueDigest(bench, 5);
    await bench.dispatcher.tick();
    const rows = await Promise.all(ids.map(bench.row));
    expect(new Set(rows.map(({ dueAt }) => dueAt)).size).toBe(1);
    expect(rows.every(({ status, attempts, error }) => status === 'pending' && attempts === 1 && error !== null)).toBe(true);
    bench.dispatcher.start();
    await bench.clock.advance(1_300);
    expect(email.attempts.map(({ payload }) => payload.count)).toEqual([5, 5]);
    expect(await bench.statuses()).toEqual(Array(5).fill('success'));
    await bench.dispatcher.stop();
  });

  test('the attempts of a digest share one idempotency key', async () => {
    const keys: string[] = [];
    const bench = dispatcherBench({
      channels: [
        {
          id: 'email',
          send: async ({ idempotencyKey }, { deliveryId }) => {
            keys.push(idempotencyKey, deliveryId);
            return { ok: keys.length > 2 };
          },
        },
      ],
    });
    const [first] = await enqueueDigest(bench, 3);
    bench.dispatcher.start();
    await bench.clock.advance(100);
    await bench.memory.cancel({ deliveryId: first as string });
    await bench.clock.advance(1_000);
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    await bench.dispatcher.stop();
  });

  test('two dispatchers, one digest', async () => {
    const email = flakyChannel({ id: 'email' });
    const one = dispatcherBench({ channels: [email] });
    const two = dispatcherBench({ channels: [email], clock: one.clock, memory: one.memory });
    await enqueueDigest(one, 4);
    await Promise.all([one.dispatcher.tick(), two.dispatcher.tick()]);
    expect(email.sent).toHaveLength(1);
    expect(one.dispatcher.counters().delivered + two.dispatcher.counters().delivered).toBe(4);
  });

  test('a digest that fails touches no other digest', async () => {
    const email = flakyChannel({ id: 'email', outcomes: ({ recipientId }) => (recipientId === 'ada' ? 'throw' : 'ok') });
    const bench = dispatcherBench({ channels: [email] });
    for (const recipientId of ['ada', 'grace']) {
      for (const n of [1, 2]) await bench.enqueue({ notificationId: `n-${n}`, recipientId, digestKey: `${recipientId}|email|today` });
    }
    await bench.dispatcher.tick();
    expect(email.sent.map(({ recipientId }) => recipientId)).toEqual(['grace']);
    expect((await bench.statuses()).sort()).toEqual(['pending', 'pending', 'success', 'success']);
  });

  test('an older outbox, which names no groups and acks row by row, still sends one message', async () => {
    const bench = dispatcherBench({ without: ['survey', 'reap', 'ackMany'] });
    const claimDigest = bench.memory.claimDigest.bind(bench.memory);
    bench.memory.claimDigest = async (options) =>
      (await claimDigest(options)).map(({ digestGroup: _unnamed, ...row }) => row as typeof row & { digestGroup: null });
    const ids = await enqueueDigest(bench, 3);
    bench.faults.fail({ method: 'ack', kind: 'throw', nth: 2 });
    await bench.dispatcher.tick();
    await bench.clock.advance(200); // the retry goes on behind the row that was written
    expect(bench.channel.sent.map(({ deliveryId }) => deliveryId)).toEqual([ids[0]]);
    expect(await bench.statuses()).toEqual(Array(3).fill('success'));
    expect(bench.dispatcher.counters()).toMatchObject({ delivered: 3, lost: 0 });
  });
});
