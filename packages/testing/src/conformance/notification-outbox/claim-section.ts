import assert from 'node:assert/strict';
import { SLOT_COUNT } from '@bellhop/contracts';
import { refusal } from '../refusal.js';
import {
  CLAIM_TTL_MS,
  type NotificationOutboxConformanceOptions,
  notificationIds,
  type OutboxBench,
  outboxSection,
  START,
} from './outbox-bench.js';

export function claimSection(options: NotificationOutboxConformanceOptions): void {
  outboxSection(options, 'claim', ({ test }) => {
    test('takes due rows: in flight, under the node, with an expiry and a token', async (bench) => {
      const id = await bench.enqueue();
      await bench.clock.advance(7);
      const claimed = await bench.claimOne({ claimTtlMs: 1_234 });
      const { claimToken, digestGroup, ...delivery } = claimed;
      assert.equal(typeof claimToken, 'string');
      assert.notEqual(claimToken, '');
      assert.equal(digestGroup, null);
      assert.equal(delivery.id, id);
      assert.equal(delivery.status, 'in_flight');
      assert.equal(delivery.claimedBy, 'node-a');
      assert.equal(delivery.claimedAt, START + 7);
      assert.equal(delivery.claimExpiresAt, START + 7 + 1_234);
      assert.deepEqual(delivery.payload, { title: 'Thank you' });
      assert.deepEqual(await bench.row(id), delivery);
    });

    test('counts the attempt when it takes the row', async (bench) => {
      const id = await bench.enqueue();
      assert.equal((await bench.row(id)).attempts, 0);
      assert.equal((await bench.claimOne()).attempts, 1);
      assert.equal((await bench.row(id)).attempts, 1);
    });

    test('finds nothing in an empty outbox', async (bench) => {
      assert.deepEqual(await bench.claim(), []);
      assert.deepEqual(await bench.claimDigest(), []);
    });

    test('goes by due time, then by creation', async (bench) => {
      await bench.enqueue({ notificationId: 'late', notBefore: START - 1_000 });
      await bench.enqueue({ notificationId: 'tie-1', notBefore: START - 5_000 });
      await bench.clock.advance(1);
      await bench.enqueue({ notificationId: 'tie-2', notBefore: START - 5_000 });
      await bench.enqueue({ notificationId: 'tie-3', notBefore: START - 5_000 });
      await bench.enqueue({ notificationId: 'first', notBefore: START - 9_000 });
      await bench.enqueue({ notificationId: 'now' });
      assert.deepEqual(notificationIds(await bench.claim()), ['first', 'tie-1', 'tie-2', 'tie-3', 'late', 'now']);
    });

    test('takes the earliest ones up to the limit, the rest with the next claim', async (bench) => {
      for (const [at, name] of ['c', 'a', 'd', 'b', 'e'].entries()) {
        await bench.enqueue({
          notificationId: name,
          channel: at % 2 === 0 ? 'inbox' : 'email',
          notBefore: START - 1_000 + name.charCodeAt(0),
        });
      }
      assert.deepEqual(notificationIds(await bench.claim({ limit: 2 })), ['a', 'b']);
      assert.deepEqual(notificationIds(await bench.claim({ limit: 2 })), ['c', 'd']);
      assert.deepEqual(notificationIds(await bench.claim({ limit: 2 })), ['e']);
      assert.deepEqual(await bench.claim({ limit: 2 }), []);
    });

    test('takes only the channels it was given; none given is none, absent is all', async (bench) => {
      for (const channel of ['inbox', 'email', 'sms']) await bench.enqueue({ notificationId: channel, channel });
      assert.deepEqual(await bench.claim({ channels: [] }), []);
      assert.deepEqual(await bench.claim({ channels: ['webhook'] }), []);
      assert.deepEqual(notificationIds(await bench.claim({ channels: ['sms', 'email', 'webhook'] })).sort(), ['email', 'sms']);
      assert.deepEqual(notificationIds(await bench.claim()), ['inbox']);
    });

    test('uses the time it was given instead of its clock', async (bench) => {
      await bench.enqueue({ notBefore: START + 1_000 });
      assert.deepEqual(await bench.claim({ now: START + 999 }), []);
      const claimed = await bench.claimOne({ now: START + 1_000 });
      assert.equal(claimed.claimedAt, START + 1_000);
      assert.equal(claimed.claimExpiresAt, START + 1_000 + CLAIM_TTL_MS);
    });

    test('crosses organizations and hands the organization on', async (bench) => {
      await bench.enqueue({ organizationId: 'acme' });
      await bench.enqueue({ organizationId: 'umbrella' });
      assert.deepEqual((await bench.claim()).map((row) => row.organizationId).sort(), ['acme', 'umbrella']);
    });

    test('hands out the payload as it was given', async (bench) => {
      const payload = { title: 'A "quoted" title\n', body: '😀', n: 1.5, deep: { list: [{ a: null }] } };
      await bench.enqueue({ payload });
      assert.deepEqual((await bench.claimOne()).payload, payload);
    });

    test('gives every claim of a row a token of its own', async (bench) => {
      await bench.enqueue();
      const tokens = new Set<string>();
      for (let at = 0; at < 4; at += 1) {
        const claimed = await bench.claimOne();
        tokens.add(claimed.claimToken);
        await bench.ack(claimed, { success: false, error: 'again', nextAttemptAt: bench.clock.now() });
      }
      assert.equal(tokens.size, 4);
    });

    test('is exclusive: two nodes that claim at once share no row, and together take every row once', async (bench) => {
      await Promise.all(Array.from({ length: 40 }, () => bench.enqueue()));
      const taken: string[] = [];
      for (let round = 0; round < 20 && taken.length < 40; round += 1) {
        const claims = await Promise.all(
          Array.from({ length: 6 }, (_, at) =>
            at % 2 === 0 ? bench.claim({ limit: 5, nodeId: 'node-a' }) : bench.claim({ limit: 5, nodeId: 'node-b' }, bench.second),
          ),
        );
        taken.push(...claims.flat().map((row) => row.id));
      }
      assert.equal(taken.length, 40, 'every row is taken, and taken once');
      assert.equal(new Set(taken).size, 40);
      for (const row of await bench.rows()) assert.equal(row.attempts, 1);
    });

    for (const [option, bad] of [
      ['limit', { limit: 0 }],
      ['limit', { limit: 1.5 }],
      ['claimTtlMs', { claimTtlMs: 0 }],
      ['nodeId', { nodeId: '' }],
      ['partition.count', { partition: { index: 0, count: 0 } }],
      ['partition.count', { partition: { index: 0, count: SLOT_COUNT + 1 } }],
      ['partition.index', { partition: { index: 8, count: 8 } }],
    ] as const) {
      test(`refuses ${JSON.stringify(bad)} and takes nothing`, async (bench) => {
        await bench.enqueue();
        assert.match((await refusal(() => bench.claim(bad))).message, new RegExp(option.replace('.', '\\.')));
        assert.match((await refusal(() => bench.claimDigest(bad))).message, new RegExp(option.replace('.', '\\.')));
        assert.equal((await bench.claim()).length, 1);
      });
    }
  });
}

export function partitionSection(options: NotificationOutboxConformanceOptions): void {
  outboxSection(options, 'partitions', ({ test }) => {
    test('are ranges of the 4096 slots', async (bench) => {
      await fill(bench);
      for (let index = 0; index < 5; index += 1) {
        const from = Math.floor((index * SLOT_COUNT) / 5);
        const to = Math.floor(((index + 1) * SLOT_COUNT) / 5);
        const claimed = [
          ...(await bench.claim({ partition: { index, count: 5 } })),
          ...(await bench.claimDigest({ partition: { index, count: 5 } })),
        ];
        assert.ok(claimed.length > 0, `partition ${index} holds rows`);
        for (const row of claimed) assert.ok(row.slot >= from && row.slot < to, `slot ${row.slot} lies in ${from} to ${to}`);
      }
      assert.equal((await bench.rows({ status: 'pending' })).length, 0);
    });

    test('[B7] may change their count while rows wait, and strand none', async (bench) => {
      await fill(bench);
      await sweep(bench, 8, 3);
      await sweep(bench, 3, 3);
      await sweep(bench, 1, 1);
      assert.deepEqual(await bench.rows({ status: 'pending' }), []);
    });

    test('[B7] grow from a few to 4096 without stranding a row', async (bench) => {
      await fill(bench, 10);
      await sweep(bench, 2, 1);
      for (const { slot: index } of await bench.rows({ status: 'pending' })) {
        await bench.claim({ partition: { index, count: SLOT_COUNT }, skipReap: true });
        await bench.claimDigest({ partition: { index, count: SLOT_COUNT }, skipReap: true });
      }
      assert.deepEqual(await bench.rows({ status: 'pending' }), []);
    });
  });
}

async function fill(bench: OutboxBench, count = 40): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, at) => [bench.enqueue(), bench.enqueue({ digestKey: `key-${at}` })]).flat());
}

/** Walks the first `visited` of `count` partitions. */
async function sweep(bench: OutboxBench, count: number, visited: number): Promise<void> {
  for (let index = 0; index < visited; index += 1) {
    await bench.claim({ partition: { index, count }, skipReap: true });
    await bench.claimDigest({ partition: { index, count }, skipReap: true });
  }
}
