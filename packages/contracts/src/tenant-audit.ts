import type { Operation } from './statement.js';

/**
 * How a deployment keeps its tenants apart. `single`: one tenant, no audit. `group` and `isolated`: every write to a tenant-scoped
 * table must name its organization or say why it is global.
 */
export type TenantPosture = 'single' | 'group' | 'isolated';

/** A write to a tenant-scoped table that named neither an organization nor a reason. */
export interface TenantFinding {
  readonly table: string;
  readonly operation: Operation;
  /** Times it happened; it is logged the first time only. */
  readonly count: number;
}

export interface TenantAudit {
  readonly posture: TenantPosture;
  /** Declares tables whose rows belong to an organization. */
  register(tables: readonly string[]): void;
  isTenantScoped(table: string): boolean;
  findings(): readonly TenantFinding[];
}
