import type { Statement, StatementResult } from '@bellhop/contracts';
import type Database from 'better-sqlite3';
import type { DriverMeter } from '../statement-meter.js';
import type { Row, Step } from './driver.js';

/** Hot statements on better-sqlite3: prepared once a connection, run in one synchronous piece. */
export class SqliteStatements {
  readonly #meter: DriverMeter;
  readonly #prepared = new WeakMap<Database.Database, WeakMap<Statement, Database.Statement>>();

  constructor(meter: DriverMeter) {
    this.#meter = meter;
  }

  run(db: Database.Database, { statement, params }: Step): StatementResult<Row> {
    const prepared = this.#prepare(db, statement);
    if (prepared.reader) {
      const rows = prepared.all(params) as Row[];
      this.#meter.countStatement(statement.label, statement.operation, rows.length);
      return { rows, changes: statement.operation === 'select' ? 0 : rows.length };
    }
    const { changes } = prepared.run(params);
    this.#meter.countStatement(statement.label, statement.operation, changes);
    return { rows: [], changes };
  }

  /** All steps in one transaction. */
  runAll(db: Database.Database, steps: readonly Step[]): StatementResult<Row>[] {
    db.exec('BEGIN IMMEDIATE');
    try {
      const results = steps.map((step) => this.run(db, step));
      db.exec('COMMIT');
      this.#meter.countTransaction();
      return results;
    } catch (error) {
      // A full disk or an I/O error may have rolled back already.
      if (db.inTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }

  #prepare(db: Database.Database, statement: Statement): Database.Statement {
    let ofConnection = this.#prepared.get(db);
    if (!ofConnection) {
      ofConnection = new WeakMap();
      this.#prepared.set(db, ofConnection);
    }
    let prepared = ofConnection.get(statement);
    if (!prepared) {
      prepared = db.prepare(statement.sql.sqlite);
      ofConnection.set(statement, prepared);
    }
    return prepared;
  }
}
