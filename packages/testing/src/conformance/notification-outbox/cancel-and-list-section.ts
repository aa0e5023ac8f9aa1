import assert from 'node:assert/strict';
import { type CancelFilter, DELIVERY_STATUSES, type DeliveryPage, type DeliveryStatus } from '@bellhop/contracts';
import { refusal } from '../refusal.js';
import { type NotificationOutboxConformanceOptions, notificationIds, type OutboxBench, outboxSection, START } from './outbox-bench.js';

export function cancelSection(options: NotificationOutboxConformanceOptions): void {
  outboxSection(options, 'cancel', (section) => {
    const test = (title: string, body: (bench: OutboxBench) => Promise<void>): void => section.test(title, body, ['cancel']);

    test('ends pending rows, digests among them, and says how many; they are never sent', async (bench) => {
      await bench.enqueue({ notificationId: 'x', recipientId: 'u1' });
      await bench.enqueue({ notificationId: 'x', recipientId: 'u2', digestKey: 'key' });
      await bench.enqueue({ notificationId: 'y' });
      await bench.clock.advance(3);
      assert.equal(await bench.capability('cancel')({ notificationId: 'x' }), 2);
      const rows = await bench.rows();
      assert.deepEqual(
        rows.map((row) => [row.notificationId, row.status, row.updatedAt]),
        [
          ['x', 'cancelled', START + 3],
          ['x', 'cancelled', START + 3],
          ['y', 'pending', START],
        ],
      );
      assert.deepEqual(notificationIds(await bench.claim()), ['y']);
      assert.deepEqual(await bench.claimDigest(), []);
      assert.equal(await bench.capability('cancel')({ notificationId: 'x' }), 0);
    });

    const cases: readonly (readonly [CancelFilter, readonly string[]])[] = [
      [{ deliveryId: 'd1' }, ['d1']],
      [{ notificationId: 'n1' }, ['d1', 'd2', 'd3']],
      [{ recipientId: 'r1' }, ['d1', 'd3', 'd4']],
      [{ recipientId: 'r1', notificationId: 'n1' }, ['d1', 'd3']],
      [{ recipientId: 'r1', organizationId: 'acme' }, ['d1', 'd4']],
      [{ deliveryId: 'd1', organizationId: 'umbrella' }, []],
      [{ deliveryId: 'd1', recipientId: 'r2' }, []],
      [{ deliveryId: 'unknown' }, []],
    ];
    for (const [filter, expected] of cases) {
      test(`takes every field of ${JSON.stringify(filter)}`, async (bench) => {
        await bench.enqueue({ id: 'd1', notificationId: 'n1', recipientId: 'r1', organizationId: 'acme' });
        await bench.enqueue({ id: 'd2', notificationId: 'n1', recipientId: 'r2', organizationId: 'acme' });
        await bench.enqueue({ id: 'd3', notificationId: 'n1', recipientId: 'r1', organizationId: 'umbrella', channel: 'email' });
        await bench.enqueue({ id: 'd4', notificationId: 'n2', recipientId: 'r1', organizationId: 'acme' });
        assert.equal(await bench.capability('cancel')(filter), expected.length);
        const cancelled = (await bench.rows({ status: 'cancelled' })).map((row) => row.id);
        assert.deepEqual(cancelled.sort(), expected);
      });
    }

    test('refuses a filter that names nothing but an organization', async (bench) => {
      await bench.enqueue({ organizationId: 'acme' });
      await refusal(() => bench.capability('cancel')({}));
      await refusal(() => bench.capability('cancel')({ organizationId: 'acme' }));
      assert.equal((await bench.rows({ status: 'pending' })).length, 1);
    });
  });
}

export function listSection(options: NotificationOutboxConformanceOptions): void {
  outboxSection(options, 'list', ({ test }) => {
    test('is newest first', async (bench) => {
      for (let at = 0; at < 4; at += 1) {
        await bench.enqueue({ notificationId: `event-${at}` });
        if (at % 2 === 1) await bench.clock.advance(1);
      }
      assert.deepEqual(notificationIds((await bench.outbox.list()).items), ['event-3', 'event-2', 'event-1', 'event-0']);
    });

    test('gives 50 rows unless told, and at most 200', async (bench) => {
      for (let at = 0; at < 205; at += 1) await bench.enqueue();
      assert.equal((await bench.outbox.list()).items.length, 50);
      assert.equal((await bench.outbox.list({ limit: 200 })).items.length, 200);
      assert.equal((await bench.outbox.list({ limit: 1 })).items.length, 1);
      for (const limit of [0, 201, -1, 1.5]) await refusal(() => bench.outbox.list({ limit }));
    });

    test('goes on where a page ended, without repeating or missing a row', async (bench) => {
      // Many rows of one millisecond: only the id tells them apart.
      for (let at = 0; at < 11; at += 1) {
        await bench.enqueue({ notificationId: `event-${String(at).padStart(2, '0')}` });
        if (at === 5) await bench.clock.advance(1);
      }
      const seen: string[] = [];
      let page: DeliveryPage = await bench.outbox.list({ limit: 4 });
      const sizes: number[] = [];
      for (;;) {
        sizes.push(page.items.length);
        seen.push(...notificationIds(page.items));
        if (page.nextCursor === null || sizes.length > 5) break;
        page = await bench.outbox.list({ limit: 4, cursor: page.nextCursor });
      }
      assert.deepEqual(sizes, [4, 4, 3]);
      assert.deepEqual(
        seen,
        Array.from({ length: 11 }, (_, at) => `event-${String(10 - at).padStart(2, '0')}`),
      );
    });

    test('has no further page when the last one is exactly full', async (bench) => {
      for (let at = 0; at < 4; at += 1) await bench.enqueue();
      assert.equal((await bench.outbox.list({ limit: 4 })).nextCursor, null);
      assert.notEqual((await bench.outbox.list({ limit: 3 })).nextCursor, null);
      assert.deepEqual(await bench.outbox.list({ organizationId: 'nobody' }), { items: [], nextCursor: null });
    });

    test('keeps its place while rows arrive and change', async (bench) => {
      for (let at = 0; at < 6; at += 1) await bench.enqueue({ notificationId: `event-${at}` });
      const first = await bench.outbox.list({ limit: 3 });
      await bench.clock.advance(1);
      await bench.enqueue({ notificationId: 'newcomer' });
      await bench.claim();
      const second = await bench.outbox.list({ limit: 3, cursor: first.nextCursor as string });
      assert.deepEqual(notificationIds(second.items), ['event-2', 'event-1', 'event-0']);
    });

    test('filters by organization, status and notification, alone and together, page by page', async (bench) => {
      for (let at = 0; at < 6; at += 1) {
        await bench.enqueue({ organizationId: at % 2 ? 'acme' : 'umbrella', notificationId: `event-${at % 3}`, recipientId: `user-${at}` });
      }
      await bench.claim({ limit: 3 });
      const count = async (filter: Parameters<OutboxBench['rows']>[0]) => (await bench.rows(filter)).length;
      assert.equal(await count({ organizationId: 'acme' }), 3);
      assert.equal(await count({ organizationId: 'nobody' }), 0);
      assert.equal(await count({ status: 'in_flight' }), 3);
      assert.equal(await count({ status: 'dead' }), 0);
      assert.equal(await count({ notificationId: 'event-1' }), 2);
      assert.equal(await count({ organizationId: 'acme', status: 'in_flight', notificationId: 'event-1' }), 1);
      const page = await bench.outbox.list({ organizationId: 'acme', limit: 2 });
      const rest = await bench.outbox.list({ organizationId: 'acme', limit: 2, cursor: page.nextCursor as string });
      assert.deepEqual([page.items.length, rest.items.length, rest.nextCursor], [2, 1, null]);
      for (const row of [...page.items, ...rest.items]) assert.equal(row.organizationId, 'acme');
    });

    test('gives copies: changing one changes no row', async (bench) => {
      const id = await bench.enqueue({ payload: { title: 'Kept', deep: { n: 1 } } });
      const row = (await bench.row(id)) as { status: string; payload: { title?: string; deep?: { n: number } } };
      row.status = 'dead';
      row.payload.title = 'Changed';
      (row.payload.deep as { n: number }).n = 2;
      assert.deepEqual((await bench.row(id)).payload, { title: 'Kept', deep: { n: 1 } });
      assert.equal((await bench.claimOne()).payload.title, 'Kept');
    });

    test('refuses a cursor that no page gave', async (bench) => {
      await refusal(() => bench.outbox.list({ cursor: 'garbage' }));
    });

    test('refuses a status that does not exist, and names that no row can have', async (bench) => {
      await bench.enqueue();
      for (const status of ['lost', '', "pending' OR '1' = '1"]) {
        await refusal(() => bench.outbox.list({ status: status as DeliveryStatus }));
      }
      for (const bad of ['a\0b', '\ud83d', '']) {
        await refusal(() => bench.outbox.list({ organizationId: bad }));
        await refusal(() => bench.outbox.list({ notificationId: bad }));
        if (bench.outbox.cancel) await refusal(() => bench.capability('cancel')({ notificationId: bad }));
      }
      for (const status of DELIVERY_STATUSES)
        assert.equal((await bench.outbox.list({ status })).items.length, status === 'pending' ? 1 : 0);
    });
  });
}
