/** Counts of one label. */
export interface StatementCount {
  /** Times the statement reached the driver. */
  statements: number;
  /** Rows it wrote or returned, summed. */
  rows: number;
}

/** Everything that reached the driver since the store opened, or since `reset`. */
export interface MeterSnapshot {
  /** Statements in all, transaction control and pragmas apart. */
  readonly statements: number;
  /** INSERT, UPDATE and DELETE among them. */
  readonly writes: number;
  readonly byLabel: Readonly<Record<string, Readonly<StatementCount>>>;
  /** Transactions begun. */
  readonly transactions: number;
  /** BEGIN, COMMIT, ROLLBACK, SAVEPOINT, PRAGMA and the like. */
  readonly control: number;
  /** Exchanges with the database server; 0 for a database in the process. */
  readonly roundTrips: number;
}

/** Counts every statement that reaches the driver, by label. Budgets are asserted on it, `/metrics` shows it. */
export interface StatementMeter {
  snapshot(): MeterSnapshot;
  reset(): void;
}
