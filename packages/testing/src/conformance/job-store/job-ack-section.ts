import assert from 'node:assert/strict';
import type { ClaimedJob, JobResult } from '@bellhop/contracts';
import { refusal } from '../refusal.js';
import { assertUnclaimed, COMPLETED } from './held-job-claims.js';
import { type JobStoreConformanceOptions, jobSection, START } from './job-bench.js';

export function jobAckSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'ack', (test) => {
    test('completed ends the job and lets go of it; the error of an earlier attempt stays', async (bench) => {
      await bench.enqueue();
      await bench.ack(await bench.claimOne(), { outcome: 'retry', error: 'first try', dueAt: START });
      const claim = await bench.claimOne();
      const before = await bench.row(claim.id);
      await bench.clock.advance(40);
      assert.equal(await bench.ack(claim, COMPLETED), 'acked');
      const row = await bench.row(claim.id);
      assert.deepEqual(row, {
        ...before,
        status: 'completed',
        claimedBy: null,
        lockedUntil: null,
        updatedAt: START + 40,
        finishedAt: START + 40,
      });
      assert.deepEqual([row.attempts, row.lastError], [2, 'first try']);
    });

    test('retry makes the job due at the time given, with the attempt counted and the error kept', async (bench) => {
      await bench.enqueue();
      const claim = await bench.claimOne();
      await bench.clock.advance(5);
      assert.equal(await bench.ack(claim, { outcome: 'retry', error: 'refused by server', dueAt: START + 1_005 }), 'acked');
      const row = await bench.row(claim.id);
      assert.deepEqual(
        [row.status, row.dueAt, row.attempts, row.lastError, row.updatedAt, row.finishedAt],
        ['scheduled', START + 1_005, 1, 'refused by server', START + 5, null],
      );
      assertUnclaimed(row);
      await bench.clock.advance(999);
      assert.deepEqual(await bench.promoteAndClaim(), []);
      await bench.clock.advance(1);
      const [again] = await bench.promoteAndClaim();
      assert.equal(again?.attempts, 2);
    });

    for (const result of [
      { outcome: 'retry', error: 'x', dueAt: START },
      { outcome: 'snooze', dueAt: START },
    ] satisfies JobResult[]) {
      test(`${result.outcome} until a time that has come makes the job pending at once`, async (bench) => {
        const id = await bench.enqueue();
        await bench.ack(await bench.claimOne(), result);
        assert.equal((await bench.row(id)).status, 'pending');
        assert.deepEqual(await bench.claimIds(), [id]);
      });
    }

    test('retry is taken at the last attempt, too: whether it is the end is the caller’s to say', async (bench) => {
      const id = await bench.enqueue({ maxAttempts: 1 });
      await bench.ack(await bench.claimOne(), { outcome: 'retry', error: 'x', dueAt: START });
      assert.equal((await bench.claimOne()).attempts, 2);
      assert.equal((await bench.row(id)).status, 'running');
    });

    test('snooze does not count the attempt, and leaves the last error (control: a retry counts)', async (bench) => {
      const id = await bench.enqueue();
      for (let at = 0; at < 5; at += 1) {
        const claim = await bench.claimOne();
        assert.equal(claim.attempts, 1);
        assert.equal(await bench.ack(claim, { outcome: 'snooze', dueAt: START + at + 1 }), 'acked');
        const row = await bench.row(id);
        assert.deepEqual([row.status, row.attempts, row.lastError, row.dueAt], ['scheduled', 0, null, START + at + 1]);
        assertUnclaimed(row);
        await bench.clock.advance(1);
        await bench.store.promote({ limit: 10 });
      }
      await bench.ack(await bench.claimOne(), { outcome: 'retry', error: 'failed', dueAt: START });
      await bench.ack(await bench.claimOne(), { outcome: 'snooze', dueAt: START });
      const row = await bench.row(id);
      assert.deepEqual([row.attempts, row.lastError], [1, 'failed']);
    });

    test('dead ends the job and keeps the error', async (bench) => {
      await bench.enqueue();
      const claim = await bench.claimOne();
      await bench.clock.advance(3);
      assert.equal(await bench.ack(claim, { outcome: 'dead', error: 'no such user' }), 'acked');
      const row = await bench.row(claim.id);
      assert.deepEqual(
        [row.status, row.lastError, row.attempts, row.finishedAt, row.updatedAt],
        ['dead', 'no such user', 1, START + 3, START + 3],
      );
      assertUnclaimed(row);
      await bench.clock.advance(86_400_000);
      assert.deepEqual(await bench.promoteAndClaim(), []);
    });

    test('gives outcomes in the order of the acks, each for itself', async (bench) => {
      await bench.fill(6);
      const claims = (await bench.claim()) as [ClaimedJob, ClaimedJob, ClaimedJob, ClaimedJob, ClaimedJob, ClaimedJob];
      await bench.ack(claims[1], { outcome: 'dead', error: 'gone' });
      const outcomes = await bench.store.ack([
        { claim: claims[4], result: { outcome: 'snooze', dueAt: START + 8 } },
        { claim: claims[1], result: COMPLETED },
        { claim: claims[0], result: COMPLETED },
        { claim: { ...claims[5], id: 'unknown' }, result: COMPLETED },
        { claim: claims[3], result: { outcome: 'dead', error: 'nobody' } },
        { claim: claims[2], result: { outcome: 'retry', error: 'later', dueAt: START + 9 } },
      ]);
      assert.deepEqual(outcomes, ['acked', 'lost', 'acked', 'lost', 'acked', 'acked']);
      assert.deepEqual(
        (await bench.rows()).map(({ status, lastError, attempts, dueAt }) => [status, lastError, attempts, dueAt]),
        [
          ['completed', null, 1, START],
          ['dead', 'gone', 1, START],
          ['scheduled', 'later', 1, START + 9],
          ['dead', 'nobody', 1, START],
          ['scheduled', null, 0, START + 8],
          ['running', null, 1, START],
        ],
      );
      assert.deepEqual(await bench.store.ack([]), []);
    });

    test('takes a thousand at once', async (bench) => {
      await bench.fill(1_000);
      const claims = await bench.claim({ limit: 1_000 });
      const outcomes = await bench.store.ack(claims.map((claim) => ({ claim, result: COMPLETED })));
      assert.equal(outcomes.filter((outcome) => outcome === 'acked').length, 1_000);
      const [stats] = await bench.store.stats();
      assert.equal(stats?.completed, 1_000);
    });

    for (const [title, bad] of [
      ['no outcome that there is', { outcome: 'done' } as unknown as JobResult],
      ['a retry at no time', { outcome: 'retry', error: 'x', dueAt: Number.NaN }],
      ['a snooze before time began', { outcome: 'snooze', dueAt: -1 }],
      ['a snooze until a fraction', { outcome: 'snooze', dueAt: START + 0.5 }],
    ] as const satisfies readonly (readonly [string, JobResult])[]) {
      test(`refuses a result that says ${title}, with those beside it; the claims stay held`, async (bench) => {
        await bench.fill(2);
        const [first, second] = (await bench.claim()) as [ClaimedJob, ClaimedJob];
        await refusal(() =>
          bench.store.ack([
            { claim: first, result: COMPLETED },
            { claim: second, result: bad },
          ]),
        );
        assert.deepEqual(await bench.statuses(), ['running', 'running']);
        assert.equal(await bench.ack(second, COMPLETED), 'acked');
      });
    }
  });
}
