import type { NotificationRecord } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { ManualTransactions } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { eventStoreContract } from './event-store-contract.fixture.js';
import { MemoryEventStore } from './memory-event-store.js';

eventStoreContract('MemoryEventStore', () => new MemoryEventStore());

function event(id: string, dedupKey: string | null = null) {
  const record: NotificationRecord = {
    id,
    organizationId: 'acme',
    topic: 't',
    payload: null,
    severity: 'info',
    dedupKey,
    source: null,
    actorId: null,
    suppressed: [],
    createdAt: 1,
  };
  return { record, payloadText: null, fannedOut: false };
}

describe('MemoryEventStore', () => {
  it('keeps events back until the commit, and forgets them after a rollback', async () => {
    const { transaction, afterCommit } = new ManualTransactions();
    const events = new MemoryEventStore({ afterCommit });
    const failed = transaction(async (trx) => {
      await events.insert([event('e1', 'k')], { trx });
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await events.get('e1', { organizationId: 'acme' })).toBeNull();
    await transaction(async (trx) => {
      expect(await events.insert([event('e2', 'k')], { trx })).toEqual([{ id: 'e2', deduped: false, fannedOut: false }]);
      expect(await events.insert([event('e3', 'k')], { trx })).toEqual([{ id: 'e2', deduped: true, fannedOut: false }]);
      await events.markFannedOut([{ id: 'e2' }], { trx });
      expect(await events.get('e2', { organizationId: 'acme' })).toBeNull();
    });
    expect(await events.get('e2', { organizationId: 'acme' })).not.toBeNull();
    expect(await events.insert([event('e4', 'k')])).toEqual([{ id: 'e2', deduped: true, fannedOut: true }]);
  });

  it('refuses a transaction that it cannot wait for', async () => {
    const { transaction } = new ManualTransactions();
    const events = new MemoryEventStore();
    await expect(transaction((trx) => events.insert([event('e1')], { trx }))).rejects.toThrow(InputError);
    await expect(transaction((trx) => events.markFannedOut([{ id: 'e1' }], { trx }))).rejects.toThrow(InputError);
  });

  it('holds a bounded number of events: the oldest goes, and its key with it', async () => {
    const events = new MemoryEventStore({ keep: 2 });
    await events.insert([event('e1', 'a'), event('e2', 'b'), event('e3', 'c')]);
    expect(await events.get('e1', { organizationId: 'acme' })).toBeNull();
    expect(await events.get('e2', { organizationId: 'acme' })).not.toBeNull();
    expect((await events.insert([event('e4', 'c'), event('e5', 'a')])).map(({ deduped }) => deduped)).toEqual([true, false]);
    for (const keep of [0, 1.5, Number.NaN]) expect(() => new MemoryEventStore({ keep })).toThrow(InputError);
  });
});
