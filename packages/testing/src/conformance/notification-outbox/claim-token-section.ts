import assert from 'node:assert/strict';
import type { AckResult, ClaimedDelivery } from '@bellhop/contracts';
import { refusal } from '../refusal.js';
import { assertRefused, assertUnclaimed, reclaimed, SUCCESS } from './held-claims.js';
import { CLAIM_TTL_MS, type NotificationOutboxConformanceOptions, outboxSection, START } from './outbox-bench.js';

export function claimTokenSection(options: NotificationOutboxConformanceOptions): void {
  outboxSection(options, 'ack', ({ test }) => {
    test('success ends the row, keeps the external id and clears claim and error', async (bench) => {
      await bench.enqueue();
      await bench.ack(await bench.claimOne(), { success: false, error: 'first try', nextAttemptAt: START });
      const claim = await bench.claimOne();
      await bench.clock.advance(40);
      assert.equal(await bench.ack(claim, SUCCESS), 'acked');
      const row = await bench.row(claim.id);
      assert.equal(row.status, 'success');
      assert.equal(row.externalId, 'provider-1');
      assert.equal(row.error, null);
      assert.equal(row.attempts, 2);
      assert.equal(row.lastAttemptedAt, START + 40);
      assert.equal(row.updatedAt, START + 40);
      assertUnclaimed(row);
    });

    test('a retry makes the row pending and due at the time given, with the attempt counted and the error kept', async (bench) => {
      await bench.enqueue();
      const claim = await bench.claimOne();
      await bench.clock.advance(5);
      assert.equal(await bench.ack(claim, { success: false, error: 'refused by server', nextAttemptAt: START + 1_005 }), 'acked');
      const row = await bench.row(claim.id);
      assert.equal(row.status, 'pending');
      assert.equal(row.dueAt, START + 1_005);
      assert.equal(row.attempts, 1);
      assert.equal(row.error, 'refused by server');
      assert.equal(row.lastAttemptedAt, START + 5);
      assertUnclaimed(row);
      await bench.clock.advance(999);
      assert.deepEqual(await bench.claim(), []);
      await bench.clock.advance(1);
      assert.equal((await bench.claimOne()).attempts, 2);
    });

    test('an uncounted retry does not count the attempt (control: a counted one does)', async (bench) => {
      await bench.enqueue();
      for (let at = 0; at < 8; at += 1) {
        const claim = await bench.claimOne();
        assert.equal(claim.attempts, 1);
        await bench.ack(claim, { success: false, error: 'rate limited', nextAttemptAt: START, uncounted: true });
        assert.equal((await bench.row(claim.id)).attempts, 0);
      }
      const counted = await bench.claimOne();
      await bench.ack(counted, { success: false, error: 'failed', nextAttemptAt: START });
      assert.equal((await bench.row(counted.id)).attempts, 1);
    });

    for (const status of ['dead', 'suppressed'] as const) {
      test(`${status} ends the row and keeps the error`, async (bench) => {
        await bench.enqueue();
        const claim = await bench.claimOne();
        assert.equal(await bench.ack(claim, { success: false, error: 'no such user', [status]: true }), 'acked');
        const row = await bench.row(claim.id);
        assert.equal(row.status, status);
        assert.equal(row.error, 'no such user');
        assert.equal(row.attempts, 1);
        assert.equal(row.lastAttemptedAt, START);
        assertUnclaimed(row);
        await bench.clock.advance(86_400_000);
        assert.deepEqual(await bench.claim(), []);
      });
    }

    for (const [title, bad] of [
      ['none of retry, dead and suppressed', { success: false, error: 'x' }],
      ['two of them', { success: false, error: 'x', dead: true, suppressed: true }],
      ['a retry that is dead too', { success: false, error: 'x', nextAttemptAt: START, dead: true }],
      ['an uncounted death', { success: false, error: 'x', dead: true, uncounted: true }],
      ['a retry at no time', { success: false, error: 'x', nextAttemptAt: Number.NaN }],
    ] as const satisfies readonly (readonly [string, AckResult])[]) {
      test(`refuses a result that says ${title}; the claim stays held`, async (bench) => {
        await bench.enqueue();
        const claim = await bench.claimOne();
        await refusal(() => bench.ack(claim, bad));
        assert.equal((await bench.row(claim.id)).status, 'in_flight');
        assert.equal(await bench.ack(claim, SUCCESS), 'acked');
      });
    }

    test(
      'ackMany gives outcomes in the order of the acks, each as ack would',
      async (bench) => {
        for (let at = 0; at < 4; at += 1) await bench.enqueue({ notificationId: `event-${at}` });
        const [first, second, third, fourth] = (await bench.claim()) as [
          ClaimedDelivery,
          ClaimedDelivery,
          ClaimedDelivery,
          ClaimedDelivery,
        ];
        await bench.ack(second, { success: false, error: 'gone', dead: true });
        const outcomes = await bench.capability('ackMany')([
          { claim: first, result: SUCCESS },
          { claim: second, result: SUCCESS },
          { claim: third, result: { success: false, error: 'later', nextAttemptAt: START + 9, uncounted: true } },
          { claim: fourth, result: { success: false, error: 'nobody', suppressed: true } },
        ]);
        assert.deepEqual(outcomes, ['acked', 'lost', 'acked', 'acked']);
        const rows = await bench.rows();
        assert.deepEqual(
          rows.map(({ status, error, attempts, dueAt, externalId }) => ({ status, error, attempts, dueAt, externalId })),
          [
            { status: 'success', error: null, attempts: 1, dueAt: START, externalId: 'provider-1' },
            { status: 'dead', error: 'gone', attempts: 1, dueAt: START, externalId: null },
            { status: 'pending', error: 'later', attempts: 0, dueAt: START + 9, externalId: null },
            { status: 'suppressed', error: 'nobody', attempts: 1, dueAt: START, externalId: null },
          ],
        );
        assert.deepEqual(await bench.capability('ackMany')([]), []);
      },
      ['ackMany'],
    );
  });

  outboxSection(options, 'a claim that is no longer held', ({ test }) => {
    test('[B6][S3] cannot ack: the row was reaped and claimed by another node', async (bench) => {
      const { late, held } = await reclaimed(bench, 'node-b');
      await assertRefused(bench, late);
      assert.equal(await bench.ack(held, { success: false, error: 'mine', dead: true }, bench.second), 'acked');
      assert.equal((await bench.row(held.id)).status, 'dead');
    });

    test('[B6][S3] cannot ack: the same node claimed the row again', async (bench) => {
      const { late, held } = await reclaimed(bench, 'node-a');
      await assertRefused(bench, late);
      assert.equal(await bench.ack(held, SUCCESS), 'acked');
    });

    test('[B6][S3] cannot ack: the row failed, was due again and was claimed by the same node within one instant', async (bench) => {
      await bench.enqueue();
      const late = await bench.claimOne();
      await bench.ack(late, { success: false, error: 'again', nextAttemptAt: START });
      const held = await bench.claimOne();
      assert.equal(held.claimedAt, late.claimedAt, 'only the token tells the two claims apart');
      await assertRefused(bench, late);
      assert.equal(await bench.ack(held, SUCCESS), 'acked');
    });

    test(
      '[B6][S3] cannot ack through ackMany either',
      async (bench) => {
        const { late, held } = await reclaimed(bench, 'node-b');
        const before = await bench.rows();
        assert.deepEqual(await bench.capability('ackMany')([{ claim: late, result: SUCCESS }]), ['lost']);
        assert.deepEqual(await bench.rows(), before);
        assert.deepEqual(await bench.capability('ackMany')([{ claim: held, result: SUCCESS }]), ['acked']);
      },
      ['ackMany'],
    );

    test(
      '[B6] cannot ack a row that was reaped and waits',
      async (bench) => {
        await bench.enqueue();
        const late = await bench.claimOne();
        await bench.clock.advance(CLAIM_TTL_MS);
        await bench.capability('reap')({ claimTtlMs: CLAIM_TTL_MS });
        assert.equal((await bench.row(late.id)).status, 'pending');
        await assertRefused(bench, late);
      },
      ['reap'],
    );

    test('[B6] cannot ack twice', async (bench) => {
      await bench.enqueue();
      const claim = await bench.claimOne();
      assert.equal(await bench.ack(claim, { success: false, error: 'gone', dead: true }), 'acked');
      await assertRefused(bench, claim);
    });

    test('[B6] cannot ack a row that the outbox does not know', async (bench) => {
      await bench.enqueue();
      const claim = await bench.claimOne();
      await assertRefused(bench, { ...claim, id: 'unknown' });
      assert.equal(await bench.ack(claim, SUCCESS), 'acked');
    });

    test('[B6] may be acked once by two nodes at the same time', async (bench) => {
      for (let trial = 0; trial < 10; trial += 1) {
        await bench.enqueue();
        const claim = await bench.claimOne();
        const outcomes = await Promise.all([
          bench.ack(claim, SUCCESS),
          bench.ack(claim, { success: false, error: 'gone', dead: true }, bench.second),
        ]);
        assert.deepEqual([...outcomes].sort(), ['acked', 'lost']);
      }
    });

    test('still holds after its expiry while nobody has reaped it', async (bench) => {
      await bench.enqueue();
      const claim = await bench.claimOne();
      await bench.clock.advance(CLAIM_TTL_MS * 2);
      assert.equal(await bench.ack(claim, SUCCESS), 'acked');
    });
  });
}
