import type { EmitInput } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { beforeEach, describe, expect, it } from 'vitest';
import type { EmitWriter } from './emit-writer.js';
import { emitting, recordingChannel } from './emitting.fixture.js';
import { InboxService } from './inbox/inbox-service.js';
import { MessagingService } from './messaging-service.js';
import { SplitEmitWriter } from './split-emit-writer.js';

const emit: EmitInput = { topic: 'order.placed', audience: ['u1', 'user:u2'], payload: { title: 'Thank you' } };

describe('emit into an outbox', () => {
  let scene: ReturnType<typeof emitting>;
  beforeEach(() => {
    scene = emitting();
    for (const id of ['inbox', 'email']) scene.service.registerChannel(recordingChannel(id).channel);
    scene.withOutbox();
  });
  const rows = async () => (await scene.outbox.list()).items.toReversed();

  it('writes one event and one row per recipient and channel', async () => {
    const result = await scene.service.emit({ ...emit, channels: ['inbox', 'email'], organizationId: 'acme' });
    expect(result).toMatchObject({ deduped: false, enqueued: 4, delivered: 0, failed: 0, suppressed: [] });
    expect(result.deliveries.map(({ recipientId, channel, ok }) => [recipientId, channel, ok])).toEqual([
      ['u1', 'inbox', true],
      ['u1', 'email', true],
      ['u2', 'inbox', true],
      ['u2', 'email', true],
    ]);
    const written = await rows();
    expect(written.map(({ id }) => id)).toEqual(result.deliveries.map(({ deliveryId }) => deliveryId));
    for (const row of written) {
      expect(row).toMatchObject({
        notificationId: result.notificationId,
        organizationId: 'acme',
        topic: 'order.placed',
        dueAt: scene.clock.now(),
      });
    }
  });

  it('keeps the event as it was emitted, for its own organization only', async () => {
    const { notificationId } = await scene.service.emit({
      ...emit,
      organizationId: 'acme',
      severity: 'warning',
      dedupKey: 'k',
      source: { type: 'order', id: '7' },
      actorId: 'u9',
    });
    expect(await scene.service.getNotification(notificationId, { organizationId: 'acme' })).toEqual({
      id: notificationId,
      organizationId: 'acme',
      topic: 'order.placed',
      payload: { title: 'Thank you' },
      severity: 'warning',
      dedupKey: 'k',
      source: { type: 'order', id: '7' },
      actorId: 'u9',
      suppressed: [],
      createdAt: scene.clock.now(),
    });
    expect(await scene.service.getNotification(notificationId, { organizationId: 'umbrella' })).toBeNull();
  });

  it('gives every row one snapshot: title, body, severity and link filled in', async () => {
    await scene.service.emit({ topic: 'order.placed', audience: 'u1', source: { type: 'order', id: '7' }, payload: { extra: 1 } });
    await scene.service.emit({
      topic: 'order.paid',
      audience: 'u1',
      severity: 'critical',
      payload: { title: 'Paid', body: 'B', url: '/x' },
    });
    await scene.service.emit({ topic: 'bare', audience: 'u1' });
    expect((await rows()).map(({ payload }) => payload)).toEqual([
      { title: 'order.placed', body: '', severity: 'info', actionUrl: '/order/7', extra: 1 },
      { title: 'Paid', body: 'B', severity: 'critical', actionUrl: '/x', url: '/x' },
      { title: 'bare', body: '', severity: 'info' },
    ]);
  });

  it('goes to the inbox unless told', async () => {
    expect((await scene.service.emit(emit)).deliveries.map(({ channel }) => channel)).toEqual(['inbox', 'inbox']);
  });

  it('writes no row for a channel that is not registered or not available, and says so in the result and on the event', async () => {
    scene.service.registerChannel({ id: 'sms', send: async () => ({ ok: true }), isAvailable: () => false });
    const result = await scene.service.emit({ ...emit, audience: 'u1', channels: ['sms', 'inbox', 'push'] });
    const suppressed = [
      { channel: 'sms', reason: 'unavailable' },
      { channel: 'push', reason: 'unregistered' },
    ];
    expect(result).toMatchObject({ enqueued: 1, suppressed });
    expect(await scene.service.getNotification(result.notificationId, { organizationId: 'default' })).toMatchObject({ suppressed });
    expect((await rows()).map(({ channel }) => channel)).toEqual(['inbox']);
  });

  it('follows the channels as they come and go', async () => {
    scene.service.unregisterChannel('inbox');
    expect((await scene.service.emit(emit)).enqueued).toBe(0);
    scene.service.registerChannel(recordingChannel('inbox').channel);
    expect((await scene.service.emit(emit)).enqueued).toBe(2);
    expect([...scene.service.channels()].sort()).toEqual(['email', 'inbox']);
  });

  it('writes the event of an emit that reaches nobody', async () => {
    const result = await scene.service.emit({ ...emit, audience: [] });
    expect(result).toMatchObject({ deduped: false, enqueued: 0, deliveries: [] });
    expect(await scene.service.getNotification(result.notificationId, { organizationId: 'default' })).not.toBeNull();
    expect(scene.warnings).toEqual(['emit has no recipients']);
  });

  it('is idempotent by dedup key within organization and topic: a repeat returns the first event and enqueues nothing', async () => {
    const first = await scene.service.emit({ ...emit, dedupKey: 'k' });
    const repeat = await scene.service.emit({ ...emit, dedupKey: 'k', audience: ['u1', 'u3'] });
    expect(repeat).toEqual({
      notificationId: first.notificationId,
      deduped: true,
      deliveries: [],
      enqueued: 0,
      delivered: 0,
      failed: 0,
      suppressed: [],
    });
    expect(await rows()).toHaveLength(2);
    const others = [
      { ...emit, dedupKey: 'k2' },
      { ...emit, dedupKey: 'k', topic: 'order.paid' },
      { ...emit, dedupKey: 'k', organizationId: 'acme' },
      emit,
      emit,
    ];
    for (const other of others) expect(await scene.service.emit(other)).toMatchObject({ deduped: false, enqueued: 2 });
  });

  it('converges when one key is emitted many times at once', async () => {
    const results = await Promise.all(Array.from({ length: 10 }, () => scene.service.emit({ ...emit, dedupKey: 'k' })));
    expect(new Set(results.map(({ notificationId }) => notificationId)).size).toBe(1);
    expect(results.filter(({ deduped }) => deduped === false)).toHaveLength(1);
    expect(await rows()).toHaveLength(2);
  });

  it('writes nothing when the input is refused', async () => {
    await expect(scene.service.emit({ ...emit, channels: ['inbox', ''] })).rejects.toThrow(InputError);
    await expect(scene.service.emit({ ...emit, nonsense: 1 } as EmitInput)).rejects.toThrow(/nonsense: no such field/);
    expect(await rows()).toEqual([]);
    expect(scene.wakes).toEqual([]);
  });

  it('refuses a payload that its defaults carry over the limit', async () => {
    const frame = '{"body":""}'.length;
    await expect(scene.service.emit({ ...emit, payload: { body: 'x'.repeat(256 * 1024 - frame) } })).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    expect(await rows()).toEqual([]);
  });

  it('emitMany gives results in the order of the inputs', async () => {
    const results = await scene.service.emitMany([
      { ...emit, notBefore: scene.clock.now() + 500 },
      { ...emit, dedupKey: 'k', notBefore: scene.clock.now() + 200 },
      { ...emit, dedupKey: 'k' },
      { ...emit, audience: [] },
    ]);
    expect(results.map(({ enqueued, deduped }) => [enqueued, deduped])).toEqual([
      [2, false],
      [2, false],
      [0, true],
      [0, false],
    ]);
    expect(results[2]?.notificationId).toBe(results[1]?.notificationId);
    expect(await scene.service.emitMany([])).toEqual([]);
  });

  it('emitMany refuses all when one input is malformed, and says which', async () => {
    await expect(scene.service.emitMany([emit, { ...emit, topic: '' }])).rejects.toThrow(/^inputs\[1\]\.topic/);
    await expect(scene.service.emitMany('x' as unknown as EmitInput[])).rejects.toThrow(InputError);
    expect(await rows()).toEqual([]);
  });

  it('lists and cancels what waits', async () => {
    const { notificationId } = await scene.service.emit({ ...emit, organizationId: 'acme', notBefore: scene.clock.now() + 1_000 });
    const page = await scene.service.listDeliveries({ organizationId: 'acme', notificationId });
    expect(page.items).toHaveLength(2);
    expect((await scene.service.listDeliveries({ organizationId: 'umbrella', notificationId })).items).toEqual([]);
    expect(await scene.service.cancel({ organizationId: 'umbrella', notificationId })).toBe(0);
    expect(await scene.service.cancel({ organizationId: 'acme', notificationId })).toBe(2);
    await expect(scene.service.cancel({ organizationId: 'acme' })).rejects.toThrow(InputError);
  });

  it('cannot cancel in an outbox that cannot', async () => {
    const { claim, claimDigest, ack, list, enqueue } = scene.outbox;
    scene.withOutbox({ claim, claimDigest, ack, list, enqueue });
    await expect(scene.service.cancel({ organizationId: 'acme', notificationId: 'x' })).rejects.toMatchObject({ code: 'OUTBOX_REQUIRED' });
  });
});

describe('onEnqueued', () => {
  let scene: ReturnType<typeof emitting>;
  beforeEach(() => {
    scene = emitting();
    scene.service.registerChannel(recordingChannel('inbox').channel);
    scene.withOutbox();
  });

  it('[on-enqueued] is called once per emit that enqueued, with the time of the emit for what is due at once', async () => {
    await scene.service.emit(emit);
    expect(scene.wakes).toEqual([{ dueAt: scene.clock.now() }]);
    await scene.service.emit(emit);
    expect(scene.wakes).toHaveLength(2);
  });

  it('[on-enqueued] is called with the due time of what is due later', async () => {
    await scene.service.emit({ ...emit, notBefore: scene.clock.now() + 60_000 });
    expect(scene.wakes).toEqual([{ dueAt: scene.clock.now() + 60_000 }]);
  });

  it('[on-enqueued] is called once for an emitMany, with the earliest due time of all its rows', async () => {
    const now = scene.clock.now();
    await scene.service.emitMany([
      { ...emit, notBefore: now + 500 },
      { ...emit, notBefore: now + 200 },
      { ...emit, audience: [], notBefore: now },
    ]);
    expect(scene.wakes).toEqual([{ dueAt: now + 200 }]);
  });

  it('[on-enqueued] is not called for an emit that enqueues nothing: no recipient, no channel, a repeat (control: the first of the key)', async () => {
    await scene.service.emit({ ...emit, audience: [] });
    await scene.service.emit({ ...emit, channels: ['push'] });
    expect(scene.wakes).toEqual([]);
    await scene.service.emit({ ...emit, dedupKey: 'k' });
    expect(scene.wakes).toHaveLength(1);
    await scene.service.emit({ ...emit, dedupKey: 'k' });
    expect(scene.wakes).toHaveLength(1);
  });

  it('[on-enqueued][S5] is called when the rows can be claimed, not before', async () => {
    const seen: Promise<number>[] = [];
    scene.service.setOutbox(scene.outbox, { onEnqueued: () => void seen.push(scene.outbox.list().then(({ items }) => items.length)) });
    await scene.service.emit(emit);
    await scene.transaction((trx) => scene.service.emit(emit, { trx }));
    expect(await Promise.all(seen)).toEqual([2, 4]);
  });

  it('[on-enqueued][S5] is called after the commit of the transaction the emit joined, once per emit', async () => {
    await scene.transaction(async (trx) => {
      const result = await scene.service.emit(emit, { trx });
      expect(result).toMatchObject({ deduped: false, enqueued: 2 });
      expect(scene.wakes).toEqual([]);
      await scene.service.emit(emit, { trx });
      expect(scene.wakes).toEqual([]);
      expect((await scene.outbox.list()).items).toEqual([]);
    });
    expect(scene.wakes).toHaveLength(2);
    expect((await scene.outbox.list()).items).toHaveLength(4);
  });

  it('[on-enqueued][S5] is never called after a rollback, and the emit is gone (control: the next one commits)', async () => {
    const rolledBack = scene.transaction(async (trx) => {
      await scene.service.emit({ ...emit, dedupKey: 'k' }, { trx });
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(scene.wakes).toEqual([]);
    expect((await scene.outbox.list()).items).toEqual([]);
    expect(await scene.service.emit({ ...emit, dedupKey: 'k' })).toMatchObject({ deduped: false, enqueued: 2 });
    expect(scene.wakes).toHaveLength(1);
  });

  it('[on-enqueued] is called once a write that takes its time is done, not before', async () => {
    const order: string[] = [];
    let commit = (): void => {};
    const inner = new SplitEmitWriter(scene.events, scene.outbox);
    const writer: EmitWriter = {
      async write(calls, options) {
        await new Promise<void>((resolve) => {
          commit = resolve;
        });
        const written = await inner.write(calls, options);
        order.push('committed');
        return written;
      },
    };
    scene.service.setOutbox(scene.outbox, { writer, onEnqueued: () => void order.push('woken') });
    const emitted = scene.service.emit(emit);
    await scene.clock.advance(0);
    expect(order).toEqual([]);
    commit();
    await emitted;
    expect(order).toEqual(['committed', 'woken']);
  });

  it('[on-enqueued] may throw: the emit stands', async () => {
    scene.service.setOutbox(scene.outbox, {
      onEnqueued: () => {
        throw new Error('nobody there');
      },
    });
    expect((await scene.service.emit(emit)).enqueued).toBe(2);
    expect(scene.errors).toHaveLength(1);
  });

  it('is not called when the write fails', async () => {
    const writer: EmitWriter = { write: () => Promise.reject(new Error('disk full')) };
    scene.service.setOutbox(scene.outbox, { writer, onEnqueued: (enqueued) => void scene.wakes.push(enqueued) });
    await expect(scene.service.emit(emit)).rejects.toThrow('disk full');
    expect(scene.wakes).toEqual([]);
  });

  it('a service without afterCommit refuses a transaction it could not wake after', async () => {
    const service = new MessagingService({
      clock: scene.clock,
      events: scene.events,
      inbox: new InboxService(scene.inboxStore, scene.clock),
    });
    service.registerChannel(recordingChannel('inbox').channel);
    service.setOutbox(scene.outbox);
    await expect(scene.transaction((trx) => service.emit(emit, { trx }))).rejects.toThrow(/afterCommit/);
    expect((await service.emit(emit)).enqueued).toBe(2);
  });
});
