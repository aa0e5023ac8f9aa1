// What the two databases have in common: a world of rows, in which one statement after the other is run and taken back.
import type { SqlParams, Statement, Store } from '../../../packages/contracts/src/index.js';
import type { PluginStatements, World } from './hot-statement.js';

/** What one run of a statement cost. */
export interface Figure {
  /** Rows it returned, or wrote. */
  readonly returned: number;
  /** Postgres: rows. SQLite: steps of its virtual machine. */
  readonly visited: number;
  /** Postgres: pages that its scans read. */
  readonly pages?: number;
  /** A line a step, for a reader. */
  readonly plan: readonly string[];
}

/** A database in one world, as it is until the next is opened. */
export interface WorldBench {
  /** Runs a statement under one of the modes, and leaves the rows as they were. Modes are entered in their order. */
  measure(statement: Statement, params: SqlParams, mode: string): Promise<Figure>;
  close(): Promise<void>;
}

export interface DatabaseUnderTest {
  readonly family: 'postgres' | 'sqlite';
  /** The ways in which the planner may be asked. */
  readonly modes: readonly string[];
  open(world: World, scale: number): Promise<WorldBench>;
  close(): Promise<void>;
}

/** Fills an empty schema: first what the statements find, then what they must pass by. */
export async function seedWorld(store: Store, plugins: readonly PluginStatements[], world: World, scale: number): Promise<void> {
  for (const plugin of plugins) await plugin.wanted(store);
  await world.seed(store, scale);
}
