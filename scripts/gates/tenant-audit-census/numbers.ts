// The numbers that the prose of the page quotes. Each is one side of a split; the page never tells a total without its parts.
import type { Census } from './census.js';

export function quotedNumbers({ sites, rows, statements, past }: Census): ReadonlyMap<string, number> {
  const tenant = rows.filter(({ tenancy }) => tenancy === 'tenant-scoped');
  const ofKind = (kind: string) => tenant.filter(({ contextKind }) => contextKind === kind).length;
  return new Map([
    ['sites', sites.length],
    ['writes', rows.length],
    ['tenant', tenant.length],
    ['tenant-organization', ofKind('organizationId')],
    ['tenant-global', ofKind('global')],
    ['tenant-either', ofKind('either')],
    ['tenant-neither', ofKind('neither')],
    ['other', rows.filter(({ tenancy }) => tenancy === 'not tenant-scoped').length],
    ['unreadable', rows.filter(({ tenancy, contextKind }) => tenancy === 'unreadable' || contextKind === 'unreadable').length],
    ['statements', statements.length],
    ['tenant-statements', statements.filter(({ tenantScoped }) => tenantScoped).length],
    ['reasons', new Set(rows.flatMap(({ reasons }) => reasons)).size],
    ['past', past.length],
  ]);
}
