import type { MeterSnapshot, Operation, StatementCount, StatementMeter } from '@bellhop/contracts';

const CONTROL = /^\s*(begin|commit|end|rollback|savepoint|release|pragma|set|show)\b/i;
const OPERATION = /^\s*(?:with\b[\s\S]*?\)\s*)?(select|insert|update|delete)\b/i;

/** Counts what reaches the driver. Drivers call the `count…` members; everybody else reads. */
export class DriverMeter implements StatementMeter {
  #byLabel = new Map<string, StatementCount>();
  #statements = 0;
  #writes = 0;
  #transactions = 0;
  #control = 0;
  #roundTrips = 0;

  countStatement(label: string, operation: Operation, rows: number): void {
    let count = this.#byLabel.get(label);
    if (!count) {
      count = { statements: 0, rows: 0 };
      this.#byLabel.set(label, count);
    }
    count.statements += 1;
    count.rows += rows;
    this.#statements += 1;
    if (operation !== 'select') this.#writes += 1;
  }

  /** SQL that came through the query builder: counted as `knex.<verb>`, or as control. */
  countSql(sql: string, rows: number): void {
    if (CONTROL.test(sql)) {
      if (/^\s*begin\b/i.test(sql)) this.#transactions += 1;
      this.#control += 1;
      return;
    }
    const verb = OPERATION.exec(sql)?.[1]?.toLowerCase() as Operation | undefined;
    this.countStatement(`knex.${verb ?? 'other'}`, verb ?? 'select', rows);
  }

  /** BEGIN and COMMIT of a transaction that a driver ran itself. */
  countTransaction(): void {
    this.#transactions += 1;
    this.#control += 2;
  }

  countRoundTrips(exchanges: number): void {
    this.#roundTrips += exchanges;
  }

  snapshot(): MeterSnapshot {
    return {
      statements: this.#statements,
      writes: this.#writes,
      byLabel: Object.fromEntries([...this.#byLabel].map(([label, count]) => [label, { ...count }])),
      transactions: this.#transactions,
      control: this.#control,
      roundTrips: this.#roundTrips,
    };
  }

  reset(): void {
    this.#byLabel = new Map();
    this.#statements = this.#writes = this.#transactions = this.#control = this.#roundTrips = 0;
  }
}
