// Locks and the end of a store: how long a call waits for another process's lock, who waits with it, and what a close waits for.
import type { Ablation } from '../ablation.js';

const EMBEDDED_CONNECTION = 'packages/store/src/drivers/embedded-connection.ts';
const STORES = ['memory', 'sqlite', 'libsql', 'libsql-remote', 'postgres'];
const FILES = ['sqlite', 'libsql'];

const BACKOFF = ['packages/store/src/retry.test.ts'];
const backoff = (title: string) => `[busy-backoff] trying again > ${title}`;

const RETRY = ['packages/store/src/busy-retry.integration.test.ts'];
const waits = (name: string, ...writes: readonly string[]) =>
  writes.map(
    (write) =>
      `another process holds the write lock of ${name} > [busy-retry] ${write} waits, off the event loop, and is done once the lock is free`,
  );
const dies = (name: string) => `another process holds the write lock of ${name} > [busy-retry] a holder that dies frees the lock`;

const BUDGET = ['packages/store/src/busy-budget.integration.test.ts'];
const WRITES = [
  'a statement',
  'a batch',
  'a transaction',
  'a query of the builder',
  'a transaction begun on the builder, without a callback',
  'a migration',
  'a group commit',
];
const outwaits = (name: string, ...writes: readonly string[]) =>
  writes.map(
    (write) =>
      `another process keeps the write lock of ${name} > [busy-budget] ${write} that outwaits its budget fails with STORE_BUSY, and nothing is half written`,
  );
const neverRuns = (name: string) =>
  `another process keeps the write lock of ${name} > [busy-budget] a callback whose transaction could not begin never runs (control: it runs when it can)`;

const CLOSE = ['packages/store/src/close.integration.test.ts'];
const waitsFor = (name: string) =>
  `[close-waits] closing ${name} > waits for what is under way, an open transaction to its end; every call of close resolves`;
const refuses = (name: string) => `[close-waits] closing ${name} > refuses every later call with STORE_CLOSED`;
const locked = (name: string) =>
  `[close-waits] closing ${name} waits for a write and a transaction that wait for a lock, and refuses the next`;
const EXCHANGE = '[close-waits] closing libsql-remote waits for an exchange that is under way, and refuses the next';

export const ablations: readonly Ablation[] = [
  {
    id: 'busy-backoff',
    why: 'What meets a fault that passes is tried again.',
    file: 'packages/store/src/retry.ts',
    anchor: 'if (!on.includes(faultKind(error))) throw error;',
    replacement: 'if (on.length > 0) throw error;',
    expectCount: 1,
    tests: BACKOFF,
    red: [
      backoff('waits 1, 2, 4 … 50 ms'),
      backoff('jitters a pause between half and whole'),
      backoff('ends with the budget, in the first error'),
      backoff('ends at once in an error of another kind, after others too'),
    ],
  },
  {
    id: 'busy-backoff:doubles',
    why: 'Each pause is twice as long as the one before.',
    file: 'packages/store/src/retry.ts',
    anchor: 'Math.min(delayMs * 2, LONGEST_DELAY_MS)',
    replacement: 'Math.min(delayMs, LONGEST_DELAY_MS)',
    expectCount: 1,
    tests: BACKOFF,
    red: [backoff('waits 1, 2, 4 … 50 ms'), backoff('ends with the budget, in the first error')],
  },
  {
    id: 'busy-backoff:longest',
    why: 'No pause is longer than 50 ms: a lock that is free is taken soon.',
    file: 'packages/store/src/retry.ts',
    anchor: 'Math.min(delayMs * 2, LONGEST_DELAY_MS)',
    replacement: 'delayMs * 2',
    expectCount: 1,
    tests: BACKOFF,
    red: [backoff('waits 1, 2, 4 … 50 ms')],
  },
  {
    id: 'busy-backoff:jitter',
    why: 'Pauses are jittered between half and whole, so that those who wait do not meet again.',
    file: 'packages/store/src/retry.ts',
    anchor: 'await sleep(delayMs * (0.5 + random() / 2));',
    replacement: 'void random;\n    await sleep(delayMs);',
    expectCount: 1,
    tests: BACKOFF,
    red: [backoff('jitters a pause between half and whole')],
  },
  {
    id: 'busy-backoff:budget',
    why: 'It ends with the budget; a budget of 0 tries once.',
    file: 'packages/store/src/retry.ts',
    anchor: 'if (clock.monotonic() - startedAt >= budgetMs) throw first.error;',
    replacement: 'if (clock.monotonic() - startedAt >= budgetMs + 100) throw first.error;',
    expectCount: 1,
    tests: BACKOFF,
    red: [backoff('ends with the budget, in the first error'), backoff('tries once on a budget of 0')],
  },
  {
    id: 'busy-backoff:first-error',
    why: 'The error it ends with is the first: it says what began.',
    file: 'packages/store/src/retry.ts',
    anchor: 'first ??= { error };',
    replacement: 'first = { error };',
    expectCount: 1,
    tests: BACKOFF,
    red: [backoff('ends with the budget, in the first error')],
  },
  {
    id: 'busy-backoff:others',
    why: 'An error of another kind ends it at once.',
    file: 'packages/store/src/retry.ts',
    anchor: 'if (!on.includes(faultKind(error))) throw error;',
    replacement: 'void on;',
    expectCount: 1,
    tests: BACKOFF,
    red: [backoff('ends at once in an error of another kind, after others too')],
  },
  {
    id: 'busy-retry',
    why: 'A statement or a batch that meets a lock of another process waits for it.',
    file: EMBEDDED_CONNECTION,
    anchor: 'return this.#underWay.run(() => this.retryBusy(attempt));',
    replacement: 'return this.#underWay.run(attempt);',
    expectCount: 1,
    tests: RETRY,
    red: FILES.flatMap((name) => [...waits(name, 'a statement', 'a batch', 'a group commit'), dies(name)]),
  },
  {
    id: 'busy-retry:builder',
    why: 'So does a transaction at its BEGIN, and a query of the builder.',
    file: EMBEDDED_CONNECTION,
    anchor: 'const result = await this.inTransaction(() => this.#patiently(() => this.#port.run(sql, bindings)));',
    replacement: 'const result = await this.inTransaction(() => this.#port.run(sql, bindings));',
    expectCount: 1,
    tests: RETRY,
    red: FILES.flatMap((name) =>
      waits(name, 'a transaction', 'a query of the builder', 'a transaction begun on the builder, without a callback', 'a migration'),
    ),
  },
  {
    id: 'busy-retry:sqlite',
    why: 'On better-sqlite3 a statement that ran at once and met a lock goes on to wait.',
    file: 'packages/store/src/drivers/sqlite-driver.ts',
    anchor: "if (faultKind(error) !== 'busy') throw error;\n      }\n    }\n    return",
    replacement: 'throw error;\n      }\n    }\n    return',
    expectCount: 1,
    tests: RETRY,
    red: waits('sqlite', 'a statement'),
  },
  {
    id: 'busy-budget',
    why: 'What outwaits its budget fails with STORE_BUSY, the fault of the driver as its cause.',
    file: 'packages/store/src/store-faults.ts',
    anchor: "case 'busy':\n      return new StoreError(",
    replacement: "case 'busy':\n      return error;\n      new StoreError(",
    expectCount: 1,
    tests: BUDGET,
    red: FILES.flatMap((name) => [...outwaits(name, ...WRITES), neverRuns(name)]),
  },
  {
    id: 'busy-budget:begun',
    why: 'knex calls back though the BEGIN failed: the callback must not run.',
    file: 'packages/store/src/knex/knex-internals.ts',
    anchor: '(trx.isCompleted() ? Promise.resolve() : (container(trx) as unknown))',
    replacement: '(container(trx) as unknown)',
    expectCount: 1,
    tests: BUDGET,
    red: FILES.flatMap((name) => [neverRuns(name), ...outwaits(name, 'a transaction begun on the builder, without a callback')]),
  },
  {
    id: 'busy-gives-way',
    why: 'Who waits for a lock outside of a transaction gives the connection to others meanwhile.',
    file: EMBEDDED_CONNECTION,
    anchor: '...(this.#began ? {} : { sleep: giveWay })',
    replacement: '...(this.#began ? { sleep: giveWay } : {})',
    expectCount: 1,
    tests: ['packages/store/src/busy-gives-way.integration.test.ts'],
    red: FILES.map(
      (name) => `another process holds the write lock of ${name} > [busy-gives-way] readers pass a transaction that waits for it`,
    ),
  },
  {
    id: 'busy-replaced',
    why: 'A libSQL connection that was refused a lock is replaced: until what it refused is collected, every COMMIT on it fails.',
    file: 'packages/store/src/drivers/libsql-driver.ts',
    anchor: "if (faultKind(error) === 'busy' && !this.#transaction) this.#disconnect();",
    replacement: '',
    expectCount: 1,
    tests: ['packages/store/src/busy-replaced.integration.test.ts'],
    red: ['[busy-replaced] a libSQL connection that was refused a lock is not used again: a COMMIT on it would fail'],
  },
  {
    id: 'busy-keeps-alive',
    why: 'A pause keeps the process alive: a script with nothing else to do would end in mid-wait.',
    file: 'packages/store/src/retry.ts',
    anchor: 'return setTimeout(delayMs);',
    replacement: 'return setTimeout(delayMs, undefined, { ref: false });',
    expectCount: 1,
    tests: ['packages/store/src/waiting-script.integration.test.ts'],
    red: FILES.map((name) => `[busy-keeps-alive] a script that waits for the lock of ${name} does not end in mid-wait`),
  },
  {
    id: 'close-waits',
    why: 'A close waits for everything that is under way.',
    file: 'packages/store/src/under-way.ts',
    anchor: 'if (this.#count === 0) resolve();',
    replacement: 'resolve();',
    expectCount: 1,
    tests: CLOSE,
    red: [...STORES.map(waitsFor), ...FILES.map(locked), EXCHANGE],
  },
  {
    id: 'close-waits:refuses-next',
    why: 'A store that closes refuses whatever comes later.',
    file: 'packages/store/src/under-way.ts',
    anchor: 'if (this.#closed) throw closedError();',
    replacement: '',
    expectCount: 1,
    tests: CLOSE,
    red: [...STORES.map(refuses), ...FILES.map(locked), EXCHANGE],
  },
  {
    id: 'close-waits:sqlite',
    why: 'On better-sqlite3 the short way, of a statement that need not wait, is closed, too.',
    file: EMBEDDED_CONNECTION,
    anchor: 'return this.#gate.free && !this.#underWay.closed;',
    replacement: 'return this.#gate.free;',
    expectCount: 1,
    tests: CLOSE,
    red: ['memory', 'sqlite'].map(refuses),
  },
];
