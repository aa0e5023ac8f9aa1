/**
 * The tenant audit against every write of the product, as it runs: each in turn loses its tenancy context, and must be found. What there is to
 * run is read from the sources by the census, so a statement that nothing here runs is found as well.
 */
import type { Store } from '@bellhop/contracts';
import { emptyTables, ManualClock, startChild, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RecordedWrite, recordingStore } from './recording-store.fixture.js';
import { driveEveryWrite } from './tenant-audit-drives.fixture.js';

const TABLES = [
  'notification',
  'notification_delivery',
  'inbox_message',
  'queue_job',
  'queue_pause',
  'queue_schedule',
  'queue_schedule_run',
  'api_key',
  'board_attempt',
  'board_todo',
  'board_event',
  'board_webhook',
  'board_notify_hook',
  'board_endpoint',
];

async function opened<T>(database: TestDatabase, clock: ManualClock, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await database.open({ posture: 'isolated', clock });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Drives everything on an empty database; `taken`: the write that loses its context. */
function drive(database: TestDatabase, taken?: number) {
  const clock = new ManualClock();
  return opened(database, clock, async (inner) => {
    const { store, writes } = recordingStore(inner, taken);
    await driveEveryWrite(store, clock);
    await emptyTables(inner, TABLES);
    return { writes, findings: inner.audit.findings(), isScoped: ({ table }: RecordedWrite) => inner.audit.isTenantScoped(table) };
  });
}

const labelsOf = (writes: readonly RecordedWrite[]) => writes.map(({ statement }) => statement.label);

/** One of each family of SQL: the audit stands above the drivers, and what differs below it is tested with the store. */
const STORES = ['sqlite', 'postgres'] as const;

describe.each(STORES)('the audit on %s', (name) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase(name);
  });
  afterAll(() => database.drop());

  it('[tenant-audit-sites] finds each write of the product that loses its context, and none that has it', async () => {
    const { writes, findings, isScoped } = await drive(database);
    expect(findings).toEqual([]);

    const scoped = writes.filter(isScoped);
    expect(scoped.length).toBeGreaterThan(0);
    let red = 0;
    for (const [index, { table, operation, statement }] of writes.entries()) {
      const again = await drive(database, index);
      expect(labelsOf(again.writes)).toEqual(labelsOf(writes));
      // A table that belongs to no organization asks for no context: the control, of another kind.
      const expected = isScoped({ table, operation, statement }) ? [{ table, operation, count: 1 }] : [];
      expect(again.findings, `${statement.label}, write ${index}`).toEqual(expected);
      red += again.findings.length;
    }
    expect(`${red} of ${scoped.length} red`).toBe(`${scoped.length} of ${scoped.length} red`);
    // Every write of the product once for each of them: a minute on a machine that has other things to do.
  }, 240_000);
});

describe('the drive of the audit', () => {
  interface WriteStatement {
    readonly label: string;
    readonly tenantScoped: boolean;
  }

  it('[tenant-audit-sites] runs every write statement on a tenant-scoped table that the sources define, and no other', async () => {
    const census = startChild(new URL('../../../scripts/gates/cli.ts', import.meta.url), { args: ['tenant-audit-census', '--json'] });
    const { statements: found } = JSON.parse(await census.line(/^\{/)) as { statements: WriteStatement[] };
    await census.exited;
    const defined = found.filter(({ tenantScoped }) => tenantScoped).map(({ label }) => label);

    // Two statements may share a label; each is an object of its own. Some are run in one family of SQL only.
    const statements = new Set<RecordedWrite['statement']>();
    for (const name of STORES) {
      const database = await testDatabase(name);
      const { writes, isScoped } = await drive(database);
      await database.drop();
      for (const write of writes) if (isScoped(write)) statements.add(write.statement);
    }
    const driven = [...statements].map(({ label }) => label);

    expect(defined.length).toBeGreaterThan(0);
    expect(driven.sort()).toEqual(defined.sort());
  });
});
