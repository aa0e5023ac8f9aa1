import assert from 'node:assert/strict';
import type { AckResult, ClaimedDelivery, ClaimOptions } from '@bellhop/contracts';
import fc from 'fast-check';
import { type NotificationOutboxConformanceOptions, OutboxBench } from './outbox-bench.js';
import { type ModelClaim, OutboxModel } from './outbox-model.js';

const CHANNELS = ['email', 'inbox'] as const;

const claimStep = fc.record({
  digest: fc.boolean(),
  second: fc.boolean(),
  limit: fc.integer({ min: 1, max: 3 }),
  channels: fc.option(fc.subarray([...CHANNELS]), { freq: 3 }),
  partition: fc.option(fc.constantFrom({ index: 0, count: 2 }, { index: 1, count: 2 }, { index: 1, count: 3 }, { index: 0, count: 1 }), {
    freq: 3,
  }),
  claimTtlMs: fc.constantFrom(500, 5_000),
  skipReap: fc.boolean(),
});

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('enqueue' as const),
      notification: fc.integer({ min: 0, max: 3 }),
      recipient: fc.integer({ min: 0, max: 2 }),
      channel: fc.constantFrom(...CHANNELS),
      delayMs: fc.constantFrom(0, 0, 500, 2_000),
      window: fc.option(fc.constantFrom('w1', 'w2'), { freq: 2 }),
    }),
  },
  { weight: 6, arbitrary: claimStep.map((claim) => ({ op: 'claim' as const, ...claim })) },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('ack' as const),
      pick: fc.nat(),
      kind: fc.constantFrom('success', 'retry', 'retry', 'uncounted', 'dead', 'suppressed'),
      delayMs: fc.constantFrom(0, 1_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('renew' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('release' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('reap' as const) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('cancel' as const), notification: fc.integer({ min: 0, max: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('survey' as const), channels: fc.option(fc.subarray([...CHANNELS])) }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('advance' as const), ms: fc.constantFrom(1, 500, 1_000, 5_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Random histories of operations, on the outbox and on the model: the same answers and the same rows after every step. */
export function randomHistorySection({ api, create, propertyRuns = 40 }: NotificationOutboxConformanceOptions): void {
  api.describe('random histories', () => {
    api.it('[outbox-model] every interleaving of operations answers and ends as the model does', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 80, size: 'max' }), async (steps) => {
          const bench = await OutboxBench.open(create);
          try {
            const history = new History(bench);
            for (const each of steps) await history.take(each);
          } finally {
            await bench.close();
          }
        }),
        { numRuns: propertyRuns, endOnFailure: true },
      );
    });
  });
}

class History {
  readonly #model = new OutboxModel();
  /** Every claim ever made, held or not, with its number in the model. */
  readonly #claims: { readonly claim: number; readonly row: ClaimedDelivery }[] = [];

  constructor(readonly bench: OutboxBench) {}

  async take(each: Step): Promise<void> {
    await this.#perform(each);
    await this.#compare();
  }

  async #perform(each: Step): Promise<void> {
    const { bench } = this;
    const model = this.#model;
    const now = bench.clock.now();
    switch (each.op) {
      case 'enqueue':
        return this.#enqueue(each, now);
      case 'claim':
        return this.#claim(each, now);
      case 'ack': {
        const picked = this.#pick(each.pick);
        if (!picked) return;
        const result = ackResult(each, now);
        const expected = model.ack(picked.row.id, picked.claim, result, now);
        assert.equal(await bench.ack(picked.row, result), expected, 'the outcome of the ack');
        return;
      }
      case 'renew': {
        const picked = this.#pick(each.pick);
        if (!picked || !bench.outbox.renew) return;
        assert.deepEqual(await bench.outbox.renew([picked.row], 3_000), [model.renew(picked.row.id, picked.claim, now + 3_000)]);
        return;
      }
      case 'release': {
        const picked = this.#pick(each.pick);
        if (!picked || !bench.outbox.release) return;
        model.release(picked.row.id, picked.claim);
        await bench.outbox.release([picked.row]);
        return;
      }
      case 'reap':
        if (bench.outbox.reap) assert.equal(await bench.outbox.reap({ claimTtlMs: 1 }), model.reap(now), 'rows reaped');
        return;
      case 'cancel': {
        const notificationId = `event-${each.notification}`;
        if (bench.outbox.cancel)
          assert.equal(await bench.outbox.cancel({ notificationId }), model.cancel(notificationId), 'rows cancelled');
        return;
      }
      case 'survey':
        return this.#survey(each.channels, now);
      case 'advance':
        await bench.clock.advance(each.ms);
    }
  }

  async #enqueue(each: Extract<Step, { op: 'enqueue' }>, now: number): Promise<void> {
    const { bench } = this;
    const notificationId = `event-${each.notification}`;
    const recipientId = `user-${each.recipient}`;
    const { channel } = each;
    const target = `${notificationId} ${recipientId} ${channel}`;
    const known = this.#model.byTarget(target);
    const digestKey = each.window === null ? null : `default|${recipientId}|${channel}|${each.window}`;
    const dueAt = now + each.delayMs;
    const id = await bench.enqueue({
      notificationId,
      recipientId,
      channel,
      notBefore: dueAt,
      ...(digestKey === null ? {} : { digestKey }),
    });
    if (known) assert.equal(id, known.id, 'a repeat gives the first id');
    else this.#model.enqueue({ id, target, notificationId, channel, digestKey, dueAt, slot: (await bench.row(id)).slot });
  }

  async #claim(each: Extract<Step, { op: 'claim' }>, now: number): Promise<void> {
    const { bench } = this;
    // An outbox without reap may ignore skipReap: its claims reap for themselves.
    const skipReap = each.skipReap && bench.outbox.reap !== undefined;
    const { limit, claimTtlMs, channels, partition } = each;
    const options: ClaimOptions = {
      nodeId: each.second ? 'node-b' : 'node-a',
      limit,
      claimTtlMs,
      skipReap,
      ...(channels ? { channels } : {}),
      ...(partition ? { partition } : {}),
    };
    const asked: ModelClaim = { limit, claimTtlMs, channels, partition, skipReap, now };
    const node = each.second ? bench.second : bench.outbox;
    const expected = each.digest ? this.#model.claimDigest(asked) : this.#model.claim(asked);
    const claimed = each.digest ? await node.claimDigest(options) : await node.claim(options);
    assert.deepEqual(
      claimed.map((row) => row.id),
      expected.rows.map((row) => row.id),
      'the rows claimed, in order',
    );
    const groups = new Map<number, string | null>();
    for (const [at, row] of claimed.entries()) {
      const group = (expected.rows[at] as { group: number }).group;
      if (!groups.has(group)) groups.set(group, row.digestGroup);
      assert.equal(row.digestGroup, groups.get(group), 'rows of one group carry one group name');
      this.#claims.push({ claim: expected.claim, row });
    }
    assert.equal(new Set(groups.values()).size, groups.size, 'rows of two groups carry two group names');
  }

  async #survey(channels: readonly string[] | null, now: number): Promise<void> {
    const { survey } = this.bench.outbox;
    if (!survey) return;
    const seen = await survey.call(this.bench.outbox, channels ? { channels } : {});
    const expected = this.#model.survey(channels, now);
    const blocked = this.#model.rows.some((row) => row.digestKey !== null && row.status === 'pending' && this.#model.isBlocked(row));
    // Whether a group of which a part is in flight counts as due is left open: it cannot be claimed yet.
    const dueDigests = blocked ? seen.dueDigests : expected.dueDigests;
    assert.deepEqual(
      { ...seen, nextDueAt: seen.nextDueAt, nextExpiryAt: seen.nextExpiryAt },
      {
        ...expected,
        dueDigests,
        nextDueAt: expected.nextDueAt,
        nextExpiryAt: expected.nextExpiryAt,
      },
    );
  }

  #pick(pick: number): { readonly claim: number; readonly row: ClaimedDelivery } | undefined {
    // The latest few: mostly held, some lost.
    const recent = this.#claims.slice(-6);
    return recent[pick % Math.max(1, recent.length)];
  }

  async #compare(): Promise<void> {
    const rows = await this.bench.rows();
    assert.deepEqual(
      rows.map(({ id, status, attempts, dueAt, error, claimExpiresAt }) => ({
        id,
        status,
        attempts,
        dueAt,
        error,
        expiresAt: claimExpiresAt,
      })),
      this.#model.rows.map(({ id, status, attempts, dueAt, error, expiresAt }) => ({ id, status, attempts, dueAt, error, expiresAt })),
      'the rows after the step',
    );
  }
}

function ackResult({ kind, delayMs }: { kind: string; delayMs: number }, now: number): AckResult {
  switch (kind) {
    case 'success':
      return { success: true };
    case 'dead':
      return { success: false, error: 'gone', dead: true };
    case 'suppressed':
      return { success: false, error: 'nobody', suppressed: true };
    default:
      return { success: false, error: 'again', nextAttemptAt: now + delayMs, ...(kind === 'uncounted' ? { uncounted: true } : {}) };
  }
}
