// Remote libSQL: a transaction is one batch of writes, an operation one exchange.
import type { Ablation } from '../ablation.js';

const BATCH_ONLY = ['packages/store/src/batch-only.integration.test.ts'];
const inTransaction = (title: string) => `a transaction of remote libSQL > [batch-only] ${title}`;
const ONE_EXCHANGE = inTransaction('sends all its writes in one exchange at the commit, and answers none of them before');
const READ = inTransaction('refuses a read, whichever way it comes; the transaction goes on');
const ROLLBACK = inTransaction('sends nothing after a rollback');
const NESTED = inTransaction('sends nothing of a nested transaction that was rolled back');
const QUOTED = inTransaction('insert into "note" ("id") values (\'select returning\'): a write to be sent: true');
const WITH_INSERT = inTransaction('with x as (select 1 as id) insert into "note" ("id") select id from x: a write to be sent: true');
const WITH_DELETE = inTransaction(
  'WITH x AS (SELECT 1), y (a) AS (SELECT (2)) DELETE FROM note WHERE id IN (SELECT * FROM x): a write to be sent: true',
);
const REPLACE = inTransaction('replace into note (id) values (1): a write to be sent: true');
const WITH_SELECT = inTransaction('with x as (select 1 as id) select * from x: a write to be sent: false');
const RETURNING = inTransaction('insert into note (id) values (1) returning id: a write to be sent: false');
const SELECT = inTransaction('select 1: a write to be sent: false');
const PRAGMA = inTransaction('pragma table_info(note): a write to be sent: false');

const ROUND_TRIPS = ['packages/store/src/round-trips.integration.test.ts'];
const ONE_EACH = '[round-trips] remote libSQL takes one exchange an operation, and the meter counts every one';

export const ablations: readonly Ablation[] = [
  {
    id: 'batch-only',
    why: 'Inside a transaction of remote libSQL a query of the builder that is no plain write is refused.',
    file: 'packages/store/src/drivers/batch-connection.ts',
    anchor: 'if (!isPlainWrite(sql)) throw batchOnly(sql.slice(0, 80));',
    replacement: 'if (isPlainWrite(sql) === undefined) throw batchOnly(sql.slice(0, 80));',
    expectCount: 1,
    tests: BATCH_ONLY,
    red: [READ, WITH_SELECT, RETURNING, SELECT, PRAGMA],
  },
  {
    id: 'batch-only:read',
    why: 'A read by a hot statement is refused, too.',
    file: 'packages/store/src/drivers/libsql-remote-driver.ts',
    anchor: "if (step.statement.operation === 'select') throw batchOnly(step.statement.label);",
    replacement: '',
    expectCount: 1,
    tests: BATCH_ONLY,
    red: [READ],
  },
  {
    id: 'batch-only:writes',
    why: 'A plain write is kept for the commit, whatever its text looks like.',
    file: 'packages/store/src/drivers/batch-connection.ts',
    anchor: 'if (!isPlainWrite(sql)) throw batchOnly(sql.slice(0, 80));',
    replacement: "if (!isPlainWrite(sql) || sql !== '') throw batchOnly(sql.slice(0, 80));",
    expectCount: 1,
    tests: BATCH_ONLY,
    red: [ONE_EXCHANGE, READ, ROLLBACK, NESTED, QUOTED, WITH_INSERT, WITH_DELETE, REPLACE],
  },
  {
    id: 'batch-only:quoted',
    why: 'Words in quotes and brackets are not the words of the statement.',
    file: 'packages/store/src/drivers/batch-connection.ts',
    anchor: 'const outside = withoutBrackets(sql);',
    replacement: 'const outside = sql;\n  void withoutBrackets;',
    expectCount: 1,
    tests: BATCH_ONLY,
    red: [QUOTED, WITH_INSERT, WITH_DELETE],
  },
  {
    id: 'batch-only:one-exchange',
    why: 'The writes of a transaction go out together at its commit.',
    file: 'packages/store/src/drivers/batch-connection.ts',
    anchor: 'const results = await this.#port.batch(writes.map(({ statement }) => statement));',
    replacement:
      'const results: ResultSet[] = [];\n    for (const { statement } of writes) results.push(...(await this.#port.batch([statement])));',
    expectCount: 1,
    tests: BATCH_ONLY,
    red: [ONE_EXCHANGE],
  },
  {
    id: 'batch-only:rollback',
    why: 'After a rollback nothing is sent.',
    file: 'packages/store/src/drivers/batch-connection.ts',
    anchor: "case 'rollback':\n        this.#writes = undefined;",
    replacement: "case 'rollback':\n        await this.#commit();",
    expectCount: 1,
    tests: BATCH_ONLY,
    red: [ROLLBACK],
  },
  {
    id: 'batch-only:nested',
    why: 'A nested transaction that was rolled back takes its own writes with it.',
    file: 'packages/store/src/drivers/batch-connection.ts',
    anchor: 'this.#writes?.splice(this.#savepoints.get(savepoint) ?? 0);',
    replacement: '',
    expectCount: 1,
    tests: BATCH_ONLY,
    red: [NESTED],
  },
  {
    id: 'round-trips',
    why: 'The meter counts every exchange.',
    file: 'packages/store/src/drivers/libsql-remote-driver.ts',
    anchor: 'meter.countRoundTrips(1);',
    replacement: '',
    expectCount: 1,
    tests: ROUND_TRIPS,
    red: [ONE_EACH],
  },
  {
    id: 'round-trips:batch',
    why: 'A batch is one exchange.',
    file: 'packages/store/src/drivers/libsql-remote-driver.ts',
    anchor: "const results = await this.#send(() => this.#client.batch(statements, 'write'));",
    replacement:
      "const results: ResultSet[] = [];\n    for (const one of statements) results.push(...(await this.#send(() => this.#client.batch([one], 'write'))));",
    expectCount: 1,
    tests: ROUND_TRIPS,
    red: [ONE_EACH],
  },
  {
    id: 'round-trips:empty',
    why: 'A transaction that wrote nothing takes no exchange.',
    file: 'packages/store/src/drivers/batch-connection.ts',
    anchor: 'if (writes.length === 0) return;',
    replacement: "if (writes.length === 0) await this.#port.execute('SELECT 1', []);",
    expectCount: 1,
    tests: ROUND_TRIPS,
    red: [ONE_EACH],
  },
];
