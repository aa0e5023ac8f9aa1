// A knex instance of the application's own, and a disk without room.
import type { Ablation } from '../ablation.js';

const ADOPTED = ['packages/store/src/adopted-knex.integration.test.ts'];
const onEach = (title: string) =>
  ['better-sqlite3', 'pg'].map((client) => `a knex instance of the application, ${client} > [adopted] ${title}`);
const JOINS = onEach('joins the application’s own transactions: commits with them, and calls back after');
const VANISHES = onEach('vanishes with them, and calls nobody back');
const REFUSES = onEach('refuses a transaction of another instance, and one that has ended');
const COUNTS = onEach('counts the application’s queries too');
const LEAVES = onEach('leaves the instance as it was when it closes, and open');
const BESIDE = 'a call beside the open transaction has a connection of its own (on Postgres it waits for nothing)';

const FULL_DISK = ['packages/store/src/full-disk.integration.test.ts'];
const onFullDisk = (title: string) => ['file', 'libsql:file'].map((scheme) => `[full-disk] ${scheme}: on a disk without room > ${title}`);
const AUTO_ROLLBACK = onFullDisk('[auto-rollback] a transaction that SQLite rolled back by itself does not go on statement by statement');

export const ablations: readonly Ablation[] = [
  {
    id: 'adopted:after-commit',
    why: 'What waits for a transaction of the application is called after its commit, and never after its rollback.',
    file: 'packages/store/src/after-commit.ts',
    anchor: 'void Promise.all(levels).then(fn, () => {});',
    replacement: 'void levels;\n  fn();',
    expectCount: 1,
    tests: ADOPTED,
    red: [...JOINS, ...VANISHES],
  },
  {
    id: 'adopted:joins',
    why: 'What is given a transaction of the application runs on its connection.',
    file: 'packages/store/src/drivers/postgres-driver.ts',
    anchor:
      'const connection = (await transactionConnection(trx, this.knex)) as pg.ClientBase;\n    this.#watch(trx);\n    return this.#run(connection, step);',
    replacement: 'this.#watch(trx);\n    return this.execute(step);',
    expectCount: 1,
    tests: ADOPTED,
    red: [VANISHES[1]!, REFUSES[1]!, `a knex instance of the application, pg > [adopted] ${BESIDE}`],
  },
  {
    id: 'adopted:other',
    why: 'A transaction of another instance is refused: the rows would go into another database.',
    file: 'packages/store/src/drivers/transaction-connection.ts',
    anchor: 'if (internals(trx).config !== internals(knex).config) {',
    replacement: 'if (internals(trx) === undefined || internals(knex) === undefined) {',
    expectCount: 1,
    tests: ADOPTED,
    red: REFUSES,
  },
  {
    id: 'adopted:counts',
    why: 'The queries of the application are counted.',
    file: 'packages/store/src/drivers/announced-queries.ts',
    anchor: "knex.on('query', count);",
    replacement: '',
    expectCount: 1,
    tests: ADOPTED,
    red: COUNTS,
  },
  {
    id: 'adopted:given-back',
    why: 'A store that closes leaves the instance as it was.',
    file: 'packages/store/src/drivers/adopted-sqlite-driver.ts',
    anchor: 'client.transaction = begin;\n      stopCounting();',
    replacement: 'stopCounting();',
    expectCount: 1,
    tests: ADOPTED,
    red: [LEAVES[0]!],
  },
  {
    id: 'adopted:stays-open',
    why: 'The application opened it, the application closes it.',
    file: 'packages/store/src/drivers/postgres-driver.ts',
    anchor: 'if (this.#owned) await this.knex.destroy();',
    replacement: 'await this.knex.destroy();',
    expectCount: 1,
    tests: ADOPTED,
    red: [LEAVES[1]!],
  },
  {
    id: 'adopted:unknown',
    why: 'An instance of a client that no store speaks is refused.',
    file: 'packages/store/src/open-driver.ts',
    anchor: "if (driverName === 'better-sqlite3') return",
    replacement: 'if (driverName !== null) return',
    expectCount: 1,
    tests: ADOPTED,
    red: ['[adopted] an instance of a client that no store speaks is refused'],
  },
  {
    id: 'full-disk',
    why: 'A disk without room is a fault of its own: nothing was written, and it passes once there is room.',
    file: 'packages/store/src/store-faults.ts',
    anchor: "if (/^SQLITE_FULL/.test(code) || code === '53100') return 'full';",
    replacement: '',
    expectCount: 1,
    tests: FULL_DISK,
    red: [
      ...['a statement', 'a batch', 'a transaction', 'a query of the builder'].flatMap((write) =>
        onFullDisk(`${write} fails with STORE_FULL, spoils nothing, and goes through once there is room`),
      ),
      ...AUTO_ROLLBACK,
    ],
  },
  {
    id: 'auto-rollback',
    why: 'SQLite may answer a full disk by rolling the transaction back: what its holder runs after that meets the first error again.',
    file: 'packages/store/src/drivers/embedded-connection.ts',
    anchor: 'if (this.#began && !this.#port.inTransaction()) throw this.#fault;',
    replacement: '',
    expectCount: 1,
    tests: FULL_DISK,
    red: AUTO_ROLLBACK,
  },
];
