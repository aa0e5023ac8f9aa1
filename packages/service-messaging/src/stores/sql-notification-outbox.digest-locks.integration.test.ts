import { defineStatement } from '@bellhop/store';
import { type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { messagingMigrations } from '../migrations/messaging-migrations.js';
import { SqlNotificationOutbox } from './sql-notification-outbox.js';

const ROWS = 8;

/** Backends of this database that wait for a lock. */
const waiting = defineStatement({
  label: 'test.waiting',
  operation: 'select',
  table: 'pg_stat_activity',
  sql: `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
});

describe('a digest claim on Postgres, while another node holds half of the group', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await testDatabase('postgres');
  });
  afterEach(() => database.drop());

  it.each([
    ['commits', 0],
    ['dies', ROWS],
  ] as const)('[S7] waits for it: when the other %s, it takes %i of 8 rows', async (ending, taken) => {
    const store = await database.open();
    await store.migrate(messagingMigrations);
    const outbox = new SqlNotificationOutbox({ store });
    const row = { recipientId: 'ada', channel: 'inbox', payload: {}, digestKey: 'ada|inbox|today' };
    const ids = await outbox.enqueueMany(Array.from({ length: ROWS }, (_, index) => ({ ...row, notificationId: `event-${index}` })));
    const rows = () => store.knex('notification_delivery');

    let claimed: number | undefined;
    const claim = async () => {
      claimed = (await outbox.claimDigest({ nodeId: 'node', limit: 10, claimTtlMs: 5_000 })).length;
    };
    let claiming: Promise<void> | undefined;
    const other = store.transaction(async (trx) => {
      const half = await rows()
        .transacting(trx)
        .whereIn('id', ids.slice(0, ROWS / 2))
        .forUpdate();
      expect(half).toHaveLength(ROWS / 2);
      claiming = claim();
      while (claimed === undefined && (await store.read(waiting, {})).length === 0);
      if (ending === 'dies') throw new Error('its connection is gone');
      await rows().transacting(trx).update({ status: 'in_flight', digest_group: 'of the other' });
    });
    await other.catch(() => {});
    await claiming;
    expect(claimed).toBe(taken);
  });
});
