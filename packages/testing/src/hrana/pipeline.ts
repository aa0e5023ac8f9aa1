/**
 * The requests of one pipeline, run in order on one stream. A failed statement is a result, not an end: later requests of the pipeline
 * still run, as the protocol says; only a breach of the protocol ends it.
 */
import { NO_ARGUMENTS, type StatementArguments } from './connection.js';
import type { LockWait } from './lock-wait.js';
import { splitStatements } from './sql-text.js';
import type { HranaStream } from './streams.js';
import { fromWire, type SqliteValue } from './values.js';
import {
  type HranaBatch,
  type HranaBatchResult,
  type HranaCondition,
  type HranaErrorBody,
  HranaProtocolError,
  type HranaRequest,
  type HranaResponse,
  type HranaResult,
  type HranaSql,
  type HranaStatement,
  HranaStatementError,
  type HranaStatementResult,
} from './wire.js';

const MAX_STORED_SQLS = 50;

export interface PipelineOptions {
  readonly stream: HranaStream;
  readonly lockWait: LockWait;
  readonly version: 2 | 3;
  /** The first statement finds the database locked for the whole busy timeout, without the wait. */
  readonly failBusy: boolean;
}

export class HranaPipeline {
  readonly #stream: HranaStream;
  readonly #lockWait: LockWait;
  readonly #version: 2 | 3;
  #failBusy: boolean;

  constructor(options: PipelineOptions) {
    this.#stream = options.stream;
    this.#lockWait = options.lockWait;
    this.#version = options.version;
    this.#failBusy = options.failBusy;
  }

  /** @throws HranaProtocolError */
  async run(requests: readonly HranaRequest[]): Promise<HranaResult[]> {
    const results: HranaResult[] = [];
    for (const request of requests) {
      try {
        results.push({ type: 'ok', response: await this.#respond(request) });
      } catch (error) {
        if (!(error instanceof HranaStatementError)) throw error;
        results.push({ type: 'error', error: error.body });
      }
    }
    return results;
  }

  async #respond(request: HranaRequest): Promise<HranaResponse> {
    if (this.#stream.closed && request.type !== 'close') throw new HranaProtocolError('The stream has been closed');
    switch (request?.type) {
      case 'execute':
        return { type: 'execute', result: await this.#execute(request.stmt) };
      case 'batch':
        return { type: 'batch', result: await this.#batch(request.batch) };
      case 'sequence':
        for (const sql of splitStatements(this.#sql(request))) await this.#statement(sql, NO_ARGUMENTS, false);
        return { type: 'sequence' };
      case 'describe': {
        const sql = this.#sql(request);
        return { type: 'describe', result: await this.#lockWait.run(() => this.#stream.connection.describe(sql)) };
      }
      case 'store_sql':
        this.#storeSql(request.sql_id, request.sql);
        return { type: 'store_sql' };
      case 'close_sql':
        this.#stream.sqls.delete(request.sql_id);
        return { type: 'close_sql' };
      case 'get_autocommit':
        this.#requireVersion3('The `get_autocommit` request');
        return { type: 'get_autocommit', is_autocommit: this.#stream.connection.autocommit };
      case 'close':
        this.#stream.closed = true;
        return { type: 'close' };
      default:
        throw new HranaProtocolError(`Unknown request ${JSON.stringify(request)}`);
    }
  }

  #execute(statement: HranaStatement): Promise<HranaStatementResult> {
    return this.#statement(this.#sql(statement), statementArguments(statement), statement.want_rows ?? true);
  }

  async #batch(batch: HranaBatch): Promise<HranaBatchResult> {
    const results: (HranaStatementResult | null)[] = [];
    const errors: (HranaErrorBody | null)[] = [];
    for (const { condition, stmt } of batch.steps) {
      let result: HranaStatementResult | null = null;
      let failure: HranaErrorBody | null = null;
      if (!condition || this.#holds(condition, results, errors)) {
        try {
          result = await this.#execute(stmt);
        } catch (error) {
          if (!(error instanceof HranaStatementError)) throw error;
          failure = error.body;
        }
      }
      results.push(result);
      errors.push(failure);
    }
    return { step_results: results, step_errors: errors };
  }

  #holds(condition: HranaCondition, results: readonly unknown[], errors: readonly unknown[]): boolean {
    switch (condition.type) {
      case 'ok':
      case 'error':
        if (!(condition.step < results.length)) {
          throw new HranaProtocolError(`A condition refers to step ${condition.step}, which is not before it`);
        }
        return (condition.type === 'ok' ? results : errors)[condition.step] !== null;
      case 'not':
        return !this.#holds(condition.cond, results, errors);
      case 'and':
        return condition.conds.every((part) => this.#holds(part, results, errors));
      case 'or':
        return condition.conds.some((part) => this.#holds(part, results, errors));
      case 'is_autocommit':
        this.#requireVersion3('The `is_autocommit` condition');
        return this.#stream.connection.autocommit;
      default:
        throw new HranaProtocolError(`Unknown condition ${JSON.stringify(condition)}`);
    }
  }

  async #statement(sql: string, args: StatementArguments, wantRows: boolean): Promise<HranaStatementResult> {
    if (this.#failBusy) {
      this.#failBusy = false;
      throw new HranaStatementError('SQLITE_BUSY', 'SQLite error: database is locked');
    }
    const { connection } = this.#stream;
    try {
      return await this.#lockWait.run(() => connection.run(sql, args, wantRows));
    } finally {
      if (connection.autocommit) this.#lockWait.released();
    }
  }

  #sql({ sql, sql_id: id }: HranaSql): string {
    if (typeof sql === 'string' && (id === undefined || id === null)) return sql;
    if (typeof id !== 'number' || typeof sql === 'string') throw new HranaProtocolError('Exactly one of `sql` and `sql_id` must be given');
    const stored = this.#stream.sqls.get(id);
    if (stored === undefined) throw new HranaProtocolError(`SQL text ${id} not found`);
    return stored;
  }

  #storeSql(id: number, sql: string): void {
    const { sqls } = this.#stream;
    if (sqls.has(id)) throw new HranaProtocolError(`SQL text with id ${id} is already stored`);
    if (sqls.size >= MAX_STORED_SQLS) {
      throw new HranaStatementError('SQL_STORE_TOO_MANY', `The server already stores ${sqls.size} SQL texts, it cannot store more`);
    }
    sqls.set(id, sql);
  }

  #requireVersion3(what: string): void {
    if (this.#version < 3) throw new HranaProtocolError(`${what} is only supported in protocol version 3 and higher`);
  }
}

function statementArguments({ args = [], named_args = [] }: HranaStatement): StatementArguments {
  if (args.length > 0 && named_args.length > 0) {
    throw new HranaStatementError('ARGS_BOTH_POSITIONAL_AND_NAMED', 'Specifying both positional and named arguments is not supported');
  }
  const named = new Map<string, SqliteValue>();
  for (const { name, value } of named_args) named.set(name, fromWire(value));
  return { positional: args.map(fromWire), named };
}
