// A node that is killed in the middle of an emit: its event is written, its deliveries are being written, nothing is committed.
import type { Store } from '@bellhop/contracts';
import { defineStatement, openStore } from '@bellhop/store';
import { startChild, type TestDatabase, testDatabase } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { messagingMigrations } from '../migrations/messaging-migrations.js';

/** Makes the deliveries of a topic `stuck` a write that never ends, and says when somebody is in it. */
interface Trap {
  isShut(): Promise<boolean>;
  /** To be called when the node is dead: its server has to learn of that, or would go on with the write that was waiting. */
  open(): Promise<void>;
}

/** A node between two writes may hold the lock, too; one that holds it whenever it is asked for is stuck. */
const LOCKED_IN_A_ROW = 20;

async function sqliteTrap(store: Store, database: TestDatabase): Promise<Trap> {
  await store.knex.raw('CREATE VIEW without_end AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n');
  await store.knex.raw(`CREATE TRIGGER trap BEFORE INSERT ON notification_delivery WHEN NEW.topic = 'stuck'
    BEGIN SELECT COUNT(*) FROM without_end; END`);
  const prober = await openStore({ ...database.options, busyTimeoutMs: 1 });
  const probe = defineStatement({
    label: 'test.probe',
    operation: 'update',
    table: 'notification',
    sql: `UPDATE notification SET topic = topic WHERE id = 'none'`,
  });
  let inARow = 0;
  return {
    async isShut() {
      const answer = await prober.write(probe, {}, { global: 'a probe of the lock' }).catch(({ code }: { code: string }) => code);
      inARow = answer === 'STORE_BUSY' ? inARow + 1 : 0;
      return inARow === LOCKED_IN_A_ROW;
    },
    open: () => prober.close(),
  };
}

async function postgresTrap(store: Store): Promise<Trap> {
  const { knex } = store;
  await knex.raw(
    'CREATE FUNCTION trap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END $$',
  );
  await knex.raw(
    `CREATE TRIGGER trap BEFORE INSERT ON notification_delivery FOR EACH ROW WHEN (NEW.topic = 'stuck') EXECUTE FUNCTION trap()`,
  );
  const trx = await knex.transaction();
  await trx.raw('SELECT pg_advisory_xact_lock(1)');
  const waiting = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return {
    isShut: async () => (await knex.raw(`SELECT pid ${waiting}`)).rows.length > 0,
    async open() {
      await knex.raw(`SELECT pg_terminate_backend(pid, 5000) ${waiting}`);
      await trx.rollback();
    },
  };
}

describe.each(['sqlite', 'libsql', 'postgres'] as const)('a node that is killed while it emits, on %s', (name) => {
  it('[emit-atomic] leaves no event without all its deliveries, and none that was reported missing', async () => {
    const database = await testDatabase(name);
    const store = await database.open();
    await store.migrate(messagingMigrations);
    const trap = name === 'postgres' ? await postgresTrap(store) : await sqliteTrap(store, database);
    const node = startChild(new URL('./emit-until-stuck.fixture.ts', import.meta.url), { args: [database.options.url as string] });
    const reported: string[] = [];
    for (let lines = 0; lines < 2; lines += 1) reported.push((await node.line(/^written/)).replace('written ', ''));
    await node.line(/^about/);
    while (!(await trap.isShut()));
    await node.kill();
    await trap.open();
    expect((await store.knex('notification').pluck('id')).sort()).toEqual(reported.sort());
    const deliveries: string[] = await store.knex('notification_delivery').pluck('notification_id');
    for (const event of reported) expect(deliveries.filter((of) => of === event)).toHaveLength(50);
    expect(deliveries).toHaveLength(100);
    await database.drop();
  });
});
