import type { Operation, TenantAudit, TenantFinding, TenantPosture, WriteScope } from '@bellhop/contracts';
import type { Logger } from '@bellhop/kernel';

/** Watches every write: one to a tenant-scoped table that names neither its organization nor a reason is a finding. Changes nothing. */
export class WriteAudit implements TenantAudit {
  readonly posture: TenantPosture;
  readonly #logger: Logger;
  readonly #tables = new Set<string>();
  readonly #findings = new Map<string, { table: string; operation: Operation; count: number }>();

  constructor(posture: TenantPosture, logger: Logger) {
    this.posture = posture;
    this.#logger = logger;
  }

  register(tables: readonly string[]): void {
    for (const table of tables) this.#tables.add(table);
  }

  isTenantScoped(table: string): boolean {
    return this.#tables.has(table);
  }

  check(table: string, operation: Operation, scope: WriteScope | undefined): void {
    if (this.posture === 'single' || operation === 'select' || !this.#tables.has(table) || namesItsRows(scope)) return;
    const key = `${table}:${operation}`;
    const finding = this.#findings.get(key);
    if (finding) {
      finding.count += 1;
      return;
    }
    this.#findings.set(key, { table, operation, count: 1 });
    this.#logger.warn(
      { table, operation, posture: this.posture },
      `[tenant-audit] ${operation} on tenant-scoped table ${table} names neither its organizationId nor why it is global`,
    );
  }

  findings(): readonly TenantFinding[] {
    return [...this.#findings.values()].map((finding) => ({ ...finding }));
  }
}

function namesItsRows(scope: WriteScope | undefined): boolean {
  if (!scope) return false;
  if ('global' in scope) return scope.global.length > 0;
  const { organizationId } = scope;
  return typeof organizationId === 'string' ? organizationId.length > 0 : organizationId.every((id) => id.length > 0);
}
