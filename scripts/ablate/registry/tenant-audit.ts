// The tenant audit over the writes of the product, and the drive that reaches all of them. That the store audits single writes and batches alike is
// `audited-writes`.
import type { Ablation } from '../ablation.js';

const TESTS = ['packages/host/src/tenant-audit.integration.test.ts'];
const EACH_WRITE = ['sqlite', 'postgres'].map(
  (name) => `the audit on ${name} > [tenant-audit-sites] finds each write of the product that loses its context, and none that has it`,
);
const ALL_RUN =
  'the drive of the audit > [tenant-audit-sites] runs every write statement on a tenant-scoped table that the sources define, and no other';

export const ablations: readonly Ablation[] = [
  {
    id: 'tenant-audit-sites',
    why: 'A write of the product that gives neither an organization nor a reason is found.',
    file: 'packages/store/src/write-audit.ts',
    anchor: '|| namesItsRows(scope)) return;',
    replacement: '|| scope === undefined || namesItsRows(scope)) return;',
    expectCount: 1,
    tests: TESTS,
    red: EACH_WRITE,
  },
  {
    id: 'tenant-audit-sites:context',
    why: 'A write that gives its context is not found.',
    file: 'packages/service-messaging/src/stores/sql-event-store.ts',
    anchor: '({ id }) => id)) }, { organizationId }, options);',
    replacement: '({ id }) => id)) }, organizationId.length > 0 ? undefined : { organizationId }, options);',
    expectCount: 1,
    tests: TESTS,
    red: EACH_WRITE,
  },
  {
    id: 'tenant-audit-sites:all',
    why: 'No write statement is left out of what is driven.',
    file: 'packages/service-messaging/src/stores/sql-notification-outbox.ts',
    anchor: "await this.#settle(releaseClaims, 'claims', claims.map(credential), {});",
    replacement: "if (claims.length > 1_000) await this.#settle(releaseClaims, 'claims', claims.map(credential), {});",
    expectCount: 1,
    tests: TESTS,
    red: [ALL_RUN],
  },
];
