import type { EmitInput, SendResult } from '@bellhop/contracts';
import { describe, expect, it } from 'vitest';
import { emitting, recordingChannel } from './emitting.fixture.js';
import { ASYNC_CLASSIFIERS, classifier, EXTERNAL_IDS, THROWING, THROWN } from './hostile-channel.fixture.js';

const emit: EmitInput = { topic: 'order.placed', audience: ['u1', 'u2'], payload: { title: 'Thank you', body: 'B', url: '/x' } };

/** A promise and the call that settles it. */
function gate<T>(): { opened: Promise<T>; open: (value: T) => void } {
  let open: (value: T) => void = () => {};
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

describe('emit without an outbox', () => {
  it('sends at once and counts what the channels accepted', async () => {
    const { service, clock } = emitting();
    const { channel, sent } = recordingChannel('inbox', () => ({ ok: true, externalId: 'x' }));
    service.registerChannel(channel);
    const result = await service.emit({ ...emit, organizationId: 'acme', severity: 'warning' });
    expect(result).toMatchObject({ deduped: false, enqueued: 0, delivered: 2, failed: 0 });
    expect(result.deliveries).toEqual([
      { channel: 'inbox', recipientId: 'u1', ok: true, externalId: 'x' },
      { channel: 'inbox', recipientId: 'u2', ok: true, externalId: 'x' },
    ]);
    const [first] = sent;
    expect(first?.delivery).toEqual({
      deliveryId: first?.idempotencyKey,
      notificationId: result.notificationId,
      organizationId: 'acme',
      recipientId: 'u1',
      topic: 'order.placed',
      title: 'Thank you',
      body: 'B',
      severity: 'warning',
      actionUrl: '/x',
      payload: { title: 'Thank you', body: 'B', url: '/x', severity: 'warning', actionUrl: '/x' },
      attempt: 1,
      createdAt: clock.now(),
    });
    expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
  });

  it('keeps failures apart: a channel that refuses, throws or breaks never touches another', async () => {
    const { service } = emitting();
    const failures: Record<string, () => SendResult> = {
      refusing: () => ({ ok: false, error: 'no such address\0' }),
      silent: () => ({ ok: false }),
      throwing: () => {
        throw new Error('broken');
      },
      fine: () => ({ ok: true }),
    };
    for (const [id, answer] of Object.entries(failures)) service.registerChannel(recordingChannel(id, answer).channel);
    const result = await service.emit({ ...emit, audience: 'u1', channels: Object.keys(failures) });
    expect(result).toMatchObject({ delivered: 1, failed: 3 });
    expect(result.deliveries.map(({ ok, error }) => [ok, error])).toEqual([
      [false, 'no such address'],
      [false, 'the channel reported a failure without a reason'],
      [false, 'broken'],
      [true, undefined],
    ]);
  });

  it('counts as sent what the channel calls a duplicate; a classifier that throws changes nothing', async () => {
    const { service } = emitting();
    const failing = recordingChannel('twice', () => ({ ok: false, error: 'seen before' })).channel;
    service.registerChannel({ ...failing, classifyError: (error) => (error === 'seen before' ? 'duplicate' : 'retryable') });
    service.registerChannel({
      ...failing,
      id: 'confused',
      classifyError: () => {
        throw new Error('no idea');
      },
    });
    const result = await service.emit({ ...emit, audience: 'u1', channels: ['twice', 'confused'] });
    expect(result.deliveries.map(({ ok }) => ok)).toEqual([true, false]);
  });

  it('reports suppressed channels as with an outbox', async () => {
    const { service } = emitting();
    const result = await service.emit({ ...emit, channels: ['push'] });
    expect(result).toMatchObject({ delivered: 0, failed: 0, suppressed: [{ channel: 'push', reason: 'unregistered' }] });
  });

  it('sends to many at once, but never to more than 16', async () => {
    const { service, clock } = emitting();
    const { opened, open } = gate<SendResult>();
    const { channel, sent } = recordingChannel('inbox', () => opened);
    service.registerChannel(channel);
    const emitted = service.emit({ ...emit, audience: Array.from({ length: 40 }, (_, at) => `u${at}`) });
    await clock.advance(0);
    expect(sent).toHaveLength(16);
    open({ ok: true });
    expect(await emitted).toMatchObject({ delivered: 40 });
  });

  it('sends once per dedup key, also to a repeat that comes while the first is being sent', async () => {
    const { service, clock } = emitting();
    const { opened, open } = gate<SendResult>();
    const { channel, sent } = recordingChannel('inbox', () => opened);
    service.registerChannel(channel);
    const first = service.emit({ ...emit, dedupKey: 'k' });
    await clock.advance(0);
    expect(await service.emit({ ...emit, dedupKey: 'k' })).toMatchObject({ deduped: true, delivered: 0, deliveries: [] });
    open({ ok: true });
    expect(await first).toMatchObject({ deduped: false, delivered: 2 });
    expect(await service.emit({ ...emit, dedupKey: 'k' })).toMatchObject({ deduped: true, delivered: 0 });
    expect(sent).toHaveLength(2);
    const [once, twice] = await service.emitMany([
      { ...emit, dedupKey: 'k2' },
      { ...emit, dedupKey: 'k2' },
    ]);
    expect([once?.delivered, twice?.delivered, twice?.deduped]).toEqual([2, 0, true]);
  });

  it('sends on a repeat when the first died between the event and its sends', async () => {
    const { service, events, clock } = emitting();
    const { channel, sent } = recordingChannel('inbox');
    service.registerChannel(channel);
    const died = {
      id: 'first-event',
      organizationId: 'default',
      topic: emit.topic,
      payload: null,
      severity: 'info' as const,
      dedupKey: 'k',
      source: null,
      actorId: null,
      suppressed: [],
      createdAt: clock.now(),
    };
    await events.insert([{ record: died, payloadText: null, fannedOut: false }]);
    expect(await service.emit({ ...emit, dedupKey: 'k' })).toMatchObject({ notificationId: 'first-event', deduped: true, delivered: 2 });
    expect(sent.map(({ delivery }) => delivery.notificationId)).toEqual(['first-event', 'first-event']);
    expect(await service.emit({ ...emit, dedupKey: 'k' })).toMatchObject({ deduped: true, delivered: 0 });
  });

  it('refuses what only an outbox can do: to wait, and to join a transaction', async () => {
    const { service, clock, transaction } = emitting();
    const { channel, sent } = recordingChannel('inbox');
    service.registerChannel(channel);
    await expect(service.emit({ ...emit, notBefore: clock.now() + 1 })).rejects.toMatchObject({ code: 'OUTBOX_REQUIRED' });
    await expect(transaction((trx) => service.emit(emit, { trx }))).rejects.toMatchObject({ code: 'OUTBOX_REQUIRED' });
    expect(sent).toEqual([]);
    expect(await service.emit({ ...emit, notBefore: clock.now() })).toMatchObject({ delivered: 2 });
    expect(await service.listDeliveries({ organizationId: 'default' })).toEqual({ items: [], nextCursor: null });
    expect(await service.cancel({ organizationId: 'default', recipientId: 'u1' })).toBe(0);
  });

  it('is where a service goes back to when its outbox is taken away', async () => {
    const { service, withOutbox, outbox } = emitting();
    service.registerChannel(recordingChannel('inbox').channel);
    withOutbox();
    expect(await service.emit(emit)).toMatchObject({ enqueued: 2, delivered: 0 });
    service.setOutbox(null);
    expect(await service.emit(emit)).toMatchObject({ enqueued: 0, delivered: 2 });
    expect((await outbox.list()).items).toHaveLength(2);
  });

  it.each(EXTERNAL_IDS)('keeps of an external id of %o: %s', async (externalId, kept) => {
    const { service } = emitting();
    service.registerChannel(recordingChannel('inbox', () => ({ ok: true, externalId }) as SendResult).channel);
    const { deliveries } = await service.emit({ ...emit, audience: 'u1' });
    expect(deliveries).toEqual([{ channel: 'inbox', recipientId: 'u1', ok: true, ...(kept === undefined ? {} : { externalId: kept }) }]);
  });

  it.each(THROWN.flatMap(([what, thrown, text]) => THROWING.map(([how, raise]) => [how, what, raise(thrown), text] as const)))(
    'fails the one recipient for whom a channel %s %s, and no other',
    async (_how, _what, fail, text) => {
      const { service } = emitting();
      service.registerChannel({
        id: 'inbox',
        send: (_ctx, { recipientId }) => (recipientId === 'u1' ? fail() : Promise.resolve({ ok: true })),
      });
      const { deliveries, ...counts } = await service.emit(emit);
      expect(counts).toMatchObject({ delivered: 1, failed: 1 });
      expect(deliveries.map(({ ok, error }) => [ok, error])).toEqual([
        [false, text],
        [true, undefined],
      ]);
    },
  );

  it('says of a channel that returns nothing what the dispatcher says', async () => {
    const { service } = emitting();
    service.registerChannel({ id: 'inbox', send: async () => undefined as never });
    const { deliveries } = await service.emit({ ...emit, audience: 'u1' });
    expect(deliveries).toMatchObject([{ ok: false, error: 'The channel "inbox" returned no result: `send` resolves to { ok }.' }]);
  });

  it.each(ASYNC_CLASSIFIERS)('waits 2 s at most for a classifyError that %s', async (_title, classify, heard) => {
    const { service, clock } = emitting();
    service.registerChannel({ ...recordingChannel('inbox', () => ({ ok: false, error: 'no' })).channel, ...classifier(classify) });
    const emitted = service.emit({ ...emit, audience: 'u1' });
    await clock.advance(2_000);
    expect(await emitted).toMatchObject(heard ? { delivered: 1, failed: 0 } : { delivered: 0, failed: 1 });
  });
});
