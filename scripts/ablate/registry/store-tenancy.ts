// The tenant audit: which write is a finding, that every write is looked at, and that the outbox's own are none.
import type { Ablation } from '../ablation.js';

const SOURCE = 'packages/store/src/write-audit.ts';
const STORES = ['memory', 'sqlite', 'libsql', 'libsql-remote', 'postgres'];

const AUDIT = ['packages/store/src/write-audit.test.ts'];
const audit = (title: string) => `the audit of writes > [tenant-audit] ${title}`;
const FINDINGS = ['isolated', 'group'].map((posture) =>
  audit(`${posture}: a write with neither an organization nor a reason is a finding, warned once, counted each time`),
);
const NAMED = ['an organization', 'several organizations', 'a reason'].map((scope) => audit(`a write that names ${scope} is no finding`));
const EMPTY = ['an empty organization', 'an empty organization among others', 'an empty reason'].map((scope) =>
  audit(`a write that names ${scope} is a finding`),
);
const NOBODYS = audit('a write to a table that is nobody’s is no finding (control: the same to a tenant’s table is)');

const WRITES = ['packages/store/src/write-audit.integration.test.ts'];
const onEvery = (title: string) => STORES.map((name) => `the writes of a store on ${name} > [audited-writes] ${title}`);
const ALONE = onEvery('are audited alone and in a transaction, warned once a table and operation');
const BATCH = onEvery('are audited step by step in a batch, in a transaction too');
const TABLES = onEvery('are audited on the tables that a migration set names as a tenant’s, and on no others; reads are not');

export const ablations: readonly Ablation[] = [
  {
    id: 'tenant-audit',
    why: 'A write to a tenant-scoped table that names neither its organization nor a reason is a finding.',
    file: SOURCE,
    anchor: '|| namesItsRows(scope)) return;',
    replacement: "|| namesItsRows(scope) || operation !== 'select') return;",
    expectCount: 1,
    tests: AUDIT,
    red: [...FINDINGS, ...EMPTY, NOBODYS],
  },
  {
    id: 'tenant-audit:named',
    why: 'One that names them is none.',
    file: SOURCE,
    anchor: '|| namesItsRows(scope)) return;',
    replacement: ') return;\n    void namesItsRows(scope);',
    expectCount: 1,
    tests: AUDIT,
    red: NAMED,
  },
  {
    id: 'tenant-audit:empty',
    why: 'An empty name is no name, and an empty reason no reason.',
    file: SOURCE,
    anchor: "if ('global' in scope) return scope.global.length > 0;",
    replacement: "if ('global' in scope || scope.organizationId !== undefined) return true;",
    expectCount: 1,
    tests: AUDIT,
    red: EMPTY,
  },
  {
    id: 'tenant-audit:tables',
    why: 'A write to a table that is nobody’s is no finding.',
    file: SOURCE,
    anchor: '!this.#tables.has(table) || ',
    replacement: '',
    expectCount: 1,
    tests: AUDIT,
    red: [NOBODYS],
  },
  {
    id: 'tenant-audit:reads',
    why: 'A read is no finding.',
    file: SOURCE,
    anchor: "operation === 'select' || ",
    replacement: '',
    expectCount: 1,
    tests: AUDIT,
    red: [audit('a read is no finding')],
  },
  {
    id: 'tenant-audit:single',
    why: 'Where there is one tenant nothing is a finding.',
    file: SOURCE,
    anchor: "this.posture === 'single' || ",
    replacement: '',
    expectCount: 1,
    tests: AUDIT,
    red: [audit('single: nothing is a finding')],
  },
  {
    id: 'tenant-audit:once',
    why: 'A finding is warned of once a table and operation.',
    file: SOURCE,
    anchor: 'finding.count += 1;\n      return;\n    }\n    this.#findings.set(key, { table, operation, count: 1 });',
    replacement: 'finding.count += 1;\n    } else this.#findings.set(key, { table, operation, count: 1 });',
    expectCount: 1,
    tests: AUDIT,
    red: FINDINGS,
  },
  {
    id: 'audited-writes',
    why: 'Every write of a store is audited.',
    file: 'packages/store/src/sql-store.ts',
    anchor: 'this.#audit.check(statement.table, statement.operation, scope);\n    const step',
    replacement: 'void scope;\n    const step',
    expectCount: 1,
    tests: WRITES,
    red: [...ALONE, ...TABLES],
  },
  {
    id: 'audited-writes:batch',
    why: 'So is every step of a batch.',
    file: 'packages/store/src/sql-store.ts',
    anchor: 'for (const { statement, scope } of steps) this.#audit.check(statement.table, statement.operation, scope);',
    replacement: '',
    expectCount: 1,
    tests: WRITES,
    red: BATCH,
  },
  {
    id: 'audited-writes:tables',
    why: 'The tables that a migration set names as a tenant’s are registered.',
    file: 'packages/store/src/sql-store.ts',
    anchor: 'this.audit.register(set.tenantTables);',
    replacement: '',
    expectCount: 1,
    tests: WRITES,
    red: [...ALONE, ...BATCH, ...TABLES],
  },
  {
    id: 'outbox-scope',
    why: 'The writes of a dispatcher cross organizations, and say why.',
    file: 'packages/service-messaging/src/stores/sql-notification-outbox.ts',
    anchor: "const DISPATCH = { global: 'dispatcher: a claim, its outcome and its recovery cross organizations by design' };",
    replacement: 'const DISPATCH = undefined;',
    expectCount: 1,
    tests: ['packages/service-messaging/src/outbox-scope.integration.test.ts'],
    red: STORES.map(
      (name) =>
        `[outbox-scope] the dispatcher claims, acks and reaps across organizations without a finding (control: an unscoped write is one), on ${name}`,
    ),
  },
];
