import type { SqlParams, SqlValue } from '@bellhop/contracts';

/** A statement whose `:name` parameters were numbered for Postgres. */
export interface PositionalSql {
  readonly text: string;
  readonly values: (params: SqlParams) => SqlValue[];
}

/** `:name`, but not a cast's `::type`. Hot statements hold no string literals with a colon; a test sees to it. */
const PARAMETER = /(?<!:):([a-zA-Z][a-zA-Z0-9_]*)/g;

/** Numbers the named parameters: `$1`, `$2` … in order of first appearance. */
export function toPositional(sql: string): PositionalSql {
  const names: string[] = [];
  const text = sql.replace(PARAMETER, (_match, name: string) => {
    let index = names.indexOf(name);
    if (index === -1) index = names.push(name) - 1;
    return `$${index + 1}`;
  });
  return { text, values: (params) => names.map((name) => params[name] ?? null) };
}
