// Transactions: what waits for a commit, who may not forget the transaction, and those that cannot begin or end as they should.
import type { Ablation } from '../ablation.js';

const STORES = ['memory', 'sqlite', 'libsql', 'libsql-remote', 'postgres'];
const EMBEDDED = ['memory', 'sqlite', 'libsql'];

const AFTER_COMMIT = ['packages/store/src/after-commit.integration.test.ts'];
const afterCommit = (title: string) => STORES.map((name) => `a call that waits for a commit on ${name} > [after-commit] ${title}`);
const AFTER = afterCommit('is made after the commit');
const ROOT = afterCommit('is made after the commit of the root: the release of a nested transaction is none');
const ROLLED_BACK = afterCommit('is never made after a rollback (control: after the next commit)');
const BY_HAND = afterCommit('is never made after a rollback by hand, though knex resolves such a transaction');
const NESTED_ROLLED_BACK = afterCommit('is never made for a nested transaction that was rolled back, though the root commits');
const THROWS = afterCommit('is logged where it throws, and the others are made');

const TRX_REQUIRED = ['packages/store/src/connection-gate.test.ts', 'packages/store/src/trx-required.integration.test.ts'];
const FORGOT = EMBEDDED.map(
  (name) =>
    `inside an open transaction of ${name} > [trx-required] a call that forgot it is refused at once, whichever way it comes; the transaction goes on`,
);
const GROUP = EMBEDDED.map(
  (name) =>
    `inside an open transaction of ${name} > [trx-required] a call to a group commit is refused even when a group waits for the transaction, and nobody else`,
);
const ADOPTED = '[trx-required] inside an open transaction of an adopted better-sqlite3, a call that forgot it is refused at once';
const GATE = 'the gate of a connection > [trx-required] knows who is inside, and for how long';

const TRX_ABORTED = ['packages/store/src/trx-aborted.integration.test.ts'];
const COMMIT_FAILS = ['packages/store/src/failed-commit.integration.test.ts'];
const refusedCommit = (name: string) =>
  `a transaction that cannot end as it should, on ${name} > [commit-fails] a refused COMMIT rejects, leaves nothing, wakes nobody, and the next transaction is a fresh one`;
const BEGIN_FAILS = ['packages/store/src/begin-fails.integration.test.ts'];
const NO_STATEMENT = 'on Postgres a batch whose BEGIN fails > [begin-fails] runs no statement of it';
const HANDED_ON =
  'on Postgres a batch whose BEGIN fails > [begin-fails] hands its connection on to nobody: what is written there would wait for a commit that never comes';

export const ablations: readonly Ablation[] = [
  {
    id: 'after-commit',
    why: 'A call that waits for a commit is made after it, not when it is registered.',
    file: 'packages/store/src/after-commit.ts',
    anchor: 'void Promise.all(levels).then(fn, () => {});',
    replacement: 'void levels;\n  fn();',
    expectCount: 1,
    tests: AFTER_COMMIT,
    red: [...AFTER, ...ROOT, ...ROLLED_BACK, ...BY_HAND, ...NESTED_ROLLED_BACK],
  },
  {
    id: 'after-commit:nested',
    why: 'It waits for the commit of the root: the release of a nested transaction is none.',
    file: 'packages/store/src/after-commit.ts',
    anchor: 'for (let level: Transaction | undefined = trx; level; level = level.parentTransaction) {',
    replacement: 'for (const level of [trx]) {',
    expectCount: 1,
    tests: AFTER_COMMIT,
    red: [...ROOT, ...ROLLED_BACK],
  },
  {
    id: 'after-commit:levels',
    why: 'It waits for the nested transaction, too: one that was rolled back takes its calls with it while the root commits.',
    file: 'packages/store/src/after-commit.ts',
    anchor: 'levels.push(committed(level));',
    replacement: 'levels[0] = committed(level);',
    expectCount: 1,
    tests: AFTER_COMMIT,
    red: NESTED_ROLLED_BACK,
  },
  {
    id: 'after-commit:rollback',
    why: 'It is never made after a rollback.',
    file: 'packages/store/src/after-commit.ts',
    anchor: '.then(fn, () => {});',
    replacement: '.then(fn, fn);',
    expectCount: 1,
    tests: AFTER_COMMIT,
    red: [...ROLLED_BACK, ...BY_HAND, ...NESTED_ROLLED_BACK],
  },
  {
    id: 'after-commit:by-hand',
    why: 'Nor after one without an error, which knex resolves like a commit.',
    file: 'packages/store/src/after-commit.ts',
    anchor: 'if (rolledBack) throw new RolledBack();',
    replacement: 'void rolledBack;',
    expectCount: 1,
    tests: AFTER_COMMIT,
    red: BY_HAND,
  },
  {
    id: 'after-commit:throws',
    why: 'One that throws is logged.',
    file: 'packages/store/src/sql-store.ts',
    anchor: "this.#logger.warn({ error: errorMessage(error) }, 'a call that waited for a commit threw');",
    replacement: 'void error;',
    expectCount: 1,
    tests: AFTER_COMMIT,
    red: THROWS,
  },
  {
    id: 'trx-required',
    why: 'A call from inside the open transaction of a database with one connection that was not given it would wait for itself: it is refused.',
    file: 'packages/store/src/connection-gate.ts',
    anchor: 'if (this.#context.getStore()?.open) {',
    replacement: 'if (this.#context.getStore() === null) {',
    expectCount: 1,
    tests: TRX_REQUIRED,
    red: [...FORGOT, ...GROUP, ADOPTED, GATE],
  },
  {
    id: 'trx-required:ends',
    why: 'Only until the transaction has ended: what was begun inside and goes on afterwards waits for nobody.',
    file: 'packages/store/src/connection-gate.ts',
    anchor: 'context.open = false;',
    replacement: '',
    expectCount: 1,
    tests: TRX_REQUIRED,
    red: [GATE],
  },
  {
    id: 'trx-required:group',
    why: 'A call to a group commit is refused before it joins a group, which waits for the transaction.',
    file: 'packages/store/src/group-commit.ts',
    anchor: 'this.#options.store.assertOutsideTransaction();',
    replacement: '',
    expectCount: 1,
    tests: TRX_REQUIRED,
    red: GROUP,
  },
  {
    id: 'trx-required:marked',
    why: 'A transaction of the builder is one, too.',
    file: 'packages/store/src/knex/sqlite-knex.ts',
    anchor: 'return onlyBegun((trx: unknown) => connections.inside(() => container(trx) as unknown));',
    replacement: 'return onlyBegun(container);',
    expectCount: 1,
    tests: TRX_REQUIRED,
    red: [...FORGOT, ...GROUP, ADOPTED],
  },
  {
    id: 'trx-required:adopted',
    why: 'So is one that the application began on its own knex.',
    file: 'packages/store/src/drivers/adopted-sqlite-driver.ts',
    anchor: 'begin.call(client, recognised(container, this.#gate), config, outerTx)',
    replacement: 'begin.call(client, container, config, outerTx)',
    expectCount: 1,
    tests: TRX_REQUIRED,
    red: [ADOPTED],
  },
  {
    id: 'trx-aborted',
    why: 'Postgres answers the COMMIT after a swallowed error with a rollback and no error: the transaction rejects.',
    file: 'packages/store/src/knex/postgres-knex.ts',
    anchor: 'return assertCommitted(query);',
    replacement: 'return query;',
    expectCount: 1,
    tests: TRX_ABORTED,
    red: [
      'on Postgres a swallowed error > [trx-aborted] does not pass for a commit (control: in a nested transaction it may be swallowed)',
    ],
  },
  {
    id: 'trx-aborted:adopted',
    why: 'It rejects on the knex of the application, too, where rows of the store are part of it.',
    file: 'packages/store/src/knex/postgres-knex.ts',
    anchor: 'client._query = async (connection, sent) => assertCommitted(await query.call(client, connection, sent));',
    replacement: '',
    expectCount: 1,
    tests: TRX_ABORTED,
    red: [
      'on Postgres a swallowed error > [trx-aborted] does not pass for a commit on the application’s own knex, where the store’s rows are part of it',
    ],
  },
  {
    id: 'commit-fails',
    why: 'A transaction whose COMMIT failed is open still: it is ended before the connection goes to the next.',
    file: 'packages/store/src/drivers/embedded-connection.ts',
    anchor: 'if (this.#began) this.#port.abandon();',
    replacement: '',
    expectCount: 1,
    tests: COMMIT_FAILS,
    red: EMBEDDED.map(refusedCommit),
  },
  {
    id: 'commit-fails:remote',
    why: 'The batch that is the commit of remote libSQL rejects the transaction when it fails.',
    file: 'packages/store/src/drivers/batch-connection.ts',
    anchor: 'const results = await this.#port.batch(writes.map(({ statement }) => statement));',
    replacement:
      'const results = await this.#port.batch(writes.map(({ statement }) => statement)).catch(() => []);\n    if (results.length === 0) return;',
    expectCount: 1,
    tests: COMMIT_FAILS,
    red: [refusedCommit('libsql-remote')],
  },
  {
    id: 'commit-fails:wakes',
    why: 'Nobody is called after a COMMIT that was refused.',
    file: 'packages/store/src/after-commit.ts',
    anchor: '.then(fn, () => {});',
    replacement: '.then(fn, fn);',
    expectCount: 1,
    tests: COMMIT_FAILS,
    red: STORES.map(refusedCommit),
  },
  {
    id: 'begin-fails',
    why: 'No statement of a batch runs whose BEGIN failed.',
    file: 'packages/store/src/drivers/postgres-driver.ts',
    anchor: 'await connection.query(BEGIN_BATCH);',
    replacement: 'await connection.query(BEGIN_BATCH).catch(() => {});',
    expectCount: 1,
    tests: BEGIN_FAILS,
    red: [NO_STATEMENT, HANDED_ON],
  },
  {
    id: 'begin-fails:connection',
    why: 'A connection whose exchange broke off is thrown away: the next one on it would write into a transaction that nobody commits.',
    file: 'packages/store/src/drivers/postgres-driver.ts',
    anchor: "if (faultKind(error) === 'connection') markBroken(connection, error);",
    replacement: '',
    expectCount: 1,
    tests: BEGIN_FAILS,
    red: [HANDED_ON],
  },
];
