import type { Store } from '@bellhop/contracts';
import { Counter, type Registry } from 'prom-client';

/** Shows the statement meter and the tenant audit. Both are read when scraped; a scrape costs no statement. */
export function registerStoreMetrics(registry: Registry, { audit, dialect, meter }: Store): void {
  const registers = [registry];

  new Counter({
    name: 'bellhop_store_statements_total',
    help: 'Statements that reached the database driver.',
    labelNames: ['label', 'dialect'],
    registers,
    collect() {
      this.reset();
      for (const [label, { statements }] of Object.entries(meter.snapshot().byLabel)) this.inc({ label, dialect }, statements);
    },
  });
  new Counter({
    name: 'bellhop_store_rows_total',
    help: 'Rows that statements wrote or returned.',
    labelNames: ['label', 'dialect'],
    registers,
    collect() {
      this.reset();
      for (const [label, { rows }] of Object.entries(meter.snapshot().byLabel)) this.inc({ label, dialect }, rows);
    },
  });

  const totals = {
    writes: 'INSERT, UPDATE and DELETE among the statements.',
    transactions: 'Transactions begun.',
    control: 'BEGIN, COMMIT, ROLLBACK, SAVEPOINT, PRAGMA and the like.',
    roundTrips: 'Exchanges with the database server.',
  } as const;
  for (const [total, help] of Object.entries(totals) as [keyof typeof totals, string][]) {
    new Counter({
      name: `bellhop_store_${total === 'roundTrips' ? 'round_trips' : total}_total`,
      help,
      labelNames: ['dialect'],
      registers,
      collect() {
        this.reset();
        this.inc({ dialect }, meter.snapshot()[total]);
      },
    });
  }

  new Counter({
    name: 'bellhop_tenant_findings_total',
    help: 'Writes to tenant-scoped tables that named neither an organization nor a reason.',
    labelNames: ['table', 'operation'],
    registers,
    collect() {
      this.reset();
      for (const { table, operation, count } of audit.findings()) this.inc({ table, operation }, count);
    },
  });
}
