import assert from 'node:assert/strict';
import { DELIVERY_ATTEMPT_LIMIT } from '@bellhop/contracts';
import {
  CLAIM_TTL_MS,
  type NotificationOutboxConformanceOptions,
  notificationIds,
  type OutboxBench,
  outboxSection,
  START,
} from './outbox-bench.js';

export function expirySection(options: NotificationOutboxConformanceOptions): void {
  outboxSection(options, 'expired claims', ({ test }) => {
    test('come back with a direct claim, of any node, at the expiry and not before; the attempt stays counted', async (bench) => {
      await bench.enqueue();
      await bench.claimOne();
      await bench.clock.advance(CLAIM_TTL_MS - 1);
      assert.deepEqual(await bench.claim({ nodeId: 'node-b' }, bench.second), []);
      await bench.clock.advance(1);
      const again = await bench.claimOne({ nodeId: 'node-b' }, bench.second);
      assert.equal(again.attempts, 2);
      assert.equal(again.claimedBy, 'node-b');
    });

    test('come back with a direct claimDigest', async (bench) => {
      await bench.enqueue({ digestKey: 'key' });
      assert.equal((await bench.claimDigest()).length, 1);
      await bench.clock.advance(CLAIM_TTL_MS - 1);
      assert.deepEqual(await bench.claimDigest({}, bench.second), []);
      await bench.clock.advance(1);
      assert.equal((await bench.claimDigest({}, bench.second)).length, 1);
    });

    test('are reaped by a direct claim whatever channel, partition or kind of row it asks for', async (bench) => {
      await bench.enqueue({ channel: 'email' });
      await bench.enqueue({ digestKey: 'key' });
      await bench.claim();
      await bench.claimDigest();
      await bench.clock.advance(CLAIM_TTL_MS);
      await bench.claim({ channels: ['sms'], partition: { index: 0, count: 4096 } });
      assert.deepEqual(
        (await bench.rows()).map((row) => row.status),
        ['pending', 'pending'],
      );
      // By this a dispatcher knows them: one of them may be what ended its node.
      assert.deepEqual(
        (await bench.rows()).map((row) => row.error),
        ['claim expired', 'claim expired'],
      );
    });

    test(
      'stay where they are when the claim skips the reap (control: the next claim takes them)',
      async (bench) => {
        await bench.enqueue();
        await bench.enqueue({ digestKey: 'key' });
        await bench.claim();
        await bench.claimDigest();
        const before = await bench.rows();
        await bench.clock.advance(CLAIM_TTL_MS * 3);
        assert.deepEqual(await bench.claim({ skipReap: true }), []);
        assert.deepEqual(await bench.claimDigest({ skipReap: true }), []);
        assert.deepEqual(await bench.rows(), before);
        assert.equal((await bench.claim({ skipReap: false })).length, 1);
        assert.equal((await bench.claimDigest()).length, 1);
      },
      ['reap'],
    );

    test('belong to their own TTL: a node with a shorter one never steals (control: the claim does expire in the end)', async (bench) => {
      await bench.enqueue();
      await bench.claimOne({ nodeId: 'patient', claimTtlMs: 60_000 });
      await bench.clock.advance(59_999);
      assert.deepEqual(await bench.claim({ nodeId: 'hasty', claimTtlMs: 10 }, bench.second), []);
      await bench.outbox.reap?.({ claimTtlMs: 10 });
      assert.equal((await bench.rows())[0]?.status, 'in_flight');
      await bench.clock.advance(1);
      assert.equal((await bench.claim({ nodeId: 'hasty', claimTtlMs: 10 }, bench.second)).length, 1);
    });

    test(
      'belong to their own TTL: a reaper with a longer one still returns them',
      async (bench) => {
        await bench.enqueue();
        await bench.claimOne({ claimTtlMs: 100 });
        await bench.clock.advance(100);
        assert.equal(await bench.capability('reap')({ claimTtlMs: 60_000 }), 1);
      },
      ['reap'],
    );

    test(
      'are returned by reap, store-wide: across organizations, partitions, channels and kinds; it says how many',
      async (bench) => {
        for (const organizationId of ['acme', 'umbrella', 'default']) {
          await bench.enqueue({ organizationId });
          await bench.enqueue({ organizationId, channel: 'email', digestKey: `key-${organizationId}` });
        }
        await bench.claim();
        await bench.claimDigest();
        await bench.enqueue({ notificationId: 'untouched' });
        const untouched = (await bench.rows()).at(-1);
        assert.equal(await bench.capability('reap')({ claimTtlMs: CLAIM_TTL_MS }), 0);
        await bench.clock.advance(CLAIM_TTL_MS);
        assert.equal(await bench.capability('reap', bench.second)({ claimTtlMs: CLAIM_TTL_MS }), 6);
        const rows = await bench.rows();
        for (const row of rows.slice(0, 6)) {
          assert.equal(row.status, 'pending');
          assert.equal(row.attempts, 1);
          assert.equal(row.dueAt, START);
          assert.deepEqual([row.claimedBy, row.claimedAt, row.claimExpiresAt], [null, null, null]);
        }
        assert.deepEqual(rows.at(-1), untouched);
        assert.equal(await bench.capability('reap')({ claimTtlMs: CLAIM_TTL_MS }), 0);
      },
      ['reap'],
    );

    test(
      'are reaped by the time that reap was given; a live claim is not touched',
      async (bench) => {
        await bench.enqueue({ notificationId: 'short' });
        await bench.claimOne({ claimTtlMs: 1_000 });
        await bench.enqueue({ notificationId: 'long' });
        await bench.claimOne({ claimTtlMs: 1_001 });
        assert.equal(await bench.capability('reap')({ claimTtlMs: 1, now: START + 999 }), 0);
        assert.equal(await bench.capability('reap')({ claimTtlMs: 1, now: START + 1_000 }), 1);
        assert.deepEqual(notificationIds(await bench.rows({ status: 'in_flight' })), ['long']);
      },
      ['reap'],
    );

    test(
      'at the attempt limit go dead as "claim expired" (control: one attempt earlier they return)',
      async (bench) => {
        const id = await bench.enqueue();
        for (let attempt = 1; attempt < DELIVERY_ATTEMPT_LIMIT; attempt += 1) {
          await expireClaim(bench);
          assert.equal(await bench.capability('reap')({ claimTtlMs: CLAIM_TTL_MS }), 1);
          assert.equal((await bench.row(id)).status, 'pending');
          assert.equal((await bench.row(id)).attempts, attempt);
        }
        await expireClaim(bench);
        assert.equal(await bench.capability('reap')({ claimTtlMs: CLAIM_TTL_MS }), 1);
        const row = await bench.row(id);
        assert.equal(row.status, 'dead');
        assert.equal(row.error, 'claim expired');
        assert.equal(row.attempts, DELIVERY_ATTEMPT_LIMIT);
        assert.deepEqual([row.claimedBy, row.claimedAt, row.claimExpiresAt], [null, null, null]);
      },
      ['reap'],
    );

    test('at the attempt limit go dead through a direct claim too: a row that kills its node is not claimed for ever', async (bench) => {
      const id = await bench.enqueue();
      for (let attempt = 1; attempt <= DELIVERY_ATTEMPT_LIMIT; attempt += 1) await expireClaim(bench);
      assert.deepEqual(await bench.claim(), []);
      assert.equal((await bench.row(id)).status, 'dead');
      assert.equal((await bench.row(id)).error, 'claim expired');
    });
  });
}

/** Claims the row, reaping for itself, and lets the claim expire. */
async function expireClaim(bench: OutboxBench): Promise<void> {
  await bench.claimOne();
  await bench.clock.advance(CLAIM_TTL_MS);
}
