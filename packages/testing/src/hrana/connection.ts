/**
 * One SQLite connection: what a stream owns. Runs one statement at a time and answers in wire form. Never blocks the event loop on a lock:
 * the driver's busy timeout is 0, and whoever calls waits (`lock-wait.ts`).
 */
import Database from 'better-sqlite3';
import { isExplain, isInsert, sqlParameters } from './sql-text.js';
import { type SqliteValue, toWire } from './values.js';
import { type HranaResponse, HranaStatementError, type HranaStatementResult } from './wire.js';

export interface StatementArguments {
  readonly positional: readonly SqliteValue[];
  readonly named: ReadonlyMap<string, SqliteValue>;
}

export const NO_ARGUMENTS: StatementArguments = { positional: [], named: new Map() };

export class HranaConnection {
  readonly #db: Database.Database;
  readonly #totalChanges: Database.Statement;
  readonly #changes: Database.Statement;

  constructor(file: string) {
    this.#db = new Database(file, { timeout: 0 });
    this.#db.defaultSafeIntegers(true);
    // A throw-away database needs no fsync; foreign keys are off until asked for, as on a real server (better-sqlite3 turns them on).
    this.#db.exec('PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF');
    this.#totalChanges = this.#db.prepare('SELECT total_changes()').pluck();
    this.#changes = this.#db.prepare('SELECT changes(), last_insert_rowid()').raw();
  }

  /** False inside a transaction that was begun explicitly. */
  get autocommit(): boolean {
    return !this.#db.inTransaction;
  }

  /** @throws HranaStatementError with the code a real server gives. */
  run(sql: string, args: StatementArguments, wantRows: boolean): HranaStatementResult {
    const statement = this.#prepare(sql);
    const bound = bind(sql, args);
    try {
      const before = this.#totalChanges.get();
      const cols = statement.reader ? statement.columns().map(({ name, type }) => ({ name, decltype: type })) : [];
      let rows: SqliteValue[][] = [];
      if (statement.reader) rows = statement.raw().all(...bound) as SqliteValue[][];
      else statement.run(...bound);
      const [changes, rowid] = this.#changes.get() as [bigint, bigint];
      return {
        cols,
        rows: wantRows ? rows.map((row) => row.map(toWire)) : [],
        // changes() keeps its value over a statement that changes nothing; only a moved total says it belongs to this one.
        affected_row_count: this.#totalChanges.get() === before ? 0 : Number(changes),
        last_insert_rowid: isInsert(sql) ? rowid.toString() : null,
      };
    } catch (error) {
      throw statementError(error);
    }
  }

  describe(sql: string): Extract<HranaResponse, { type: 'describe' }>['result'] {
    const statement = this.#prepare(sql);
    return {
      params: sqlParameters(sql).map((name) => ({ name })),
      cols: statement.reader ? statement.columns().map(({ name, type }) => ({ name, decltype: type })) : [],
      is_explain: isExplain(sql),
      is_readonly: statement.readonly,
    };
  }

  /** Rolls back what is open. */
  close(): void {
    this.#db.close();
  }

  #prepare(sql: string): Database.Statement {
    try {
      return this.#db.prepare(sql);
    } catch (error) {
      throw prepareError(error);
    }
  }
}

/**
 * The arguments as better-sqlite3 takes them: values of nameless parameters in order, then one object for the named. A positional value
 * goes to the parameter of that number whether or not it has a name; a named value is found with or without its prefix.
 */
function bind(sql: string, args: StatementArguments): unknown[] {
  const parameters = sqlParameters(sql);
  if (args.positional.length > parameters.length) {
    throw argumentsInvalid(`too many parameters, expected ${parameters.length} found ${args.positional.length}`);
  }
  const nameless: SqliteValue[] = [];
  const named: Record<string, SqliteValue> = {};
  for (const [index, name] of parameters.entries()) {
    const value = args.named.size > 0 ? namedValue(args.named, name) : args.positional[index];
    if (value === undefined) throw argumentsInvalid(`value for parameter ${name ?? index + 1} not found`);
    if (name === null) {
      nameless.push(value);
      continue;
    }
    const key = name.slice(1);
    if (Object.hasOwn(named, key)) throw argumentsInvalid(`parameters differ only in their prefix (${name}); rename one`);
    named[key] = value;
  }
  return Object.keys(named).length > 0 ? [...nameless, named] : nameless;
}

function namedValue(values: ReadonlyMap<string, SqliteValue>, name: string | null): SqliteValue | undefined {
  if (name === null) return undefined;
  return values.has(name) ? values.get(name) : values.get(name.slice(1));
}

function argumentsInvalid(reason: string): HranaStatementError {
  return new HranaStatementError('ARGS_INVALID', `Arguments do not match SQL parameters: ${reason}`);
}

function prepareError(error: unknown): HranaStatementError {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof RangeError) {
    return /no statements/.test(message)
      ? new HranaStatementError('SQL_NO_STATEMENT', 'SQL string does not contain any statement', { cause: error })
      : new HranaStatementError('SQL_MANY_STATEMENTS', 'SQL string contains more than one statement', { cause: error });
  }
  if (error instanceof Database.SqliteError && error.code === 'SQLITE_ERROR') {
    return /syntax error|incomplete input|unrecognized token/.test(message)
      ? new HranaStatementError('SQL_PARSE_ERROR', `SQL string could not be parsed: ${message}`, { cause: error })
      : new HranaStatementError('SQL_INPUT_ERROR', `SQLite input error: ${message}`, { cause: error });
  }
  return statementError(error);
}

/** Real servers give the primary code only (`SQLITE_CONSTRAINT`); the extended one stays in `cause`. */
function statementError(error: unknown): HranaStatementError {
  if (error instanceof HranaStatementError) return error;
  if (error instanceof Database.SqliteError) {
    const primary = error.code.split('_').slice(0, 2).join('_');
    return new HranaStatementError(primary === 'SQLITE_ERROR' ? 'SQLITE_UNKNOWN' : primary, `SQLite error: ${error.message}`, {
      cause: error,
    });
  }
  throw error;
}

/** Whether waiting may help. A snapshot that fell behind (`SQLITE_BUSY_SNAPSHOT`) never becomes current by waiting. */
export function isHeldLock(error: unknown): boolean {
  return error instanceof HranaStatementError && error.cause instanceof Database.SqliteError && error.cause.code === 'SQLITE_BUSY';
}
