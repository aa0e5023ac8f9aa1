import type { Store } from '@bellhop/contracts';
import { emptyTables, TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineStatement } from './define-statement.js';
import { turns } from './lock.fixture.js';
import { openStore } from './open-store.js';
import { ROWS_PER_SLICE } from './row-slices.js';

interface Line {
  readonly position: number;
  readonly body: string;
}

const TOTAL = 5_000;
const readLines = defineStatement({
  label: 'line.read',
  operation: 'select',
  table: 'line',
  sql: 'SELECT position, body FROM line WHERE position <= :last ORDER BY position',
});
const insertLine = defineStatement({
  label: 'line.insert',
  operation: 'insert',
  table: 'line',
  sql: `INSERT INTO line (position, body) VALUES (:position, 'late')`,
});
const every = { last: 1_000_000 };

async function seed(store: Store): Promise<void> {
  await store.knex.schema.createTable('line', (table) => {
    table.bigInteger('position').primary();
    table.text('body');
  });
  await fill(store);
}

async function fill(store: Store): Promise<void> {
  await store.knex.raw(
    `INSERT INTO line (position, body) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${TOTAL}) SELECT i, 'line ' || i FROM n`,
  );
}

/** Counts the turns of the event loop until `stop`. */
function turnCounter() {
  const counter = { turn: 0, stop: () => {} };
  let running = true;
  counter.stop = () => {
    running = false;
  };
  const next = () => {
    counter.turn += 1;
    if (running) setImmediate(next);
  };
  setImmediate(next);
  return counter;
}

describe.each(TEST_STORE_NAMES)('a long read of %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await testDatabase(name);
    store = await database.open();
    await seed(store);
  });
  beforeEach(async () => {
    if ((await store.read(readLines, every)).length === TOTAL) return;
    await emptyTables(store, ['line']);
    await fill(store);
  });
  afterAll(() => database.drop());

  it('hands out every row in order, in one statement under its label', async () => {
    const lines: Line[] = [];
    store.meter.reset();
    expect(await store.readRows<Line>(readLines, { last: 1_234 }, (line) => lines.push(line))).toBe(1_234);
    expect(lines).toEqual(Array.from({ length: 1_234 }, (_, i) => ({ position: i + 1, body: `line ${i + 1}` })));
    expect(await store.read(readLines, { last: 1_234 })).toEqual(lines);
    expect(store.meter.snapshot()).toMatchObject({ statements: 2, writes: 0, byLabel: { 'line.read': { statements: 2, rows: 2_468 } } });
  });

  it('of no rows calls nobody', async () => {
    store.meter.reset();
    expect(await store.readRows(readLines, { last: 0 }, () => expect.unreachable())).toBe(0);
    expect(store.meter.snapshot().byLabel).toEqual({ 'line.read': { statements: 1, rows: 0 } });
  });

  it('lets the event loop turn after five hundred rows at most (control: a read in the process takes all of them in one turn)', async () => {
    const rowsOfTurn = new Map<number, number>();
    const counter = turnCounter();
    await store.readRows(readLines, every, () => rowsOfTurn.set(counter.turn, (rowsOfTurn.get(counter.turn) ?? 0) + 1));
    const before = counter.turn;
    await store.read(readLines, every);
    const ofRead = counter.turn - before;
    counter.stop();
    expect(Math.max(...rowsOfTurn.values())).toBeLessThanOrEqual(ROWS_PER_SLICE);
    expect([...rowsOfTurn.values()].reduce((sum, rows) => sum + rows, 0)).toBe(TOTAL);
    // How many turns the answer of a server takes is the network's affair.
    if (name !== 'postgres' && name !== 'libsql-remote') expect(ofRead).toBe(0);
  });

  it('ends with what is thrown for a row, as it is, and the store goes on', async () => {
    let seen = 0;
    // It reads like a lost connection, and would be tried again if it were the database's.
    const thrown = new Error('fetch failed');
    store.meter.reset();
    const read = store.readRows(readLines, every, () => {
      seen += 1;
      if (seen === 700) throw thrown;
    });
    await expect(read).rejects.toBe(thrown);
    expect(seen).toBe(700);
    expect(store.meter.snapshot().byLabel['line.read']?.statements).toBe(1);
    await store.write(insertLine, { position: TOTAL + 1 }, { global: 'a test' });
    expect(await store.readRows(readLines, every, () => {})).toBe(TOTAL + 1);
  });

  it('ends early when it is aborted, with the reason of the signal (control: without an abort it goes on)', async () => {
    const abort = new AbortController();
    const reason = new Error('The operation was aborted due to timeout');
    let seen = 0;
    const abortedAt = (row: number) => () => {
      seen += 1;
      if (seen === row) abort.abort(reason);
    };
    await expect(store.readRows(readLines, every, abortedAt(700), { signal: abort.signal })).rejects.toBe(reason);
    expect(seen).toBe(700);
    store.meter.reset();
    await expect(store.readRows(readLines, every, () => expect.unreachable(), { signal: abort.signal })).rejects.toBe(reason);
    expect(store.meter.snapshot().statements).toBe(0);
    expect(await store.readRows(readLines, every, () => {}, { signal: new AbortController().signal })).toBe(TOTAL);
  });

  it('runs beside another one', async () => {
    const counts = await Promise.all([1, 2, 3].map((part) => store.readRows(readLines, { last: part * 1_000 }, () => {})));
    expect(counts).toEqual([1_000, 2_000, 3_000]);
  });

  it('tells what is wrong with the statement, and refuses a write', async () => {
    const broken = defineStatement({ label: 'broken', operation: 'select', table: 'nowhere', sql: 'SELECT 1 FROM nowhere' });
    await expect(store.readRows(broken, {}, () => {})).rejects.toThrow(/nowhere/);
    await expect(store.readRows(insertLine, { position: 0 }, () => {})).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await store.readRows(readLines, every, () => {})).toBe(TOTAL);
  });

  it('is waited for by close, and refused after it', async () => {
    const closing = await openStore(database.options);
    if (name === 'memory') await seed(closing);
    let seen = 0;
    let closed: Promise<void> | undefined;
    const read = closing.readRows(readLines, every, () => {
      seen += 1;
      if (seen === 1) closed = closing.close();
    });
    expect(await read).toBe(TOTAL);
    await closed;
    await expect(closing.readRows(readLines, every, () => {})).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  });
});

describe.each(['memory', 'sqlite', 'libsql'] as const)('a long read of %s, in the process,', (name) => {
  it('lets writes commit in between, and does not see them', async () => {
    const database = await testDatabase(name);
    const store = await database.open();
    await seed(store);
    let seen = 0;
    let seenAtCommit = TOTAL;
    let written: Promise<void> | undefined;
    const count = await store.readRows(readLines, every, () => {
      seen += 1;
      if (seen > 1) return;
      written = store.write(insertLine, { position: TOTAL + 1 }, { global: 'a test' }).then(() => {
        seenAtCommit = seen;
      });
    });
    await written;
    expect(seenAtCommit).toBeLessThan(TOTAL);
    expect(count).toBe(TOTAL);
    expect(await store.readRows(readLines, every, () => {})).toBe(TOTAL + 1);
    await database.drop();
  });

  it('is refused where it forgot that it is inside a transaction', async () => {
    const database = await testDatabase(name);
    const store = await database.open();
    await seed(store);
    await store.transaction(async () => {
      await expect(store.readRows(readLines, every, () => {})).rejects.toMatchObject({ code: 'TRX_REQUIRED' });
    });
    await database.drop();
  });
});

describe.each(['sqlite', 'libsql'] as const)('a long read of a %s file', (name) => {
  it('waits for no transaction of this process (control: a plain read does)', async () => {
    const database = await testDatabase(name);
    const store = await database.open();
    await seed(store);
    let finish = () => {};
    const mayFinish = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const transaction = store.transaction(async (trx) => {
      await store.write(insertLine, { position: TOTAL + 1 }, { global: 'a test' }, { trx });
      await mayFinish;
    });
    await turns(20);
    let answered = 0;
    const plain = store.read(readLines, every).then((rows) => {
      answered = rows.length;
    });
    expect(await store.readRows(readLines, every, () => {})).toBe(TOTAL);
    expect(answered).toBe(0);
    finish();
    await Promise.all([transaction, plain]);
    expect(answered).toBe(TOTAL + 1);
    await database.drop();
  });

  it('leaves no statement open, however it ends: the log can be folded back (control: not in the midst of it)', async () => {
    const database = await testDatabase(name);
    const store = await database.open();
    await seed(store);
    const logIsHeld = async () => {
      await store.write(insertLine, { position: (await store.read(readLines, every)).length + 1 }, { global: 'a test' });
      const [row] = (await store.knex.raw('PRAGMA wal_checkpoint(TRUNCATE)')) as { busy: number }[];
      return row?.busy === 1;
    };
    expect(await logIsHeld()).toBe(false);
    let midway: Promise<boolean> | undefined;
    await store.readRows(readLines, every, () => {
      midway ??= logIsHeld();
    });
    expect(await midway).toBe(true);
    expect(await logIsHeld()).toBe(false);
    const abort = new AbortController();
    const ends: ((row: number) => void)[] = [
      (row) => {
        if (row === 700) throw new Error('enough');
      },
      (row) => {
        if (row === 700) abort.abort(new Error('enough'));
      },
    ];
    for (const end of ends) {
      let row = 0;
      const read = store.readRows(
        readLines,
        every,
        () => {
          row += 1;
          end(row);
        },
        { signal: abort.signal },
      );
      await expect(read).rejects.toThrow('enough');
      expect(await logIsHeld()).toBe(false);
    }
    await database.drop();
  });
});
