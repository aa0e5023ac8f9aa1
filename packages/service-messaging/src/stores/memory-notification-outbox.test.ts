import { InputError } from '@bellhop/kernel';
import { ManualClock, ManualTransactions, OUTBOX_SECTIONS } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { memoryOutboxConformance } from './memory-notification-outbox.fixture.js';
import { MemoryNotificationOutbox } from './memory-notification-outbox.js';

memoryOutboxConformance(OUTBOX_SECTIONS.filter((section) => section !== 'histories' && section !== 'state-table'));

describe('MemoryNotificationOutbox', () => {
  const clock = new ManualClock();
  const input = (notificationId: string) => ({ notificationId, recipientId: 'u1', channel: 'inbox', payload: {} });

  it('gives one id for a target that a transaction enqueues twice', async () => {
    const { afterCommit, transaction } = new ManualTransactions();
    const outbox = new MemoryNotificationOutbox({ clock, afterCommit });
    const existing = await outbox.enqueue(input('a'));
    await transaction(async (trx) => {
      const first = await outbox.enqueue(input('b'), { trx });
      expect(await outbox.enqueue(input('b'), { trx })).toBe(first);
      expect(await outbox.enqueue(input('a'), { trx })).toBe(existing);
      expect((await outbox.list()).items).toHaveLength(1);
    });
    expect((await outbox.list()).items).toHaveLength(2);
  });

  it('refuses a transaction that it cannot wait for (control: without one it takes the row)', async () => {
    const { transaction } = new ManualTransactions();
    const outbox = new MemoryNotificationOutbox({ clock });
    await expect(transaction((trx) => outbox.enqueue(input('a'), { trx }))).rejects.toThrow(/afterCommit/);
    expect((await outbox.list()).items).toEqual([]);
    await outbox.enqueue(input('a'));
    expect((await outbox.list()).items).toHaveLength(1);
  });

  it('holds a bounded number of finished rows: the one that finished first goes, rows that wait never', async () => {
    const outbox = new MemoryNotificationOutbox({ clock, keepFinished: 2 });
    const [first] = await outbox.enqueueMany(['a', 'b', 'c', 'd'].map(input));
    const claims = await outbox.claim({ nodeId: 'n', limit: 3, claimTtlMs: 1_000 });
    for (const claim of claims) await outbox.ack(claim, { success: true });
    expect((await outbox.list()).items.map(({ notificationId, status }) => [notificationId, status])).toEqual([
      ['d', 'pending'],
      ['c', 'success'],
      ['b', 'success'],
    ]);
    expect(await outbox.enqueue(input('a'))).not.toBe(first);
    for (const keepFinished of [-1, 1.5, Number.NaN])
      expect(() => new MemoryNotificationOutbox({ clock, keepFinished })).toThrow(InputError);
  });
});
