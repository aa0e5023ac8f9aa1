import type { NotificationChannel } from '@bellhop/contracts';
import { flakyChannel } from '@bellhop/testing';
import { describe, expect, test } from 'vitest';
import { dispatcherBench, heldChannel } from './dispatcher-bench.fixture.js';

const failingFor = (recipientId: string, fail: () => never | Promise<never>): NotificationChannel => ({
  id: 'email',
  send: async (_ctx, delivery) => (delivery.recipientId === recipientId ? fail() : { ok: true }),
});

describe('failing sends', () => {
  test('one row that throws touches no other', async () => {
    const channel = failingFor('u-1', () => {
      throw new Error('no such mailbox today');
    });
    const { dispatcher, enqueue, row } = dispatcherBench({ channels: [channel] });
    const ids = await Promise.all([0, 1, 2].map((n) => enqueue({ recipientId: `u-${n}` })));
    await dispatcher.tick();
    const rows = await Promise.all(ids.map(row));
    expect(rows.map(({ status }) => status)).toEqual(['success', 'pending', 'success']);
    expect(rows[1]).toMatchObject({ attempts: 1, error: 'no such mailbox today' });
  });

  test('[B12] a classifyError that throws counts as retryable, and touches no other row or partition', async () => {
    const channel: NotificationChannel = {
      ...failingFor('u-1', () => Promise.reject(new Error('no'))),
      classifyError: () => {
        throw new Error('the classifier is broken');
      },
    };
    const { dispatcher, enqueue, row, clock, statuses } = dispatcherBench({ channels: [channel] });
    const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => enqueue({ recipientId: `u-${n}` })));
    await dispatcher.tick();
    expect((await statuses()).filter((status) => status === 'success')).toHaveLength(39);
    expect(await row(ids[1] as string)).toMatchObject({ status: 'pending', attempts: 1, error: 'no', dueAt: clock.now() + 1_000 });
    expect(dispatcher.counters().errors).toBe(0);
  });

  test.each([
    ['retryable', { status: 'pending', attempts: 1 }],
    ['throw', { status: 'pending', attempts: 1 }],
    ['permanent', { status: 'dead', attempts: 1 }],
    ['invalid_recipient', { status: 'suppressed', attempts: 1 }],
    ['duplicate', { status: 'success', attempts: 1 }],
    ['rate_limited', { status: 'pending', attempts: 0 }],
  ] as const)('%s', async (outcome, expected) => {
    const { dispatcher, enqueue, row } = dispatcherBench({ channels: [flakyChannel({ id: 'email', outcomes: [outcome] })] });
    const id = await enqueue();
    await dispatcher.tick();
    expect(await row(id)).toMatchObject(expected);
  });

  test('a rate-limited row waits what the channel said, not a rung of the ladder', async () => {
    const email = flakyChannel({ id: 'email', outcomes: ['rate_limited'], retryAfterMs: 90_000 });
    const { dispatcher, enqueue, clock, row } = dispatcherBench({ channels: [email] });
    const id = await enqueue();
    dispatcher.start();
    await clock.advance(89_999);
    expect(email.attempts).toHaveLength(1);
    await clock.advance(1);
    expect(await row(id)).toMatchObject({ status: 'success', attempts: 1 });
    await dispatcher.stop();
  });

  test('six failures over the ladder, then dead; each attempt under one idempotency key, and counted', async () => {
    const email = flakyChannel({ id: 'email', outcomes: () => 'retryable' });
    const { dispatcher, enqueue, clock, row } = dispatcherBench({ channels: [email] });
    const id = await enqueue();
    dispatcher.start();
    await clock.advance(1_000 + 10_000 + 60_000 + 600_000 + 3_600_000 + 100);
    expect(email.attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(new Set(email.attempts.map(({ deliveryId }) => deliveryId))).toEqual(new Set([id]));
    expect((await row(id)).status).toBe('dead');
    expect(dispatcher.counters()).toMatchObject({ failed: 5, dead: 1, claimed: 6 });
    await dispatcher.stop();
  });

  test('a poison payload counts as an attempt: it ends dead, and touches no other', async () => {
    const { dispatcher, enqueue, memory, clock, row, channel } = dispatcherBench();
    const poison = await enqueue({ recipientId: 'poison' });
    const claim = memory.claim.bind(memory);
    memory.claim = async (options) =>
      (await claim(options)).map((each) => (each.recipientId === 'poison' ? { ...each, payload: null as never } : each));
    const healthy = await enqueue();
    dispatcher.start();
    await clock.advance(100);
    expect((await row(healthy)).status).toBe('success');
    expect(await row(poison)).toMatchObject({ status: 'pending', attempts: 1 });
    await clock.advance(5_000_000);
    expect(await row(poison)).toMatchObject({ status: 'dead', attempts: 6 });
    expect(channel.sent).toHaveLength(1);
    await dispatcher.stop();
  });

  test('a channel that returns no result has failed', async () => {
    const { dispatcher, enqueue, row } = dispatcherBench({ channels: [{ id: 'email', send: async () => undefined as never }] });
    const id = await enqueue();
    await dispatcher.tick();
    expect(await row(id)).toMatchObject({ status: 'pending', error: expect.stringContaining('returned no result') });
  });

  test('one hung channel delays no other', async () => {
    const hung = heldChannel('sms');
    const email = flakyChannel({ id: 'email' });
    const { dispatcher, enqueue, clock, stop } = dispatcherBench({ channels: [hung.channel, email] });
    await enqueue({ channel: 'sms' });
    dispatcher.start();
    await clock.advance(100);
    await enqueue();
    dispatcher.wake();
    await clock.advance(0);
    expect(hung.sends).toHaveLength(1);
    expect(email.sent).toHaveLength(1);
    await stop();
  });

  test('onAttempt is told of each attempt once it is written, and one that throws or rejects touches nothing', async () => {
    for (const fails of [false, true]) {
      const told: unknown[] = [];
      const { dispatcher, enqueue, statuses } = dispatcherBench({
        channels: [flakyChannel({ id: 'email', outcomes: ['ok', 'permanent'] })],
        onAttempt: ({ delivery, success, result }) => {
          told.push([delivery.recipientId, success, result.success ? undefined : result.dead]);
          if (fails && told.length === 1) throw new Error('hook');
          if (fails) return Promise.reject(new Error('hook'));
        },
      });
      for (const recipientId of ['u-1', 'u-2']) await enqueue({ recipientId });
      await dispatcher.tick();
      expect(told).toEqual([
        ['u-1', true, undefined],
        ['u-2', false, true],
      ]);
      expect((await statuses()).sort()).toEqual(['dead', 'success']);
    }
  });
});

describe('failing outbox', () => {
  test('whatever call throws, the dispatcher goes on and delivers once the outbox is well', async () => {
    for (const method of ['survey', 'claim', 'ackMany', 'reap', 'claimDigest', 'renew'] as const) {
      const { dispatcher, enqueue, clock, faults, statuses, claimForDeadNode } = dispatcherBench();
      await enqueue({ recipientId: 'expired' });
      await claimForDeadNode(1_000);
      await clock.advance(1_000);
      await enqueue();
      await enqueue({ digestKey: 'ada|email|today', recipientId: 'grace' });
      faults.fail({ method, kind: 'throw', times: 3 });
      dispatcher.start();
      dispatcher.wake();
      await clock.advance(20_000);
      expect([method, ...(await statuses())]).toEqual([method, 'success', 'success', 'success']);
      await dispatcher.stop();
    }
  });

  test('a partition that cannot be claimed touches no other', async () => {
    const { dispatcher, enqueue, faults, channel, memory } = dispatcherBench({ without: ['survey'], partitionCount: 4 });
    for (let n = 0; n < 40; n += 1) await enqueue({ recipientId: `u-${n}` });
    const slots = (await memory.list({ limit: 200 })).items.map(({ slot }) => slot);
    const stuck = slots.filter((slot) => slot >= 1_024 && slot < 2_048).length;
    expect(stuck).toBeGreaterThan(0);
    faults.fail({ method: 'claim', kind: 'throw', times: 100, when: ([options]) => options.partition?.index === 1 });
    await dispatcher.tick();
    expect(channel.sent).toHaveLength(40 - stuck);
    expect(dispatcher.counters().errors).toBeGreaterThan(0);
  });

  test('one row whose ack fails strands no other, and is written when it can be', async () => {
    const { dispatcher, enqueue, faults, clock, statuses, row } = dispatcherBench();
    const ids = await Promise.all([0, 1, 2].map((n) => enqueue({ recipientId: `u-${n}` })));
    faults.fail({ method: 'ackMany', kind: 'throw', times: 3, when: ([acks]) => acks.some(({ claim }) => claim.id === ids[1]) });
    await dispatcher.tick();
    expect((await statuses()).sort()).toEqual(['in_flight', 'success', 'success']);
    await clock.advance(1_000);
    expect((await row(ids[1] as string)).status).toBe('success');
  });

  test('an ack whose answer was lost is not written twice', async () => {
    const { dispatcher, enqueue, faults, row, channel } = dispatcherBench();
    const id = await enqueue();
    faults.fail({ method: 'ackMany', kind: 'throwAfter' });
    await dispatcher.tick();
    await dispatcher.tick();
    expect(await row(id)).toMatchObject({ status: 'success', attempts: 1 });
    expect(channel.sent).toHaveLength(1);
  });

  test('health tells of failed ticks, and of recovery', async () => {
    const { dispatcher, clock, faults } = dispatcherBench();
    expect(dispatcher.health()).toMatchObject({ status: 'ok', details: { dispatching: false } });
    dispatcher.start();
    await clock.advance(0);
    faults.fail({ method: 'survey', kind: 'throw', times: 5, error: new Error('disk full') });
    dispatcher.wake();
    await clock.advance(0);
    expect(dispatcher.health()).toMatchObject({ status: 'degraded', reason: '1 failed ticks in a row, the last with: disk full' });
    await clock.advance(8_000);
    expect(dispatcher.health().status).toBe('failing');
    await clock.advance(10_000);
    expect(dispatcher.health()).toMatchObject({ status: 'ok', details: { dispatching: true } });
    await dispatcher.stop();
  });
});

describe('claims', () => {
  test('a send longer than its claim is renewed every third of it and sent once, by one node of two', async () => {
    const email = heldChannel('email');
    const one = dispatcherBench({ channels: [email.channel], sendTimeoutMs: 120_000 });
    const two = dispatcherBench({ channels: [email.channel], clock: one.clock, memory: one.memory, sendTimeoutMs: 120_000 });
    const id = await one.enqueue();
    one.dispatcher.start();
    two.dispatcher.start();
    await one.clock.advance(60_000);
    expect(email.sends).toHaveLength(1);
    expect(one.faults.calls('renew') + two.faults.calls('renew')).toBe(36); // every 1 666 ⅔ ms
    email.sends[0]?.end();
    await one.clock.advance(0);
    expect(await one.row(id)).toMatchObject({ status: 'success', attempts: 1 });
    await Promise.all([one.dispatcher.stop(), two.dispatcher.stop()]);
  });

  test('a send that loses its claim is aborted, and its outcome is not written', async () => {
    const email = heldChannel('email');
    const { dispatcher, enqueue, clock, memory, row } = dispatcherBench({ channels: [email.channel] });
    const id = await enqueue();
    dispatcher.start();
    await clock.advance(0);
    expect(email.sends[0]?.signal.aborted).toBe(false);
    await memory.reap({ claimTtlMs: 5_000, now: clock.now() + 60_000 });
    const [other] = await memory.claim({ nodeId: 'other', limit: 1, claimTtlMs: 60_000 });
    await clock.advance(1_700);
    expect(email.sends[0]?.signal.aborted).toBe(true);
    email.sends[0]?.end();
    await clock.advance(100);
    expect(await row(id)).toMatchObject({ status: 'in_flight', claimedBy: 'other' });
    expect(await memory.ack(other as NonNullable<typeof other>, { success: true })).toBe('acked');
    expect(dispatcher.counters()).toMatchObject({ lost: 1, delivered: 0 });
    await dispatcher.stop();
  });
});
