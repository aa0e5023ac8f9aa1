import type { SqlFamily } from '@bellhop/contracts';

/** Column name to type, the same name in the JSON objects. */
export type JsonColumns = Readonly<Record<string, 'text' | 'bigint' | 'integer'>>;

/**
 * A FROM item that reads rows out of one JSON parameter, an array of objects. However many rows a call has, the statement stays the same
 * prepared one: a VALUES list would be another statement for each number of rows, and end at the driver's limit of parameters.
 *
 * @param source the parameter (`:rows`), or in SQLite a path of an outer row.
 */
export function jsonRows(family: SqlFamily, source: string, alias: string, columns: JsonColumns): string {
  const names = Object.keys(columns);
  if (family === 'postgres') {
    return `json_to_recordset(${source}::json) AS ${alias}(${names.map((name) => `${name} ${columns[name]}`).join(', ')})`;
  }
  return `(SELECT ${names.map((name) => `json_extract(value, '$.${name}') AS ${name}`).join(', ')} FROM json_each(${source})) AS ${alias}`;
}

/**
 * A condition: the expression is among the texts of one JSON parameter, an array of strings. On Postgres as an array, which is an index
 * condition; a subquery would be a join, and the planner free to read the whole table for it.
 */
export function inJsonTexts(family: SqlFamily, expression: string, source: string): string {
  return family === 'postgres'
    ? `${expression} = ANY (ARRAY(SELECT json_array_elements_text(${source}::json)))`
    : `${expression} IN (SELECT value FROM json_each(${source}))`;
}

/** The one row that belongs to each row of a FROM item. */
export interface LookUp {
  readonly table: string;
  readonly as: string;
  /** Columns that the statement reads of it. */
  readonly columns: readonly string[];
  /** A unique index's columns, compared with those of the row before. */
  readonly where: string;
}

/**
 * Joins the rows of a JSON parameter to what each finds in a table. Postgres does not know how few rows a JSON parameter holds, and may read the
 * whole table for them; a LIMIT makes it look up each.
 */
export function joinLookUp(family: SqlFamily, { table, as, columns, where }: LookUp): string {
  if (family === 'sqlite') return `CROSS JOIN ${table} AS ${as} ON ${where}`;
  const read = columns.map((column) => `${as}.${column}`).join(', ');
  return `JOIN LATERAL (SELECT ${read} FROM ${table} AS ${as} WHERE ${where} LIMIT 1) AS ${as} ON true`;
}

/** Writes a statement's two texts from one template. */
export function bothFamilies(write: (family: SqlFamily) => string): { sqlite: string; postgres: string } {
  return { sqlite: write('sqlite'), postgres: write('postgres') };
}
