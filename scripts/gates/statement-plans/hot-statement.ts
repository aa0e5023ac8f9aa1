// What the gate is driven by: the hot statements of the plugins, the rows that they must find, and the worlds of rows that they must pass by.
// A plugin adds its own in `scripts/gates/statement-plans/<plugin>.ts` and names that file in `registry.ts`.
import type { MigrationSet, SqlParams, Statement, Store } from '../../../packages/contracts/src/index.js';

/** A statement that a loop, a request or an enqueue runs, with parameters for which it finds rows of `wanted`. */
export interface HotStatement {
  /** Where it is defined: the file, `#`, and the name at the top level of the file that holds the `defineStatement`. */
  readonly definition: string;
  /** Tells it from the others of the registry; with its shape, where one definition makes several. */
  readonly title: string;
  readonly statement: Statement;
  readonly params: SqlParams;
  /** Rows it must return, or write, in every world: one that finds nothing visits nothing, and would pass with any plan. */
  readonly returns: number | ((scale: number) => number);
  /** Names of the worlds it is run in. Default: those of its table. */
  readonly worlds?: readonly string[];
  /** Worlds in which it stands under limits of its own. */
  readonly own?: OwnLimit;
}

/** For a statement whose meaning demands more visits than the limits of all allow. */
export interface OwnLimit {
  /** Why the general limits cannot apply, and what bounds the statement instead. */
  readonly reason: string;
  /** Names of the worlds it applies in. Default: all. */
  readonly worlds?: readonly string[];
  /** Rows that Postgres may visit. Default: the general limit. */
  readonly rows?: (run: { readonly returned: number; readonly scale: number }) => number;
  /** Pages that its scans may read on Postgres. Default: as many as rows. */
  readonly pages?: (run: { readonly returned: number; readonly scale: number }) => number;
  /** How often the steps at the small scale SQLite may take at the large one. Default: the general limit. */
  readonly growth?: number;
}

/** A definition that is no hot statement. */
export interface ColdStatement {
  readonly definition: string;
  /** Who runs it, and why its visits do not matter. */
  readonly reason: string;
}

/** One adversity: rows that a statement must pass by, in a number that is given. */
export interface World {
  readonly name: string;
  /** The table that is full. */
  readonly table: string;
  seed(store: Store, scale: number): Promise<void>;
}

export interface PluginStatements {
  /** The file that holds this, for findings about it. */
  readonly file: string;
  readonly migrations: readonly MigrationSet[];
  /** The rows that the hot statements find; there in every world, and few. */
  wanted(store: Store): Promise<void>;
  readonly worlds: readonly World[];
  readonly hot: readonly HotStatement[];
  readonly cold: readonly ColdStatement[];
}
