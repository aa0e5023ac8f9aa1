// Group commit: what is called in one turn shares a transaction, and no call settles before it has committed.
import type { Ablation } from '../ablation.js';

const SOURCE = 'packages/store/src/group-commit.ts';
const UNIT = 'packages/store/src/group-commit.test.ts';
const ON_STORES = 'packages/store/src/group-commit.integration.test.ts';
const EMITS = 'packages/service-messaging/src/stores/emit-group-commit.integration.test.ts';
const STORES = ['memory', 'sqlite', 'libsql', 'libsql-remote', 'postgres'];

const SHARES = 'group commit > [group-commit] shares a transaction among the calls of one turn, continuations included';
const ALONE = 'group commit > [group-commit] retries a failed group call by call, so that a bad one fails alone';
const UNREACHABLE =
  'group commit > [group-commit] fails all calls at once when the store cannot be reached: retrying each would take as many time-outs';
const CUTS = 'group commit > [group-commit] cuts a turn at the row limit, and never a call';
const DURABLE = 'group commit > [group-commit-durability] settles a call only after its commit, and gathers the next group meanwhile';
const BETWEEN = 'group commit > gives the event loop a turn between two groups, though the driver is synchronous';
const SIDE_BY_SIDE =
  'group commit > runs groups side by side where it may, so that one that waits for a lock holds up no other (control: it does, one at a time)';
const emits = (name: string) => `emits, enqueues and inbox messages of one turn on ${name} > `;

export const ablations: readonly Ablation[] = [
  {
    id: 'group-commit',
    why: 'The calls of one microtask turn share a transaction.',
    file: SOURCE,
    anchor: 'return this.#pending.splice(0, size);',
    replacement: 'return this.#pending.splice(0, 1);',
    expectCount: 1,
    tests: [UNIT],
    red: [SHARES, ALONE, UNREACHABLE, CUTS, DURABLE],
  },
  {
    id: 'group-commit:turn',
    why: 'A turn lasts until the microtasks at hand are done: calls that its continuations make are in.',
    file: SOURCE,
    anchor: 'this.#schedule(process.nextTick);',
    replacement: 'this.#schedule(queueMicrotask);',
    expectCount: 1,
    tests: [UNIT],
    red: [SHARES],
  },
  {
    id: 'group-commit:alone',
    why: 'When a group fails its calls are tried again, one transaction each, so that a bad one fails alone.',
    file: SOURCE,
    anchor: 'for (const one of group) await this.#commitGroup([one]);',
    replacement: 'for (const { reject } of group) reject(error);',
    expectCount: 1,
    tests: [UNIT],
    red: [ALONE],
  },
  {
    id: 'group-commit:unreachable',
    why: 'When the store cannot be reached all calls fail at once: each would take a time-out of its own.',
    file: SOURCE,
    anchor: "if (group.length === 1 || kind === 'connection' || kind === 'busy') {",
    replacement: 'if (group.length === 1) {',
    expectCount: 1,
    tests: [UNIT],
    red: [UNREACHABLE],
  },
  {
    id: 'group-commit:limit',
    why: 'A group is cut at a number of rows.',
    file: SOURCE,
    anchor: 'if (size > 0 && rows > maxRows) break;',
    replacement: '',
    expectCount: 1,
    tests: [UNIT],
    red: [CUTS, BETWEEN],
  },
  {
    id: 'group-commit:whole',
    why: 'A call is never split, and never refused for its size: one with more rows than the limit has a group to itself.',
    file: SOURCE,
    anchor: 'if (size > 0 && rows > maxRows) break;',
    replacement:
      "if (rows > maxRows && size === 0) this.#pending.shift()?.reject(new Error('too many rows'));\n      if (rows > maxRows) break;",
    expectCount: 1,
    tests: [UNIT],
    red: [CUTS],
  },
  {
    id: 'group-commit-durability',
    why: 'A call settles only once its transaction has committed.',
    file: SOURCE,
    anchor: 'const results = await this.#options.commit(group.map(({ call }) => call));',
    replacement: 'const results: readonly Result[] = [];\n      this.#options.commit(group.map(({ call }) => call)).catch(() => {});',
    expectCount: 1,
    tests: [UNIT, ON_STORES],
    red: [
      SHARES,
      ALONE,
      UNREACHABLE,
      DURABLE,
      SIDE_BY_SIDE,
      ...STORES.flatMap((name) => [
        `group commit on ${name} > [group-commit-durability] settles a call once its rows are committed, and not before: another connection sees them`,
        `group commit on ${name} > shares one transaction among calls, and none with a bad one`,
      ]),
    ],
  },
  {
    id: 'emit-group-commit',
    why: 'Emits of one turn share a transaction.',
    file: 'packages/service-messaging/src/stores/sql-emit-writer.ts',
    anchor: 'return (calls.some(({ event }) => event.dedupKey !== null) ? this.#keyed : this.#plain).submit(calls);',
    replacement: 'return this.#write(calls, {});',
    expectCount: 1,
    tests: [EMITS],
    red: STORES.map((name) => `${emits(name)}[emit-group-commit] emits share a transaction; a bad one fails alone`),
  },
  {
    id: 'emit-durability',
    why: 'An emit, an enqueue and an inbox message settle only once their rows are committed.',
    file: SOURCE,
    anchor: 'const results = await this.#options.commit(group.map(({ call }) => call));',
    replacement: 'const results: readonly Result[] = [];\n      this.#options.commit(group.map(({ call }) => call)).catch(() => {});',
    expectCount: 1,
    tests: [EMITS],
    red: STORES.flatMap((name) => [
      `${emits(name)}[emit-group-commit] emits share a transaction; a bad one fails alone`,
      `${emits(name)}[emit-durability] each settles once its rows are committed, and not before`,
    ]),
  },
];
