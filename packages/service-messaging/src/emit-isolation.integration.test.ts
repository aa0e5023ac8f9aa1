import { MESSAGING, STORE } from '@bellhop/contracts';
import { Kernel, silentLogger } from '@bellhop/kernel';
import { storePlugin } from '@bellhop/store';
import { type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { messagingPlugin } from './messaging-plugin.js';

// On Postgres an insert waits for an open transaction that holds its unique key. On SQLite one writer at a time is the rule anyway.
describe('emits on postgres while a transaction holds a dedup key', () => {
  let database: TestDatabase;
  let kernel: Kernel;
  beforeEach(async () => {
    database = await testDatabase('postgres');
    kernel = new Kernel({ logger: silentLogger }).use(storePlugin(database.options)).use(messagingPlugin({ dispatch: false }));
    await kernel.start();
  });
  afterEach(async () => {
    await kernel.stop();
    await database.drop();
  });

  it('go through, with and without keys of their own; only the one with that key waits, and then sees it taken', async () => {
    const messaging = kernel.resolve(MESSAGING);
    const emit = (dedupKey?: string) => messaging.emit({ topic: 't', audience: 'ada', ...(dedupKey ? { dedupKey } : {}) });
    let waiting: Promise<unknown> = Promise.resolve();
    let settled = false;
    const held = await kernel.resolve(STORE).transaction(async (trx) => {
      const { notificationId } = await messaging.emit({ topic: 't', audience: 'ada', dedupKey: 'held' }, { trx });
      waiting = emit('held').then((result) => {
        settled = true;
        return result;
      });
      for (const key of [undefined, 'other', undefined]) expect(await emit(key)).toMatchObject({ enqueued: 1 });
      expect(settled).toBe(false);
      return notificationId;
    });
    expect(await waiting).toMatchObject({ deduped: true, notificationId: held });
  });
});
