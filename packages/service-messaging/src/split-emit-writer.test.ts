import type { EmitInput, EnqueueDeliveryInput, INotificationOutbox } from '@bellhop/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { emitting, recordingChannel } from './emitting.fixture.js';
import type { EventStore } from './event-store.js';
import { SplitEmitWriter } from './split-emit-writer.js';

const emit: EmitInput = { topic: 'order.placed', audience: ['u1', 'u2', 'u3'], payload: { title: 'Thank you' }, dedupKey: 'k' };

describe('SplitEmitWriter', () => {
  let scene: ReturnType<typeof emitting>;
  beforeEach(() => {
    scene = emitting();
    scene.service.registerChannel(recordingChannel('inbox').channel);
  });
  const recipients = async () => (await scene.outbox.list()).items.map(({ recipientId }) => recipientId).sort();

  /** The outbox, dying at the given row of the next enqueue. */
  function dyingAt(row: number, { many }: { many: boolean }): INotificationOutbox {
    const { outbox } = scene;
    let left = row;
    const enqueue = async (input: EnqueueDeliveryInput): Promise<string> => {
      if (left === 0) throw new Error('died');
      left -= 1;
      return outbox.enqueue(input);
    };
    const core: INotificationOutbox = {
      enqueue,
      claim: (options) => outbox.claim(options),
      claimDigest: (options) => outbox.claimDigest(options),
      ack: (claim, result) => outbox.ack(claim, result),
      list: (filter) => outbox.list(filter),
    };
    const enqueueMany = async (inputs: readonly EnqueueDeliveryInput[]): Promise<string[]> => {
      const ids: string[] = [];
      for (const input of inputs) ids.push(await enqueue(input));
      return ids;
    };
    return many ? { ...core, enqueueMany } : core;
  }

  it.each([
    { row: 0, many: true },
    { row: 2, many: true },
    { row: 0, many: false },
    { row: 2, many: false },
  ])('a crash between event and rows does not block the retry: it goes on where the first stopped (%o)', async ({ row, many }) => {
    scene.withOutbox(dyingAt(row, { many }));
    await expect(scene.service.emit(emit)).rejects.toThrow('died');
    expect(scene.wakes).toEqual([]);
    expect(await recipients()).toHaveLength(row);
    scene.withOutbox();
    const retried = await scene.service.emit(emit);
    expect(retried).toMatchObject({ deduped: true, enqueued: 3 });
    expect(await recipients()).toEqual(['u1', 'u2', 'u3']);
    const rows = (await scene.outbox.list()).items;
    expect(new Set(rows.map(({ notificationId }) => notificationId))).toEqual(new Set([retried.notificationId]));
    expect(retried.deliveries.map(({ deliveryId }) => deliveryId).sort()).toEqual(rows.map(({ id }) => id).sort());
    // Control: the fan-out is finished, so a further repeat is a repeat.
    expect(await scene.service.emit({ ...emit, audience: 'u4' })).toMatchObject({ deduped: true, enqueued: 0 });
    expect(await recipients()).toEqual(['u1', 'u2', 'u3']);
  });

  it('[on-enqueued] a retry that goes on where the first stopped wakes the dispatcher', async () => {
    scene.withOutbox(dyingAt(2, { many: true }));
    await expect(scene.service.emit(emit)).rejects.toThrow('died');
    expect(scene.wakes).toEqual([]);
    scene.withOutbox();
    await scene.service.emit(emit);
    expect(scene.wakes).toEqual([{ dueAt: scene.clock.now() }]);
  });

  it('a crash after the rows, before the event says so, repeats rows that converge', async () => {
    const { events } = scene;
    const forgetful: EventStore = {
      insert: (news, options) => events.insert(news, options),
      markFannedOut: () => Promise.reject(new Error('died')),
      get: (id, scope) => events.get(id, scope),
    };
    scene.service.setOutbox(scene.outbox, { writer: new SplitEmitWriter(forgetful, scene.outbox) });
    await expect(scene.service.emit(emit)).rejects.toThrow('died');
    const before = (await scene.outbox.list()).items;
    scene.withOutbox();
    expect(await scene.service.emit(emit)).toMatchObject({ deduped: true, enqueued: 3 });
    expect((await scene.outbox.list()).items).toEqual(before);
  });

  it('works with an outbox that has no enqueueMany', async () => {
    scene.withOutbox(dyingAt(Number.POSITIVE_INFINITY, { many: false }));
    const result = await scene.service.emit(emit);
    expect(result).toMatchObject({ deduped: false, enqueued: 3 });
    expect(result.deliveries.map(({ deliveryId }) => deliveryId)).toEqual(
      (await scene.outbox.list()).items.map(({ id }) => id).toReversed(),
    );
  });

  it('an event without deliveries is finished as it is written', async () => {
    scene.withOutbox();
    expect(await scene.service.emit({ ...emit, audience: [] })).toMatchObject({ deduped: false, enqueued: 0 });
    expect(await scene.service.emit(emit)).toMatchObject({ deduped: true, enqueued: 0 });
    expect(await recipients()).toEqual([]);
  });

  it('refuses a dedup key where it cannot be known whether it is taken, before it enqueues', async () => {
    const { events } = scene;
    const blind: EventStore = {
      insert: async (news) =>
        news.map(({ record, fannedOut }) => ({ id: record.id, deduped: record.dedupKey === null ? false : null, fannedOut })),
      markFannedOut: (finished, options) => events.markFannedOut(finished, options),
      get: (id, scope) => events.get(id, scope),
    };
    scene.service.setOutbox(scene.outbox, { writer: new SplitEmitWriter(blind, scene.outbox) });
    await expect(scene.transaction((trx) => scene.service.emit(emit, { trx }))).rejects.toMatchObject({ code: 'BATCH_ONLY' });
    expect(await recipients()).toEqual([]);
    const { dedupKey: _key, ...withoutKey } = emit;
    await scene.transaction((trx) => scene.service.emit(withoutKey, { trx }));
    expect(await recipients()).toEqual(['u1', 'u2', 'u3']);
  });
});
