import type { Operation, Statement } from '@bellhop/contracts';

/** What a hot statement is made of: one SQL text for both families, or one each. */
export interface StatementDefinition {
  readonly label: string;
  readonly operation: Operation;
  readonly table: string;
  readonly sql: string | { readonly sqlite: string; readonly postgres: string };
}

/** Makes a hot statement. Make it once, at module level or per shape: stores prepare by identity. */
export function defineStatement({ label, operation, table, sql }: StatementDefinition): Statement {
  return { label, operation, table, sql: typeof sql === 'string' ? { sqlite: sql, postgres: sql } : sql };
}
