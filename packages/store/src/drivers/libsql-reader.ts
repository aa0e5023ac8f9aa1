// Long reads of a libSQL file. @libsql/client gives a result only as a whole, and takes some 60 ms of one turn for 10 000 rows, so these go to
// the native library underneath it, row by row. Must never load another copy of that library: two of them in one process would each take back the
// file locks of the other (POSIX locks belong to the process, and closing any descriptor of a file lets go of all).
import { createRequire } from 'node:module';
import type { SqlParams } from '@bellhop/contracts';
import type { DriverMeter } from '../statement-meter.js';
import type { Row } from './driver.js';
import type { RowReader } from './read-connection.js';

interface NativeStatement {
  iterate(params: SqlParams): Iterator<Row>;
  get(params: SqlParams): unknown;
}

interface NativeDatabase {
  prepare(sql: string): NativeStatement;
  exec(sql: string): void;
  close(): void;
}

/** Resolved from the client's own place, where no other version than the client's can be found. */
const requireAsClient = createRequire(createRequire(import.meta.url).resolve('@libsql/client'));

/** Opens a connection that refuses every write. It does not wait for locks. */
export function openLibsqlReader({ file, meter }: { readonly file: string; readonly meter: DriverMeter }): RowReader {
  const Native = requireAsClient('libsql') as new (file: string, options: { timeout: number }) => NativeDatabase;
  const db = new Native(file, { timeout: 0 });
  // The library takes a `readonly` option and ignores it.
  for (const pragma of ['query_only = ON', 'temp_store = MEMORY']) {
    db.exec(`PRAGMA ${pragma}`);
    meter.countSql('PRAGMA', 0);
  }
  return {
    iterate: (sql, params) => endable(db.prepare(sql), params),
    close: () => db.close(),
  };
}

/**
 * The library's iterator has no `return`, and its statement stays open until it is collected, even past the end of its connection. Asking for one
 * row resets it.
 */
function endable(statement: NativeStatement, params: SqlParams): Iterator<Row> {
  const rows = statement.iterate(params);
  let ended = false;
  return {
    next() {
      const next = rows.next();
      if (next.done) ended = true;
      return next;
    },
    return() {
      if (!ended) statement.get(params);
      ended = true;
      return { done: true, value: undefined };
    },
  };
}
