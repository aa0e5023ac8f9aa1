import type { NotificationRecord } from '@bellhop/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EventStore, NewEvent } from '../event-store.js';

/** What every event store answers, in memory and in SQL. */
export function eventStoreContract(name: string, empty: () => EventStore | Promise<EventStore>): void {
  describe(`event store: ${name}`, () => {
    let events: EventStore;
    beforeEach(async () => {
      events = await empty();
    });

    function event(id: string, overrides: Partial<NotificationRecord> = {}, fannedOut = false): NewEvent {
      const record: NotificationRecord = {
        id,
        organizationId: 'acme',
        topic: 'order.placed',
        payload: { title: 'T', deep: [1, { a: null }] },
        severity: 'warning',
        dedupKey: null,
        source: { type: 'order', id: '7' },
        actorId: 'u9',
        suppressed: [{ channel: 'sms', reason: 'unavailable' }],
        createdAt: 1_764_000_000_000,
        ...overrides,
      };
      return { record, payloadText: record.payload === null ? null : JSON.stringify(record.payload), fannedOut };
    }

    it('keeps an event whole, for its organization', async () => {
      const full = event('e1', { dedupKey: 'k' });
      const bare = event('e2', { payload: null, source: null, actorId: null, suppressed: [] });
      expect(await events.insert([full, bare])).toEqual([
        { id: 'e1', deduped: false, fannedOut: false },
        { id: 'e2', deduped: false, fannedOut: false },
      ]);
      expect(await events.get('e1', { organizationId: 'acme' })).toEqual(full.record);
      expect(await events.get('e2', { organizationId: 'acme' })).toEqual(bare.record);
      expect(await events.get('e1', { organizationId: 'umbrella' })).toBeNull();
      expect(await events.get('e3', { organizationId: 'acme' })).toBeNull();
      expect(await events.insert([])).toEqual([]);
    });

    it('converges on (organization, topic, dedup key), and on nothing less', async () => {
      await events.insert([event('e1', { dedupKey: 'k' })]);
      expect(await events.insert([event('e2', { dedupKey: 'k', topic: 'order.placed' })])).toEqual([
        { id: 'e1', deduped: true, fannedOut: false },
      ]);
      expect(await events.get('e2', { organizationId: 'acme' })).toBeNull();
      const others = [
        event('e3', { dedupKey: 'k2' }),
        event('e4', { dedupKey: 'k', topic: 'order.paid' }),
        event('e5', { dedupKey: 'k', organizationId: 'umbrella' }),
        event('e6'),
        event('e7'),
      ];
      expect((await events.insert(others)).map(({ id, deduped }) => [id, deduped])).toEqual(others.map(({ record }) => [record.id, false]));
    });

    it('takes a key repeated within one call as a repeat', async () => {
      const outcomes = await events.insert([
        event('e1', { dedupKey: 'k' }),
        event('e2', { dedupKey: 'k' }),
        event('e3', { dedupKey: 'k2' }),
      ]);
      expect(outcomes.map(({ id, deduped }) => [id, deduped])).toEqual([
        ['e1', false],
        ['e1', true],
        ['e3', false],
      ]);
    });

    it('converges when one key is inserted many times at once', async () => {
      const outcomes = (
        await Promise.all(Array.from({ length: 8 }, (_, at) => events.insert([event(`e${at}`, { dedupKey: 'k' })])))
      ).flat();
      expect(new Set(outcomes.map(({ id }) => id)).size).toBe(1);
      expect(outcomes.filter(({ deduped }) => deduped === false)).toHaveLength(1);
    });

    it('remembers whether the fan-out is finished', async () => {
      await events.insert([event('e1', { dedupKey: 'a' }), event('e2', { dedupKey: 'b' }), event('e3', { dedupKey: 'c' }, true)]);
      await events.markFannedOut([
        { id: 'e2', organizationId: 'acme' },
        { id: 'unknown', organizationId: 'acme' },
      ]);
      await events.markFannedOut([]);
      const repeats = await events.insert(['a', 'b', 'c'].map((dedupKey, at) => event(`f${at}`, { dedupKey })));
      expect(repeats).toEqual([
        { id: 'e1', deduped: true, fannedOut: false },
        { id: 'e2', deduped: true, fannedOut: true },
        { id: 'e3', deduped: true, fannedOut: true },
      ]);
    });
  });
}
