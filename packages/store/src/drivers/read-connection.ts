// The second connection of an embedded database file, for long reads. Must never write, and never keep a statement open after its read has
// ended: the log could not be folded back past what that statement sees.
import type { SqlParams } from '@bellhop/contracts';
import { withRetry } from '../retry.js';
import type { DriverMeter } from '../statement-meter.js';
import type { Row, Step } from './driver.js';

/** A read-only connection, as far as a long read needs it. */
export interface RowReader {
  /** The rows as the database finds them. `return` ends the statement before its last row. */
  iterate(sql: string, params: SqlParams): Iterator<Row>;
  close(): void;
}

/** Opened with the first read, and kept. One read at a time: others wait in line. */
export class ReadConnection {
  readonly #open: () => RowReader;
  readonly #meter: DriverMeter;
  readonly #busyTimeoutMs: number;
  #reader: RowReader | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(open: () => RowReader, options: { readonly meter: DriverMeter; readonly busyTimeoutMs: number }) {
    this.#open = open;
    this.#meter = options.meter;
    this.#busyTimeoutMs = options.busyTimeoutMs;
  }

  /** A lock is waited for until the first row is there; from then on the read sees the database as it was at that instant. */
  read<T>(step: Step, deliver: (rows: Iterable<Row>) => Promise<T>): Promise<T> {
    const read = this.#last.then(() => this.#read(step, deliver));
    this.#last = read.catch(() => {});
    return read;
  }

  /** Only when no read is under way. */
  close(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }

  async #read<T>({ statement, params }: Step, deliver: (rows: Iterable<Row>) => Promise<T>): Promise<T> {
    const { first, rest } = await withRetry({ on: ['busy'], budgetMs: this.#busyTimeoutMs }, () =>
      this.#begin(statement.sql.sqlite, params),
    );
    let count = 0;
    function* rows(): Generator<Row, void> {
      for (let next = first; !next.done; next = rest.next()) {
        count += 1;
        yield next.value;
      }
    }
    try {
      return await deliver(rows());
    } finally {
      // Not in the generator: it knows nothing of an end that came before its first row.
      rest.return?.();
      this.#meter.countStatement(statement.label, statement.operation, count);
    }
  }

  #begin(sql: string, params: SqlParams): { readonly first: IteratorResult<Row>; readonly rest: Iterator<Row> } {
    this.#reader ??= this.#open();
    try {
      const rest = this.#reader.iterate(sql, params);
      return { first: rest.next(), rest };
    } catch (error) {
      // Whatever it was, the next read begins on a connection that has seen nothing of it.
      this.close();
      throw error;
    }
  }
}
