import type { NotificationChannel } from '@bellhop/contracts';
import { ManualClock } from '@bellhop/testing';
import { describe, expect, test } from 'vitest';
import { MemoryNotificationOutbox } from '../stores/memory-notification-outbox.js';
import { dispatcherBench } from './dispatcher-bench.fixture.js';

const CLAIM_TTL_MS = 5_000;
const ROWS = 60;

/**
 * Lives of a process on one outbox. Each ends when the row of `poison` is sent: nothing of it is heard of any more, as after a crash. The
 * next one starts when its claims have expired.
 */
async function liveUntilQuiet(without: readonly 'release'[] = []) {
  const clock = new ManualClock();
  const memory = new MemoryNotificationOutbox({ clock });
  const sent = new Map<string, number>();
  for (let n = 0; n < ROWS; n += 1) {
    await memory.enqueue({ notificationId: `n-${n}`, recipientId: n === 5 ? 'poison' : `u-${n}`, channel: 'email', payload: {} });
  }
  let crashes = 0;
  for (let life = 0; life < 12; life += 1) {
    let dead = false;
    const never = new Promise<never>(() => {});
    const channel: NotificationChannel = {
      id: 'email',
      async send(_ctx, { recipientId }) {
        if (recipientId === 'poison') dead = true;
        // Sends take a moment: whatever was claimed beside the poison is under way, or waits, when the process ends.
        await Promise.resolve();
        if (dead) return never;
        sent.set(recipientId, (sent.get(recipientId) ?? 0) + 1);
        return { ok: true };
      },
    };
    // A dead process writes nothing: its calls to the outbox go nowhere.
    const outbox = new Proxy(memory, {
      get: (target, name) => {
        const member = Reflect.get(target, name) as unknown;
        return typeof member === 'function' ? (...args: unknown[]) => (dead ? never : Reflect.apply(member, target, args)) : member;
      },
    });
    const { dispatcher } = dispatcherBench({ clock, memory: outbox, channels: [channel], without, nodeId: `life-${life}` });
    dispatcher.start();
    await clock.advance(CLAIM_TTL_MS * 4);
    if (dead) crashes += 1;
    const stopping = dispatcher.stop({ deadlineMs: 0 });
    await clock.advance(2_000);
    await stopping;
  }
  const { items } = await memory.list({ limit: 200 });
  return { crashes, sent, items, dead: items.filter(({ status }) => status === 'dead').map(({ recipientId }) => recipientId) };
}

describe('[quarantine] a delivery that ends its node', () => {
  test('goes dead after its own six attempts and takes no other row along', async () => {
    const { crashes, sent, dead, items } = await liveUntilQuiet();
    expect(crashes).toBe(6);
    expect(dead).toEqual(['poison']);
    expect(items.filter(({ status }) => status === 'success')).toHaveLength(ROWS - 1);
    expect(sent.size).toBe(ROWS - 1);
  });

  test('control: where nothing can be handed back, it does take others along', async () => {
    const { dead } = await liveUntilQuiet(['release']);
    expect(dead.length).toBeGreaterThan(1);
  });
});
