import assert from 'node:assert/strict';
import { SLOT_COUNT } from '@bellhop/contracts';
import { type NotificationOutboxConformanceOptions, notificationIds, outboxSection, START } from './outbox-bench.js';

/** 32-bit FNV-1a, written again so that the outbox's own is checked against something. Keys are ASCII. */
function slotOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % SLOT_COUNT;
}

export function enqueueSection(options: NotificationOutboxConformanceOptions): void {
  outboxSection(options, 'enqueue', ({ test }) => {
    test('writes a pending row with everything that was given', async (bench) => {
      const id = await bench.outbox.enqueue({
        id: 'given-id',
        notificationId: 'event-x',
        recipientId: 'user-9',
        channel: 'email',
        topic: 'invoice.due',
        payload: { title: 'Grüße 😀', body: '', severity: 'warning', actionUrl: '/invoices/7', nested: { list: [1, null, true] } },
        organizationId: 'acme',
        notBefore: START + 60_000,
        digestKey: 'key-1',
      });
      assert.equal(id, 'given-id');
      assert.deepEqual(await bench.row(id), {
        id: 'given-id',
        organizationId: 'acme',
        notificationId: 'event-x',
        recipientId: 'user-9',
        channel: 'email',
        topic: 'invoice.due',
        payload: { title: 'Grüße 😀', body: '', severity: 'warning', actionUrl: '/invoices/7', nested: { list: [1, null, true] } },
        status: 'pending',
        attempts: 0,
        dueAt: START + 60_000,
        digestKey: 'key-1',
        slot: slotOf('key-1'),
        claimedBy: null,
        claimedAt: null,
        claimExpiresAt: null,
        lastAttemptedAt: null,
        externalId: null,
        error: null,
        createdAt: START,
        updatedAt: START,
      });
    });

    test('fills in what was not given: an id, the organization, due at once', async (bench) => {
      const id = await bench.outbox.enqueue({ notificationId: 'event-x', recipientId: 'user-9', channel: 'inbox', payload: {} });
      const row = await bench.row(id);
      assert.equal(row.organizationId, 'default');
      assert.equal(row.topic, null);
      assert.equal(row.digestKey, null);
      assert.equal(row.dueAt, START);
      assert.deepEqual(row.payload, {});
    });

    test('stores the slot: FNV-1a of the id, or of the digest key, in 4096', async (bench) => {
      for (let at = 0; at < 20; at += 1) {
        const single = await bench.row(await bench.enqueue());
        assert.equal(single.slot, slotOf(single.id));
        const digest = await bench.row(await bench.enqueue({ digestKey: `key-${at}` }));
        assert.equal(digest.slot, slotOf(`key-${at}`));
      }
    });

    test('makes ids that sort by creation, within one millisecond too', async (bench) => {
      const ids: string[] = [];
      for (let at = 0; at < 30; at += 1) ids.push(await bench.enqueue());
      assert.deepEqual(ids, [...ids].sort());
    });

    test('is unique on (notification, recipient, channel): a repeat gives the first id and changes nothing', async (bench) => {
      const first = await bench.enqueue({ notificationId: 'event-x', recipientId: 'u', channel: 'inbox' });
      const before = await bench.row(first);
      await bench.clock.advance(10);
      const repeat = await bench.enqueue({
        notificationId: 'event-x',
        recipientId: 'u',
        channel: 'inbox',
        payload: { title: 'Another' },
        notBefore: START + 999,
      });
      const withId = await bench.enqueue({ id: 'own-id', notificationId: 'event-x', recipientId: 'u', channel: 'inbox' });
      assert.equal(repeat, first);
      assert.equal(withId, first);
      assert.deepEqual(await bench.rows(), [before]);
    });

    test('keeps rows apart that differ in notification, recipient or channel alone', async (bench) => {
      const ids = [
        await bench.enqueue({ notificationId: 'n', recipientId: 'r', channel: 'c' }),
        await bench.enqueue({ notificationId: 'n2', recipientId: 'r', channel: 'c' }),
        await bench.enqueue({ notificationId: 'n', recipientId: 'r2', channel: 'c' }),
        await bench.enqueue({ notificationId: 'n', recipientId: 'r', channel: 'c2' }),
      ];
      assert.equal(new Set(ids).size, 4);
      assert.equal((await bench.rows()).length, 4);
    });

    test('converges when two nodes enqueue the same row at once', async (bench) => {
      const input = bench.input();
      const ids = await Promise.all([bench.outbox, bench.second, bench.outbox, bench.second].map((node) => node.enqueue(input)));
      assert.equal(new Set(ids).size, 1);
      assert.deepEqual(
        (await bench.rows()).map((row) => row.id),
        [ids[0]],
      );
    });

    test('refuses an id that another row has, and leaves that row alone', async (bench) => {
      const id = await bench.enqueue({ id: 'taken' });
      const before = await bench.row(id);
      await assert.rejects(bench.enqueue({ id: 'taken' }));
      assert.deepEqual(await bench.rows(), [before]);
    });

    test('is not sent before notBefore', async (bench) => {
      await bench.enqueue({ notBefore: START + 1_000 });
      await bench.clock.advance(999);
      assert.equal((await bench.claim()).length, 0);
      await bench.clock.advance(1);
      assert.equal((await bench.claim()).length, 1);
    });

    test(
      'enqueueMany gives ids in the order of its inputs and converges on rows that exist and on repeats within itself',
      async (bench) => {
        const existing = bench.input({ notificationId: 'event-b' });
        const existingId = await bench.outbox.enqueue(existing);
        const inputs = [
          bench.input({ notificationId: 'event-a' }),
          existing,
          bench.input({ notificationId: 'event-c', id: 'given-c' }),
          bench.input({ notificationId: 'event-a' }),
        ];
        const ids = await bench.capability('enqueueMany')(inputs);
        assert.equal(ids.length, 4);
        assert.equal(ids[1], existingId);
        assert.equal(ids[2], 'given-c');
        assert.equal(ids[3], ids[0]);
        assert.deepEqual(notificationIds(await bench.rows()).sort(), ['event-a', 'event-b', 'event-c']);
        assert.equal((await bench.row(ids[0] as string)).notificationId, 'event-a');
      },
      ['enqueueMany'],
    );

    test(
      'enqueueMany takes none and takes thousands',
      async (bench) => {
        assert.deepEqual(await bench.capability('enqueueMany')([]), []);
        const inputs = Array.from({ length: 2_500 }, () => bench.input());
        const ids = await bench.capability('enqueueMany')(inputs);
        assert.equal(new Set(ids).size, 2_500);
        const rows = await bench.rows();
        assert.deepEqual(
          rows.map((row) => row.id),
          ids,
        );
        assert.deepEqual(
          notificationIds(rows),
          inputs.map((input) => input.notificationId),
        );
      },
      ['enqueueMany'],
    );

    test(
      'enqueueMany writes all or none',
      async (bench) => {
        const good = bench.input();
        await assert.rejects(bench.capability('enqueueMany')([good, bench.input({ recipientId: '' })]));
        assert.deepEqual(await bench.rows(), []);
        await bench.capability('enqueueMany')([good]);
        assert.equal((await bench.rows()).length, 1);
      },
      ['enqueueMany'],
    );
  });
}
