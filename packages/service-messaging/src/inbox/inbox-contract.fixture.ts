import type { InboxPage } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { ManualClock } from '@bellhop/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { InboxService } from './inbox-service.js';
import type { InboxStore } from './inbox-store.js';

/** The inbox over any store: the same answers from memory and from every SQL dialect. */
export function inboxContract(name: string, empty: () => InboxStore | Promise<InboxStore>): void {
  describe(`inbox: ${name}`, () => {
    const caller = { userId: 'u1', organizationId: 'acme' };
    let clock: ManualClock;
    let store: InboxStore;
    let inbox: InboxService;
    let made: number;
    beforeEach(async () => {
      clock = new ManualClock();
      store = await empty();
      inbox = new InboxService(store, clock);
      made = 0;
    });

    async function receive(overrides: { userId?: string; organizationId?: string; topic?: string | null; notificationId?: string } = {}) {
      made += 1;
      const { id } = await store.insert({
        id: `message-${String(made).padStart(3, '0')}`,
        ...caller,
        notificationId: `event-${made}`,
        topic: 'order.placed',
        title: `Title ${made}`,
        body: 'Body',
        severity: 'info',
        actionUrl: null,
        createdAt: clock.now(),
        ...overrides,
      });
      return id;
    }
    const titles = async (...[filter]: [Parameters<InboxService['list']>[1]?]) =>
      (await inbox.list(caller, filter)).items.map(({ title }) => title);
    const stateOf = async (id: string) => (await inbox.list(caller)).items.find((item) => item.id === id)?.state;

    it('shows messages newest first, unread', async () => {
      await receive();
      await clock.advance(1);
      const id = await receive({ topic: null });
      const { items } = await inbox.list(caller);
      expect(items.map(({ title }) => title)).toEqual(['Title 2', 'Title 1']);
      expect(items[0]).toEqual({
        id,
        notificationId: 'event-2',
        topic: null,
        title: 'Title 2',
        body: 'Body',
        severity: 'info',
        actionUrl: null,
        state: 'delivered',
        read: false,
        archived: false,
        createdAt: clock.now(),
      });
    });

    it('[B8] holds one message per event and user: a repeat changes nothing and gives the first id', async () => {
      const first = await receive({ notificationId: 'event-x' });
      await inbox.mark(caller, [first], 'clicked');
      const [left, right] = await Promise.all([receive({ notificationId: 'event-x' }), receive({ notificationId: 'event-x' })]);
      expect([left, right]).toEqual([first, first]);
      expect(await titles()).toEqual(['Title 1']);
      expect(await stateOf(first)).toBe('clicked');
      const message = { ...caller, topic: null, title: 'T', body: '', severity: 'info', actionUrl: null, createdAt: clock.now() } as const;
      expect(await store.insert({ ...message, id: 'other', notificationId: 'event-x' })).toEqual({ id: first, inserted: false });
      expect(await store.insert({ ...message, id: 'other', notificationId: 'event-y' })).toEqual({ id: 'other', inserted: true });
    });

    it('belongs to one user of one organization, in every call', async () => {
      const foreign = [await receive({ userId: 'u2' }), await receive({ organizationId: 'umbrella' })];
      const own = await receive();
      expect(await titles()).toEqual(['Title 3']);
      expect(await inbox.unreadCount(caller)).toBe(1);
      expect(await inbox.markRead(caller, [...foreign, own])).toBe(1);
      expect(await inbox.archive(caller, foreign)).toBe(0);
      expect(await inbox.markAllRead(caller)).toBe(0);
      expect(await inbox.unreadCount({ userId: 'u2', organizationId: 'acme' })).toBe(1);
      expect(await inbox.unreadCount({ userId: 'u1', organizationId: 'umbrella' })).toBe(1);
      expect(await inbox.unreadCount({ userId: 'u1' })).toBe(0);
      await receive({ organizationId: 'default' });
      expect(await inbox.unreadCount({ userId: 'u1' })).toBe(1);
    });

    it('filters by read, topic and archived, alone and together', async () => {
      const [one, two, three] = [await receive(), await receive({ topic: 'order.paid' }), await receive()];
      await receive({ topic: 'order.paid' });
      await inbox.markRead(caller, [one, two]);
      await inbox.archive(caller, [one, three]);
      expect(await titles()).toEqual(['Title 4', 'Title 2']);
      expect(await titles({ read: true })).toEqual(['Title 2']);
      expect(await titles({ read: false })).toEqual(['Title 4']);
      expect(await titles({ topic: 'order.placed' })).toEqual([]);
      expect(await titles({ archived: true })).toEqual(['Title 3', 'Title 1']);
      expect(await titles({ archived: true, read: true, topic: 'order.placed' })).toEqual(['Title 1']);
    });

    it('moves receipts up and never down or sideways', async () => {
      const id = await receive();
      expect(await inbox.mark(caller, [id], 'read')).toBe(1);
      expect(await inbox.mark(caller, [id], 'read')).toBe(0);
      expect(await inbox.mark(caller, [id], 'clicked')).toBe(1);
      for (const state of ['read', 'dismissed', 'clicked'] as const) expect(await inbox.mark(caller, [id], state)).toBe(0);
      expect(await stateOf(id)).toBe('clicked');
      expect(await inbox.markAllRead(caller)).toBe(0);
      expect(await stateOf(id)).toBe('clicked');
      const other = await receive();
      expect(await inbox.mark(caller, [other], 'dismissed')).toBe(1);
      expect(await inbox.markRead(caller, [other])).toBe(0);
      expect((await inbox.list(caller, { read: true })).items).toHaveLength(2);
    });

    it('counts rows moved, each named one once, and ignores ids that are not there', async () => {
      const [one, two] = [await receive(), await receive()];
      await receive();
      expect(await inbox.markRead(caller, [one, one, two, 'unknown'])).toBe(2);
      expect(await inbox.markRead(caller, [])).toBe(0);
      expect(await inbox.unreadCount(caller)).toBe(1);
      expect(await inbox.markAllRead(caller)).toBe(1);
      expect(await inbox.unreadCount(caller)).toBe(0);
      expect(await inbox.archive(caller, [one, one])).toBe(1);
      expect(await inbox.archive(caller, [one])).toBe(0);
    });

    it('counts unread messages that are not archived, and marks those', async () => {
      const hidden = await receive();
      await receive();
      await inbox.archive(caller, [hidden]);
      expect(await inbox.unreadCount(caller)).toBe(1);
      expect(await inbox.markAllRead(caller)).toBe(1);
      expect((await inbox.list(caller, { archived: true })).items[0]?.read).toBe(false);
    });

    it('pages by cursor, stable while messages arrive and change', async () => {
      for (let at = 0; at < 7; at += 1) {
        await receive();
        if (at === 3) await clock.advance(1);
      }
      const seen: string[] = [];
      let page: InboxPage = await inbox.list(caller, { limit: 3 });
      for (let turn = 0; turn < 5; turn += 1) {
        seen.push(...page.items.map(({ title }) => title));
        if (page.nextCursor === null) break;
        await clock.advance(1);
        await receive({ topic: 'newcomer' });
        await inbox.markRead(caller, [page.items[0]?.id as string]);
        page = await inbox.list(caller, { limit: 3, cursor: page.nextCursor });
      }
      expect(seen).toEqual([7, 6, 5, 4, 3, 2, 1].map((at) => `Title ${at}`));
    });

    it('gives 50 messages unless told, at most 200', async () => {
      for (let at = 0; at < 60; at += 1) await receive();
      expect((await inbox.list(caller)).items).toHaveLength(50);
      expect((await inbox.list(caller, { limit: 200 })).items).toHaveLength(60);
      expect((await inbox.list(caller, { limit: 60 })).nextCursor).toBeNull();
      for (const limit of [0, 201, 1.5]) await expect(inbox.list(caller, { limit })).rejects.toThrow(InputError);
    });

    it('refuses malformed calls', async () => {
      const tooMany = Array.from({ length: 1_001 }, (_, at) => `id-${at}`);
      const bad: (() => Promise<unknown>)[] = [
        () => inbox.list({ userId: '' }),
        () => inbox.unreadCount({ userId: 'a\0' }),
        () => inbox.markAllRead({ userId: 'u', organizationId: '' }),
        () => inbox.list(caller, { cursor: 'garbage' }),
        () => inbox.list(caller, { topic: '' }),
        () => inbox.list(caller, { read: 'true' as unknown as boolean }),
        () => inbox.list(caller, { archived: 1 as unknown as boolean }),
        () => inbox.markRead(caller, tooMany),
        () => inbox.markRead(caller, 'id' as unknown as string[]),
        () => inbox.archive(caller, ['']),
        () => inbox.mark(caller, ['id'], 'delivered' as 'read'),
      ];
      for (const call of bad) await expect(call()).rejects.toThrow(InputError);
      expect(await inbox.markRead(caller, tooMany.slice(1))).toBe(0);
    });
  });
}
