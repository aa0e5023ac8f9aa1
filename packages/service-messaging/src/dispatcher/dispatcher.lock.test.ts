import type { DispatchLock } from '@bellhop/contracts';
import { flakyChannel } from '@bellhop/testing';
import { describe, expect, test } from 'vitest';
import { dispatcherBench } from './dispatcher-bench.fixture.js';

/** A lock service in memory that tells what it granted. */
function locks() {
  const held = new Set<string>();
  const asked: string[] = [];
  const lock: DispatchLock = {
    acquire: async (key) => {
      asked.push(key);
      if (held.has(key)) return null;
      held.add(key);
      return { renew: async () => true, release: async () => void held.delete(key) };
    },
  };
  return { lock, held, asked };
}

describe('with a lock service', () => {
  test('partitions are walked under their locks, each claim in its own range, and every lock is given back', async () => {
    const { lock, held, asked } = locks();
    const bench = dispatcherBench({ lock, partitionCount: 4 });
    for (let n = 0; n < 20; n += 1) await bench.enqueue({ recipientId: `u-${n}` });
    await bench.dispatcher.tick();
    expect(bench.channel.sent).toHaveLength(20);
    expect(new Set(asked).size).toBe(4);
    expect(held.size).toBe(0);
    expect(bench.calls()).toMatchObject({ claim: 4 });
  });

  test('no lock is asked for while the survey sees no work, after a wake neither', async () => {
    const { lock, asked } = locks();
    const { dispatcher, clock, calls } = dispatcherBench({ lock });
    dispatcher.start();
    await clock.advance(100);
    dispatcher.wake();
    await clock.advance(0);
    expect(asked).toEqual([]);
    expect(calls()).toEqual({ survey: 2 });
    await dispatcher.stop();
  });

  test('contended is not idle: what another node has locked is asked for again after one interval', async () => {
    for (const without of [[], ['survey'], ['survey', 'reap']] as const) {
      const { lock, held } = locks();
      const { dispatcher, clock, enqueue, channel } = dispatcherBench({ lock, partitionCount: 1, without });
      dispatcher.start();
      await clock.advance(10_000); // ticks at 0, 1, 3 and 7 s; the next would be at 15 s
      await enqueue();
      held.add('notification-dispatcher/partition/0');
      dispatcher.wake();
      await clock.advance(400);
      expect(channel.sent).toHaveLength(0);
      held.clear();
      await clock.advance(99);
      expect(channel.sent).toHaveLength(0);
      await clock.advance(1);
      expect(channel.sent).toHaveLength(1);
      await dispatcher.stop();
    }
  });

  test('a lock service that fails for one partition, or cannot release, touches no other', async () => {
    const failing: DispatchLock = {
      acquire: async (key) => {
        if (key.endsWith('/1')) throw new Error('lock service is away');
        return { renew: async () => true, release: () => Promise.reject(new Error('no release')) };
      },
    };
    const { dispatcher, enqueue, channel, memory } = dispatcherBench({ lock: failing, partitionCount: 2 });
    for (let n = 0; n < 20; n += 1) await enqueue({ recipientId: `u-${n}` });
    const reachable = (await memory.list({ limit: 200 })).items.filter(({ slot }) => slot < 2_048).length;
    await dispatcher.tick();
    expect(channel.sent).toHaveLength(reachable);
    expect(reachable).toBeGreaterThan(0);
    expect(reachable).toBeLessThan(20);
  });

  test('two nodes with one lock service send everything once', async () => {
    const { lock } = locks();
    const email = flakyChannel({ id: 'email' });
    const one = dispatcherBench({ lock, channels: [email] });
    const two = dispatcherBench({ lock, channels: [email], clock: one.clock, memory: one.memory });
    for (let n = 0; n < 50; n += 1) await one.enqueue({ recipientId: `u-${n}` });
    one.dispatcher.start();
    two.dispatcher.start();
    await one.clock.advance(5_000);
    expect(email.sent).toHaveLength(50);
    expect(new Set(email.sent.map(({ deliveryId }) => deliveryId)).size).toBe(50);
    await Promise.all([one.dispatcher.stop(), two.dispatcher.stop()]);
  });
});
