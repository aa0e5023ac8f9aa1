import assert from 'node:assert/strict';
import { type ClaimedDelivery, DELIVERY_ATTEMPT_LIMIT } from '@bellhop/contracts';
import { refusal } from '../refusal.js';
import { assertUnclaimed, reclaimed, SUCCESS } from './held-claims.js';
import { CLAIM_TTL_MS, type NotificationOutboxConformanceOptions, outboxSection, START } from './outbox-bench.js';

export function renewAndReleaseSection(options: NotificationOutboxConformanceOptions): void {
  outboxSection(options, 'renew and release', ({ test }) => {
    test(
      'renew extends held claims, and reports the lost ones in the order of the claims',
      async (bench) => {
        for (let at = 0; at < 3; at += 1) await bench.enqueue();
        const claims = (await bench.claim()) as [ClaimedDelivery, ClaimedDelivery, ClaimedDelivery];
        await bench.ack(claims[1], SUCCESS);
        const ended = await bench.row(claims[1].id);
        await bench.clock.advance(3_000);
        assert.deepEqual(await bench.capability('renew')(claims, 4_000), ['acked', 'lost', 'acked']);
        assert.equal((await bench.row(claims[0].id)).claimExpiresAt, START + 7_000);
        assert.equal((await bench.row(claims[2].id)).claimExpiresAt, START + 7_000);
        assert.deepEqual(await bench.row(claims[1].id), ended);
        assert.equal((await bench.row(claims[0].id)).attempts, 1);
        assert.deepEqual(await bench.capability('renew')([], 4_000), []);
      },
      ['renew'],
    );

    test(
      'a renewed claim outlives its first expiry (control: one that is not renewed does not)',
      async (bench) => {
        await bench.enqueue({ notificationId: 'renewed' });
        await bench.enqueue({ notificationId: 'left alone' });
        const [renewed] = (await bench.claim()) as [ClaimedDelivery, ClaimedDelivery];
        await bench.clock.advance(CLAIM_TTL_MS - 1);
        await bench.capability('renew')([renewed], CLAIM_TTL_MS);
        await bench.clock.advance(1);
        assert.equal((await bench.claimOne({ nodeId: 'node-b' }, bench.second)).notificationId, 'left alone');
        assert.equal(await bench.ack(renewed, SUCCESS), 'acked');
      },
      ['renew'],
    );

    test(
      'renew does not touch a claim of somebody else',
      async (bench) => {
        const { late, held } = await reclaimed(bench, 'node-a');
        const before = await bench.rows();
        await bench.clock.advance(1);
        assert.deepEqual(await bench.capability('renew')([late], 60_000), ['lost']);
        assert.deepEqual(await bench.rows(), before);
        assert.deepEqual(await bench.capability('renew')([held], 60_000), ['acked']);
      },
      ['renew'],
    );

    test(
      'renew refuses a TTL below 1 ms',
      async (bench) => {
        await bench.enqueue();
        const claim = await bench.claimOne();
        await refusal(() => bench.capability('renew')([claim], 0));
        assert.equal((await bench.row(claim.id)).claimExpiresAt, START + CLAIM_TTL_MS);
      },
      ['renew'],
    );

    test(
      'release gives the row back as it was before the claim: the attempt is not counted, the due time stays',
      async (bench) => {
        const id = await bench.enqueue({ notBefore: START - 500 });
        for (let at = 0; at < DELIVERY_ATTEMPT_LIMIT + 2; at += 1) {
          const claim = await bench.claimOne();
          assert.equal(claim.attempts, 1);
          await bench.capability('release')([claim]);
          const row = await bench.row(id);
          assert.equal(row.status, 'pending');
          assert.equal(row.attempts, 0);
          assert.equal(row.dueAt, START - 500);
          assert.equal(row.lastAttemptedAt, null);
          assertUnclaimed(row);
        }
      },
      ['release'],
    );

    test(
      'release hands back many and leaves alone what is not held',
      async (bench) => {
        const { late, held } = await reclaimed(bench, 'node-a');
        await bench.enqueue({ notificationId: 'other' });
        const other = await bench.claimOne();
        const before = await bench.row(held.id);
        await bench.capability('release')([late, other]);
        assert.deepEqual(await bench.row(held.id), before);
        assert.equal((await bench.row(other.id)).status, 'pending');
        await bench.capability('release')([]);
        assert.equal(await bench.ack(held, SUCCESS), 'acked');
        await bench.capability('release')([held]);
        assert.equal((await bench.row(held.id)).status, 'success');
      },
      ['release'],
    );
  });
}
