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

/** A subquery with the texts of one JSON parameter, an array of strings: for `IN`. */
export function jsonTexts(family: SqlFamily, source: string): string {
  return family === 'postgres' ? `(SELECT json_array_elements_text(${source}::json))` : `(SELECT value FROM json_each(${source}))`;
}

/** Writes a statement's two texts from one template. */
export function bothFamilies(write: (family: SqlFamily) => string): { sqlite: string; postgres: string } {
  return { sqlite: write('sqlite'), postgres: write('postgres') };
}
