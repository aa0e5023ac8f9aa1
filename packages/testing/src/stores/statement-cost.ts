import type { Store } from '@bellhop/contracts';

/** What reached the driver while some work ran: what a budget of statements is asserted on. */
export interface StatementCost {
  readonly statements: number;
  readonly transactions: number;
  readonly roundTrips: number;
  /** The label of each statement, as often as it ran, in the order of the alphabet. */
  readonly labels: readonly string[];
}

/**
 * Counts what some work costs a store, by its meter. Whatever else uses the store meanwhile is counted with it: a test has no loop running beside.
 *
 * @throws what the work throws.
 */
export async function statementCost(store: Pick<Store, 'meter'>, work: () => unknown): Promise<StatementCost> {
  const before = store.meter.snapshot();
  await work();
  const after = store.meter.snapshot();
  const ran = (label: string) => (after.byLabel[label]?.statements ?? 0) - (before.byLabel[label]?.statements ?? 0);
  return {
    statements: after.statements - before.statements,
    transactions: after.transactions - before.transactions,
    roundTrips: after.roundTrips - before.roundTrips,
    labels: Object.keys(after.byLabel)
      .sort()
      .flatMap((label) => Array<string>(ran(label)).fill(label)),
  };
}
