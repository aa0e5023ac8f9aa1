import { startChild, testDatabase } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { messagingMigrations } from '../migrations/messaging-migrations.js';

describe.each(['sqlite', 'libsql', 'postgres'] as const)('a node that is killed while it emits, on %s', (name) => {
  it('[emit-atomic] leaves no event without all its deliveries, and none that was reported missing', async () => {
    const database = await testDatabase(name);
    const store = await database.open();
    await store.migrate(messagingMigrations);
    const node = startChild(new URL('./emit-forever.fixture.ts', import.meta.url), { args: [database.options.url as string] });
    const reported: string[] = [];
    for (let lines = 0; lines < 60; lines += 1) reported.push((await node.line(/^written/)).replace('written ', ''));
    await node.kill();
    const events: string[] = await store.knex('notification').pluck('id');
    expect(events).toEqual(expect.arrayContaining(reported));
    const deliveries: string[] = await store.knex('notification_delivery').pluck('notification_id');
    const counts = new Map<string, number>();
    for (const event of deliveries) counts.set(event, (counts.get(event) ?? 0) + 1);
    expect([...counts.keys()].sort()).toEqual(events.sort());
    expect(new Set(counts.values())).toEqual(new Set([50]));
    await database.drop();
  });
});
