import assert from 'node:assert/strict';
import type { ClaimedDelivery } from '@bellhop/contracts';
import {
  CLAIM_TTL_MS,
  type NotificationOutboxConformanceOptions,
  notificationIds,
  type OutboxBench,
  outboxSection,
  START,
} from './outbox-bench.js';

export function digestSection(options: NotificationOutboxConformanceOptions): void {
  outboxSection(options, 'digests', ({ test }) => {
    test('are claimed by claimDigest only, rows outside digests by claim only', async (bench) => {
      await bench.enqueue({ notificationId: 'single' });
      await bench.enqueue({ notificationId: 'digest', digestKey: 'key' });
      assert.deepEqual(notificationIds(await bench.claim()), ['single']);
      assert.deepEqual(await bench.claim(), []);
      assert.deepEqual(notificationIds(await bench.claimDigest()), ['digest']);
      assert.deepEqual(await bench.claimDigest(), []);
    });

    test('are taken as a claim takes rows: in flight, counted, with a token, an expiry and one group', async (bench) => {
      await group(bench, 'key', 3);
      const claimed = await bench.claimDigest({ nodeId: 'node-d', claimTtlMs: 777 });
      assert.equal(claimed.length, 3);
      for (const row of claimed) {
        const { claimToken, digestGroup, ...delivery } = row;
        assert.ok(claimToken && digestGroup);
        assert.equal(row.status, 'in_flight');
        assert.equal(row.claimedBy, 'node-d');
        assert.equal(row.claimExpiresAt, START + 777);
        assert.equal(row.attempts, 1);
        assert.deepEqual(await bench.row(row.id), delivery);
      }
      assert.equal(new Set(claimed.map((row) => row.digestGroup)).size, 1);
    });

    test('come whole when their earliest row is due, the later ones with it', async (bench) => {
      await bench.enqueue({ notificationId: 'late', digestKey: 'key', notBefore: START + 9_000 });
      await bench.enqueue({ notificationId: 'early', digestKey: 'key', notBefore: START + 1_000 });
      await bench.enqueue({ notificationId: 'later', digestKey: 'key', notBefore: START + 5_000 });
      await bench.clock.advance(999);
      assert.deepEqual(await bench.claimDigest(), []);
      await bench.clock.advance(1);
      assert.deepEqual(notificationIds(await bench.claimDigest()), ['late', 'early', 'later']);
    });

    test('go by due time, group after group, and within a group by creation', async (bench) => {
      await bench.enqueue({ notificationId: 'b1', digestKey: 'key-b', notBefore: START - 200 });
      await bench.enqueue({ notificationId: 'a1', digestKey: 'key-a', notBefore: START - 100 });
      await bench.enqueue({ notificationId: 'b2', digestKey: 'key-b', notBefore: START - 50 });
      await bench.enqueue({ notificationId: 'c1', digestKey: 'key-c', notBefore: START - 100 });
      await bench.enqueue({ notificationId: 'a2', digestKey: 'key-a', notBefore: START - 300 });
      assert.deepEqual(notificationIds(await bench.claimDigest()), ['a1', 'a2', 'b1', 'b2', 'c1']);
    });

    test('go by their earliest rows, not by an older row of theirs that is due later', async (bench) => {
      // Ids grow with the time of creation.
      for (const [notificationId, digestKey, notBefore] of [
        ['a-later', 'key-a', START - 50],
        ['b', 'key-b', START - 100],
        ['a-earliest', 'key-a', START - 100],
      ] as const) {
        await bench.enqueue({ notificationId, digestKey, notBefore });
        await bench.clock.advance(1);
      }
      assert.deepEqual(keys(await bench.claimDigest({ limit: 1 })), ['key-b']);
      assert.deepEqual(keys(await bench.claimDigest({ limit: 1 })), ['key-a', 'key-a']);
    });

    test('are limited by groups, never cut: a group larger than the limit comes whole', async (bench) => {
      await group(bench, 'key-1', 5);
      await bench.clock.advance(1);
      await group(bench, 'key-2', 4);
      await bench.clock.advance(1);
      await group(bench, 'key-3', 1);
      assert.deepEqual(keys(await bench.claimDigest({ limit: 1 })), new Array(5).fill('key-1'));
      assert.deepEqual(keys(await bench.claimDigest({ limit: 2 })), [...new Array(4).fill('key-2'), 'key-3']);
      assert.deepEqual(await bench.claimDigest({ limit: 2 }), []);
    });

    test('are told apart by key and organization', async (bench) => {
      await group(bench, 'key', 2, { organizationId: 'acme' });
      await group(bench, 'key', 2, { organizationId: 'umbrella' });
      await group(bench, 'key-2', 1, { organizationId: 'acme' });
      const claimed = await bench.claimDigest({ limit: 100 });
      const groups = new Map<string, Set<string>>();
      for (const row of claimed) {
        const members = groups.get(row.digestGroup as string) ?? new Set();
        groups.set(row.digestGroup as string, members.add(`${row.organizationId} ${row.digestKey}`));
      }
      assert.equal(claimed.length, 5);
      assert.deepEqual([...groups.values()].map((members) => [...members].join()).sort(), ['acme key', 'acme key-2', 'umbrella key']);
    });

    test('take the channels and partitions that were asked for', async (bench) => {
      await bench.enqueue({ channel: 'email', digestKey: 'user|email|w' });
      await bench.enqueue({ channel: 'inbox', digestKey: 'user|inbox|w' });
      assert.deepEqual(await bench.claimDigest({ channels: [] }), []);
      assert.deepEqual(
        (await bench.claimDigest({ channels: ['inbox'] })).map((row) => row.channel),
        ['inbox'],
      );
      const [email] = await bench.rows({ status: 'pending' });
      const index = Math.floor((email?.slot as number) / 512);
      assert.deepEqual(await bench.claimDigest({ partition: { index: (index + 1) % 8, count: 8 } }), []);
      assert.equal((await bench.claimDigest({ partition: { index, count: 8 } })).length, 1);
    });

    test('a row that arrives after its group was claimed is a group of its own', async (bench) => {
      await group(bench, 'key', 2);
      const closed = await bench.claimDigest();
      await group(bench, 'key', 1);
      const own = await bench.claimDigest();
      assert.equal(own.length, 1);
      assert.notEqual(own[0]?.digestGroup, closed[0]?.digestGroup);
    });

    test('a row that arrives while its closed group waits for a retry does not join it', async (bench) => {
      await group(bench, 'key', 2);
      const closed = await bench.claimDigest();
      for (const row of closed) await bench.ack(row, { success: false, error: 'down', nextAttemptAt: START + 1_000 });
      await bench.enqueue({ notificationId: 'newcomer', digestKey: 'key', notBefore: START + 1_000 });
      await bench.clock.advance(1_000);
      const claimed = await bench.claimDigest({ limit: 10 });
      assert.equal(claimed.length, 3);
      const newcomer = claimed.find((row) => row.notificationId === 'newcomer');
      const retried = claimed.filter((row) => row !== newcomer);
      assert.deepEqual(
        retried.map((row) => row.digestGroup),
        closed.map((row) => row.digestGroup),
      );
      assert.notEqual(newcomer?.digestGroup, closed[0]?.digestGroup);
    });

    test('[digest-whole] that failed come back whole at one time', async (bench) => {
      await group(bench, 'key', 5);
      const closed = await bench.claimDigest();
      for (const row of closed) await bench.ack(row, { success: false, error: 'down', nextAttemptAt: START + 1_000 });
      await bench.clock.advance(999);
      assert.deepEqual(await bench.claimDigest(), []);
      await bench.clock.advance(1);
      const again = await bench.claimDigest({ limit: 1 });
      assert.deepEqual(
        again.map((row) => row.id),
        closed.map((row) => row.id),
      );
      for (const row of again) {
        assert.equal(row.attempts, 2);
        assert.equal(row.digestGroup, closed[0]?.digestGroup);
      }
    });

    test('[digest-whole] whose claim expired come back whole', async (bench) => {
      await group(bench, 'key', 3);
      const closed = await bench.claimDigest();
      await bench.clock.advance(CLAIM_TTL_MS);
      const again = await bench.claimDigest({ nodeId: 'node-b', limit: 1 }, bench.second);
      assert.deepEqual(
        again.map((row) => [row.id, row.digestGroup]),
        closed.map((row) => [row.id, row.digestGroup]),
      );
    });

    test('[digest-whole] wait while a part of them is in flight, and then come whole', async (bench) => {
      await group(bench, 'key', 3);
      const closed = (await bench.claimDigest()) as [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery];
      await bench.ack(closed[0], { success: false, error: 'down', nextAttemptAt: START });
      assert.deepEqual(await bench.claimDigest(), []);
      for (const row of closed.slice(1)) await bench.ack(row, { success: false, error: 'down', nextAttemptAt: START + 60_000 });
      assert.equal((await bench.claimDigest()).length, 3);
    });

    test(
      'that were released come back whole, uncounted',
      async (bench) => {
        await group(bench, 'key', 3);
        await bench.capability('release')(await bench.claimDigest());
        const again = await bench.claimDigest();
        assert.deepEqual(
          again.map((row) => row.attempts),
          [1, 1, 1],
        );
        assert.equal(new Set(again.map((row) => row.digestGroup)).size, 1);
      },
      ['release'],
    );

    test(
      'hold a claim that a late ack cannot use',
      async (bench) => {
        await group(bench, 'key', 2);
        const closed = await bench.claimDigest();
        await bench.clock.advance(CLAIM_TTL_MS);
        await bench.capability('reap')({ claimTtlMs: CLAIM_TTL_MS });
        for (const row of closed) assert.equal(await bench.ack(row, { success: true }), 'lost');
        assert.equal((await bench.rows({ status: 'pending' })).length, 2);
      },
      ['reap'],
    );

    test('[digest-whole] are never split between two nodes that claim at once', async (bench) => {
      for (let trial = 0; trial < 20; trial += 1) {
        await group(bench, `key-${trial}`, 8);
        await group(bench, `other-${trial}`, 8);
        const claims = await Promise.all(
          Array.from({ length: 4 }, (_, at) =>
            at % 2 === 0
              ? bench.claimDigest({ nodeId: `node-${at}`, limit: 2, skipReap: true })
              : bench.claimDigest({ nodeId: `node-${at}`, limit: 2, skipReap: true }, bench.second),
          ),
        );
        // Whoever came too late for everything may have got nothing: what is left is claimed by one more.
        claims.push(await bench.claimDigest({ skipReap: true }));
        const perGroup = claims.flatMap(byDigestKey);
        assert.deepEqual(
          perGroup.map((rows) => rows.length),
          [8, 8],
          `trial ${trial}: each group is claimed once, whole`,
        );
        for (const rows of perGroup) assert.equal(new Set(rows.map((row) => row.digestGroup)).size, 1);
      }
    });

    test('[digest-whole] are not split by rows that arrive while two nodes claim', async (bench) => {
      for (let trial = 0; trial < 20; trial += 1) {
        await group(bench, `key-${trial}`, 4);
        const [left, right] = await Promise.all([
          bench.claimDigest({ nodeId: 'node-a', skipReap: true }),
          bench.claimDigest({ nodeId: 'node-b', skipReap: true }, bench.second),
          bench.enqueue({ digestKey: `key-${trial}` }),
          bench.enqueue({ digestKey: `key-${trial}` }),
        ]);
        const rest = await bench.claimDigest({ skipReap: true });
        const claimed = [...left, ...right, ...rest];
        assert.equal(claimed.length, 6, 'no row is lost or claimed twice');
        const claims = [left, right, rest].map((claim) => new Set(claim.map((row) => row.digestGroup)));
        for (const names of claims) assert.ok(names.size <= 1, `trial ${trial}: what one claim takes is one group`);
        const groups = new Set(claimed.map((row) => row.digestGroup));
        assert.equal(
          claims.reduce((sum, names) => sum + names.size, 0),
          groups.size,
          `trial ${trial}: no group is in two claims`,
        );
      }
    });
  });
}

async function group(bench: OutboxBench, digestKey: string, size: number, overrides: { organizationId?: string } = {}): Promise<void> {
  await Promise.all(Array.from({ length: size }, () => bench.enqueue({ digestKey, ...overrides })));
}

/** The rows of one claim, apart by key. */
function byDigestKey(claim: readonly ClaimedDelivery[]): ClaimedDelivery[][] {
  return [...new Set(keys(claim))].map((key) => claim.filter((row) => row.digestKey === key));
}

function keys(rows: readonly ClaimedDelivery[]): (string | null)[] {
  return rows.map((row) => row.digestKey);
}
