/** What a scrape costs a database with a backlog. */

import { messagingMigrations } from '@bellhop/service-messaging';
import { defineStatement } from '@bellhop/store';
import { testDatabase } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { oldestDue, oldestDueAges } from './oldest-due.js';

describe('the oldest due delivery of each channel', () => {
  it('[budget] is found by seeks in the claim indexes: one statement, and no row of the backlog read', async () => {
    const database = await testDatabase('sqlite');
    const store = await database.open();
    await store.migrate(messagingMigrations);
    const explain = defineStatement({
      label: 'plan',
      operation: 'select',
      table: 'notification_delivery',
      sql: `EXPLAIN QUERY PLAN ${oldestDue.sql.sqlite}`,
    });
    const plan = (await store.read<{ detail: string }>(explain, { now: 1 })).map(({ detail }) => detail);
    const tables = plan.filter((line) => /(SEARCH|SCAN) (notification_delivery|d)\b/.test(line));
    // In either index: the first channel, the next one, and the earliest row of each.
    expect(tables).toHaveLength(6);
    for (const line of tables)
      expect(line).toMatch(/^SEARCH .* USING (COVERING )?INDEX notification_delivery_claim(_digest)? \(channel[=>]/);
    store.meter.reset();
    await oldestDueAges(store);
    expect(store.meter.snapshot().statements).toBe(1);
    await database.drop();
  });
});
