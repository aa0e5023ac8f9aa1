import { InputError } from '@bellhop/kernel';
import { describe, expect, it } from 'vitest';
import { inboxContract } from '../inbox/inbox-contract.fixture.js';
import { MemoryInboxStore } from './memory-inbox-store.js';

inboxContract('MemoryInboxStore', () => new MemoryInboxStore());

describe('MemoryInboxStore', () => {
  it("holds a bounded number of a user's messages: the oldest goes", async () => {
    const store = new MemoryInboxStore({ keepPerUser: 2 });
    const scope = { organizationId: 'acme', userId: 'u1' };
    const message = { ...scope, topic: null, title: 'T', body: '', severity: 'info', actionUrl: null } as const;
    for (const at of [1, 2, 3]) await store.insert({ ...message, id: `m${at}`, notificationId: `e${at}`, createdAt: at });
    await store.insert({ ...message, userId: 'u2', id: 'm4', notificationId: 'e1', createdAt: 1 });
    expect((await store.list(scope, { archived: false, limit: 10 })).map(({ id }) => id)).toEqual(['m3', 'm2']);
    expect(await store.countUnread({ ...scope, userId: 'u2' })).toBe(1);
    for (const keepPerUser of [0, 1.5]) expect(() => new MemoryInboxStore({ keepPerUser })).toThrow(InputError);
  });
});
