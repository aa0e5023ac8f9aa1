/** What a statement does to its table; the tenant audit and the census count by it. */
export type Operation = 'select' | 'insert' | 'update' | 'delete';

/** The two families of SQL that Bellhop writes: better-sqlite3 and libSQL share one, Postgres is the other. */
export type SqlFamily = 'sqlite' | 'postgres';

/**
 * A hot statement: written once per family, prepared once, run on the driver without a query builder in between.
 * Parameters are named, `:name`, in both families.
 */
export interface Statement {
  /** The name it is counted under: `outbox.claim`. */
  readonly label: string;
  readonly operation: Operation;
  /** The table it writes, or the first one it reads. */
  readonly table: string;
  readonly sql: Readonly<Record<SqlFamily, string>>;
}

/** Values that every store can bind. Booleans travel as 0 and 1, times as epoch milliseconds, lists and rows as one JSON text. */
export type SqlValue = string | number | null;
export type SqlParams = Readonly<Record<string, SqlValue>>;

/**
 * Whose rows a write touches. A write to a tenant-scoped table names its organization, or says in writing why it crosses them;
 * under the postures `group` and `isolated` a write with neither is a finding of the tenant audit.
 */
export type WriteScope = { readonly organizationId: string | readonly string[] } | { readonly global: string };

export interface StatementResult<Row> {
  /** Rows returned: a read's, or a write's RETURNING. */
  readonly rows: Row[];
  /** Rows written; null where the store cannot know yet (inside a transaction of remote libSQL). */
  readonly changes: number | null;
}

/** One statement of a {@link Store.batch}. `scope` as in `write`; reads have none. */
export interface BatchStep {
  readonly statement: Statement;
  readonly params: SqlParams;
  readonly scope?: WriteScope;
}
