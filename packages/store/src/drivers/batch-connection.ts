import { StoreError } from '@bellhop/kernel';
import type { InStatement, InValue, ResultSet } from '@libsql/client';
import type { SqliteConnection, SqliteResult } from '../knex/sqlite-knex.js';
import type { DriverMeter } from '../statement-meter.js';
import { NOTHING } from './embedded-connection.js';

/** How a {@link BatchConnection} reaches the server: one exchange each. */
export interface BatchPort {
  execute(sql: string, bindings: readonly unknown[]): Promise<SqliteResult>;
  batch(statements: InStatement[]): Promise<ResultSet[]>;
}

interface BufferedWrite {
  readonly statement: InStatement;
  readonly sent: (result: ResultSet) => void;
}

/** One knex connection to a remote database: outside a transaction it passes statements on, inside it keeps writes until the commit. */
export class BatchConnection implements SqliteConnection {
  readonly #port: BatchPort;
  readonly #meter: DriverMeter;
  #writes: BufferedWrite[] | undefined;
  readonly #savepoints = new Map<string, number>();

  constructor(port: BatchPort, meter: DriverMeter) {
    this.#port = port;
    this.#meter = meter;
  }

  buffer(statement: InStatement, sent: (result: ResultSet) => void): void {
    if (!this.#writes) throw new StoreError('STORE_CLOSED', 'The transaction has ended.');
    this.#writes.push({ statement, sent });
  }

  async run(sql: string, bindings: readonly unknown[]): Promise<SqliteResult> {
    const [, verb = '', savepoint = ''] =
      /^\s*(begin|commit|savepoint|release|rollback to|rollback|\w+)\b(?:\s+savepoint)?\s*(\w*)/i.exec(sql) ?? [];
    switch (verb.toLowerCase()) {
      case 'begin':
        this.#writes = [];
        return NOTHING;
      case 'commit':
        await this.#commit();
        return NOTHING;
      case 'rollback':
        this.#writes = undefined;
        return NOTHING;
      case 'savepoint':
        this.#savepoints.set(savepoint, this.#writes?.length ?? 0);
        return NOTHING;
      case 'release':
        return NOTHING;
      case 'rollback to':
        this.#writes?.splice(this.#savepoints.get(savepoint) ?? 0);
        return NOTHING;
    }
    if (!this.#writes) return this.#port.execute(sql, bindings);
    if (!isPlainWrite(sql)) throw batchOnly(sql.slice(0, 80));
    this.buffer({ sql, args: bindings as InValue[] }, (result) => this.#meter.countSql(sql, result.rowsAffected));
    return NOTHING;
  }

  async #commit(): Promise<void> {
    const writes = this.#writes ?? [];
    this.#writes = undefined;
    if (writes.length === 0) return;
    const results = await this.#port.batch(writes.map(({ statement }) => statement));
    writes.forEach(({ sent }, index) => {
      sent(results[index] as ResultSet);
    });
  }
}

export function batchOnly(what: string): StoreError {
  return new StoreError(
    'BATCH_ONLY',
    `A read inside a transaction of remote libSQL: ${what}. There a transaction is one batch of writes, sent at its commit; read before it begins.`,
  );
}

/** A write whose result nobody asked for. */
function isPlainWrite(sql: string): boolean {
  const outside = withoutBrackets(sql);
  if (/\breturning\b/i.test(outside)) return false;
  if (!/^\s*with\b/i.test(outside)) return /^\s*(insert|update|delete|replace|create|drop|alter)\b/i.test(outside);
  return /\b(insert|update|delete|replace|select)\b/i.exec(outside)?.[1]?.toLowerCase() !== 'select';
}

/** The statement's own words: what stands in quotes or brackets (subqueries, column lists) is left out. */
function withoutBrackets(sql: string): string {
  let text = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`/g, ' ');
  for (let before = ''; before !== text; ) {
    before = text;
    text = text.replace(/\([^()]*\)/g, ' ');
  }
  return text;
}
