import type { AckResult, ClaimedDelivery, ClaimOptions, INotificationOutbox, Survey } from '@bellhop/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { failingOutbox, withoutCapabilities } from './failing-outbox.js';

/** Private state, as real outboxes have it: a proxy that forgot to bind would break on it. */
class RecordingOutbox implements INotificationOutbox {
  readonly #calls: string[] = [];

  get seen(): string[] {
    return this.#calls.splice(0);
  }

  #note<T>(call: string, answer: T): Promise<T> {
    this.#calls.push(call);
    return Promise.resolve(answer);
  }

  enqueue = () => this.#note('enqueue', 'id');
  claim({ partition }: ClaimOptions): Promise<ClaimedDelivery[]> {
    return this.#note(`claim ${partition?.index ?? 'all'}`, []);
  }
  claimDigest(): Promise<ClaimedDelivery[]> {
    return this.#note('claimDigest', []);
  }
  ack(_claim: ClaimedDelivery, _result: AckResult) {
    return this.#note('ack', 'acked' as const);
  }
  list() {
    return this.#note('list', { items: [], nextCursor: null });
  }
  survey(): Promise<Survey> {
    return this.#note('survey', { expired: false, due: true, dueDigests: false });
  }
  reap(): Promise<number> {
    return this.#note('reap', 3);
  }
}

const claim = {} as ClaimedDelivery;
const success = { success: true } as const;
const options = { nodeId: 'n', limit: 1, claimTtlMs: 1 };
let original: RecordingOutbox;

beforeEach(() => {
  original = new RecordingOutbox();
});

describe('failingOutbox', () => {
  it('fails the nth call and no other', async () => {
    const { outbox, calls } = failingOutbox(original, { method: 'ack', kind: 'throw', nth: 2 });
    expect(await outbox.ack(claim, success)).toBe('acked');
    await expect(outbox.ack(claim, success)).rejects.toThrow('ack fails, as the test asked (throw)');
    expect(await outbox.ack(claim, success)).toBe('acked');
    expect(original.seen).toEqual(['ack', 'ack']);
    expect([calls('ack'), calls('claim')]).toEqual([3, 0]);
  });

  it('fails the claims of one partition for as long as asked', async () => {
    const error = new Error('partition lost');
    const { outbox } = failingOutbox(original, {
      method: 'claim',
      kind: 'throw',
      times: Number.POSITIVE_INFINITY,
      when: ([{ partition }]) => partition?.index === 1,
      error,
    });
    const claimOf = (index: number) => outbox.claim({ ...options, partition: { index, count: 2 } });
    await claimOf(0);
    await expect(claimOf(1)).rejects.toBe(error);
    await claimOf(0);
    await expect(claimOf(1)).rejects.toBe(error);
    expect(original.seen).toEqual(['claim 0', 'claim 0']);
  });

  it('loses an answer after the act', async () => {
    const { outbox } = failingOutbox(original, { method: 'ack', kind: 'throwAfter' });
    await expect(outbox.ack(claim, success)).rejects.toThrow('throwAfter');
    expect(original.seen).toEqual(['ack']);
  });

  it('hangs until released, then goes on', async () => {
    const { outbox, releaseHung } = failingOutbox(original, { method: 'survey', kind: 'hang', times: 5 });
    const answer = outbox.survey?.({});
    await outbox.reap?.({ claimTtlMs: 1 });
    expect(original.seen).toEqual(['reap']);
    releaseHung();
    expect(await answer).toMatchObject({ due: true });
    expect(await outbox.survey?.({})).toMatchObject({ due: true }); // released for good
  });

  it('takes faults later, each counted by itself', async () => {
    const { outbox, fail } = failingOutbox(original);
    await outbox.survey?.({});
    fail({ method: 'survey', kind: 'throw' });
    fail({ method: 'survey', kind: 'throw', nth: 3 });
    const outcomes = [];
    for (let i = 0; i < 4; i += 1)
      outcomes.push(
        await outbox.survey?.({}).then(
          () => 'ok',
          () => 'failed',
        ),
      );
    expect(outcomes).toEqual(['failed', 'ok', 'failed', 'ok']);
  });

  it('has the capabilities of the original and no more', () => {
    const { outbox } = failingOutbox(original, { method: 'renew', kind: 'throw' });
    expect([typeof outbox.reap, typeof outbox.survey, typeof outbox.renew, 'reap' in outbox, 'renew' in outbox]).toEqual([
      'function',
      'function',
      'undefined',
      true,
      false,
    ]);
  });
});

describe('withoutCapabilities', () => {
  it('masks what is named, for a call and for `in`, and passes the rest on', async () => {
    const outbox = withoutCapabilities(original, ['survey', 'ackMany']);
    expect([outbox.survey, 'survey' in outbox, outbox.ackMany]).toEqual([undefined, false, undefined]);
    expect(await outbox.reap?.({ claimTtlMs: 1 })).toBe(3);
    expect(await outbox.ack(claim, success)).toBe('acked');
    expect('survey' in original).toBe(true);
  });

  it('composes with failingOutbox', async () => {
    const { outbox } = failingOutbox(withoutCapabilities(original, ['survey']), { method: 'reap', kind: 'throw' });
    expect(outbox.survey).toBeUndefined();
    await expect(outbox.reap?.({ claimTtlMs: 1 })).rejects.toThrow('reap fails');
  });
});
