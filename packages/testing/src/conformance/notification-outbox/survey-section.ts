import assert from 'node:assert/strict';
import type { Survey, SurveyOptions } from '@bellhop/contracts';
import { CLAIM_TTL_MS, type NotificationOutboxConformanceOptions, type OutboxBench, outboxSection, START } from './outbox-bench.js';

const NOTHING: Survey = { expired: false, due: false, dueDigests: false };

export function surveySection(options: NotificationOutboxConformanceOptions): void {
  outboxSection(options, 'survey', (section) => {
    const test = (title: string, body: (bench: OutboxBench) => Promise<void>): void => section.test(title, body, ['survey']);

    test('of an empty outbox says that there is nothing', async (bench) => {
      assert.deepEqual(await survey(bench), NOTHING);
    });

    test('says due for a row outside digests, at its due time and not before', async (bench) => {
      await bench.enqueue({ notBefore: START + 1 });
      assert.deepEqual(await survey(bench), { ...NOTHING, nextDueAt: START + 1 });
      await bench.clock.advance(1);
      assert.deepEqual(await survey(bench), { ...NOTHING, due: true });
    });

    test('says dueDigests for a digest row, at its due time and not before', async (bench) => {
      await bench.enqueue({ digestKey: 'key', notBefore: START + 1 });
      assert.deepEqual(await survey(bench), { ...NOTHING, nextDueAt: START + 1 });
      await bench.clock.advance(1);
      assert.deepEqual(await survey(bench), { ...NOTHING, dueDigests: true });
    });

    test('gives as nextDueAt the earliest row that is due strictly later, over singles and digests', async (bench) => {
      await bench.enqueue();
      await bench.enqueue({ notBefore: START + 300 });
      await bench.enqueue({ notBefore: START + 200, digestKey: 'key' });
      assert.deepEqual(await survey(bench), { ...NOTHING, due: true, nextDueAt: START + 200 });
      await bench.clock.advance(200);
      assert.deepEqual(await survey(bench), { ...NOTHING, due: true, dueDigests: true, nextDueAt: START + 300 });
      await bench.clock.advance(100);
      assert.deepEqual(await survey(bench), { ...NOTHING, due: true, dueDigests: true });
    });

    test('counts a retry as due later', async (bench) => {
      await bench.enqueue();
      await bench.ack(await bench.claimOne(), { success: false, error: 'again', nextAttemptAt: START + 10_000 });
      assert.deepEqual(await survey(bench), { ...NOTHING, nextDueAt: START + 10_000 });
    });

    test('leaves out channels that this node cannot serve, in due, dueDigests and nextDueAt (control: all channels)', async (bench) => {
      await bench.enqueue({ channel: 'email' });
      await bench.enqueue({ channel: 'email', digestKey: 'key' });
      await bench.enqueue({ channel: 'email', notBefore: START + 100 });
      await bench.enqueue({ channel: 'inbox', notBefore: START + 900 });
      assert.deepEqual(await survey(bench, { channels: ['inbox', 'sms'] }), { ...NOTHING, nextDueAt: START + 900 });
      assert.deepEqual(await survey(bench, { channels: ['sms'] }), NOTHING);
      assert.deepEqual(await survey(bench, { channels: [] }), NOTHING);
      const all: Survey = { expired: false, due: true, dueDigests: true, nextDueAt: START + 100 };
      assert.deepEqual(await survey(bench, { channels: ['email', 'inbox'] }), all);
      assert.deepEqual(await survey(bench), all);
    });

    test('gives as nextExpiryAt when the next live claim expires, and says expired from then on', async (bench) => {
      await bench.enqueue();
      await bench.claimOne({ claimTtlMs: 9_000 });
      await bench.enqueue();
      await bench.claimOne({ claimTtlMs: 4_000 });
      assert.deepEqual(await survey(bench), { ...NOTHING, nextExpiryAt: START + 4_000 });
      await bench.clock.advance(3_999);
      assert.deepEqual(await survey(bench), { ...NOTHING, nextExpiryAt: START + 4_000 });
      await bench.clock.advance(1);
      assert.deepEqual(await survey(bench), { ...NOTHING, expired: true, nextExpiryAt: START + 9_000 });
      await bench.clock.advance(5_000);
      assert.deepEqual(await survey(bench), { ...NOTHING, expired: true });
    });

    test('counts claims of every channel: a reap is store-wide', async (bench) => {
      await bench.enqueue({ channel: 'email' });
      await bench.claimOne();
      assert.deepEqual(await survey(bench, { channels: ['inbox'] }), { ...NOTHING, nextExpiryAt: START + CLAIM_TTL_MS });
      await bench.clock.advance(CLAIM_TTL_MS);
      assert.deepEqual(await survey(bench, { channels: ['inbox'] }), { ...NOTHING, expired: true });
    });

    test('says nothing of finished rows', async (bench) => {
      for (const result of [
        { success: true },
        { success: false, error: 'x', dead: true },
        { success: false, error: 'x', suppressed: true },
      ] as const) {
        await bench.enqueue();
        await bench.ack(await bench.claimOne(), result);
      }
      assert.deepEqual(await survey(bench), NOTHING);
      await bench.clock.advance(CLAIM_TTL_MS * 2);
      assert.deepEqual(await survey(bench), NOTHING);
    });

    test('uses the time it was given, and writes nothing', async (bench) => {
      await bench.enqueue({ notBefore: START + 50 });
      await bench.enqueue();
      await bench.claimOne();
      const before = await bench.rows();
      assert.deepEqual(await survey(bench, { now: START + CLAIM_TTL_MS }), { ...NOTHING, expired: true, due: true });
      assert.deepEqual(await survey(bench, { now: START + 49 }), { ...NOTHING, nextDueAt: START + 50, nextExpiryAt: START + CLAIM_TTL_MS });
      assert.deepEqual(await bench.rows(), before);
    });

    test('sees what another node enqueued and claimed', async (bench) => {
      await bench.second.enqueue(bench.input());
      assert.equal((await survey(bench)).due, true);
      await bench.claimOne({ nodeId: 'node-b' }, bench.second);
      assert.deepEqual(await survey(bench), { ...NOTHING, nextExpiryAt: START + CLAIM_TTL_MS });
    });
  });
}

/** The survey without the fields that say nothing. */
async function survey(bench: OutboxBench, options: SurveyOptions = {}): Promise<Survey> {
  const { expired, due, dueDigests, nextDueAt, nextExpiryAt } = await bench.capability('survey')(options);
  return {
    expired,
    due,
    dueDigests,
    ...(nextDueAt === undefined ? {} : { nextDueAt }),
    ...(nextExpiryAt === undefined ? {} : { nextExpiryAt }),
  };
}
