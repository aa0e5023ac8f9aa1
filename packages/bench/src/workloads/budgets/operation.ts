import type { Store } from '@bellhop/contracts';
import type { ManualClock, TestStoreName } from '@bellhop/testing';

/** What one operation cost. */
export interface Cost {
  readonly statements: number;
  readonly transactions: number;
  readonly roundTrips: number;
}

/** An operation whose cost has a budget: one entry of the workload's JSON. */
export interface Operation<Bench> {
  /** What may cost nothing of it: done before the counting. */
  readonly prepare?: (bench: Bench) => Promise<unknown>;
  readonly run: (bench: Bench) => Promise<unknown>;
  readonly limits: (store: TestStoreName) => Partial<Cost>;
}

/** The same, whatever it is measured on. */
export interface MeasuredOperation {
  readonly limits: Operation<never>['limits'];
  /** On an empty database. */
  measure(store: Store, clock: ManualClock): Promise<Cost>;
}

/** The operations of one service, by name. */
export function operationsOf<Bench>(
  assemble: (store: Store, clock: ManualClock) => Promise<Bench>,
  operations: Readonly<Record<string, Operation<Bench>>>,
): [string, MeasuredOperation][] {
  return Object.entries(operations).map(([name, { prepare, run, limits }]) => [
    name,
    {
      limits,
      async measure(store, clock) {
        const bench = await assemble(store, clock);
        await prepare?.(bench);
        store.meter.reset();
        await run(bench);
        const { statements, transactions, roundTrips } = store.meter.snapshot();
        return { statements, transactions, roundTrips };
      },
    },
  ]);
}
