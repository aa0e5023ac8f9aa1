import type { KernelPlugin } from '@bellhop/kernel';
import type { Knex } from 'knex';
import type { SqlFamily } from './statement.js';

/** What a migration builds with. */
export interface MigrationContext {
  readonly family: SqlFamily;
  /** A fresh schema builder: one for each table or alteration. */
  readonly schema: () => Knex.SchemaBuilder;
  /** A knex instance for `raw` SQL; nothing is run through it. */
  readonly knex: Knex;
}

/**
 * One step of a plugin's schema. `up` returns what is to be run, in order: knex schema builders or SQL text, so that every store runs it
 * in one transaction with its record (remote libSQL included, as one batch).
 */
export interface Migration {
  /** 1, 2, 3 … without gaps. */
  readonly number: number;
  readonly name: string;
  /** `additive`: older code keeps working on the new schema, so deploys can roll forward and back. `breaking`: it does not, and refuses to start. */
  readonly kind: 'additive' | 'breaking';
  up(ctx: MigrationContext): readonly (Knex.SchemaBuilder | string)[];
}

export interface MigrationSet {
  /** The plugin that owns the tables. */
  readonly plugin: string;
  readonly migrations: readonly Migration[];
  /** Tables among them whose rows belong to an organization. */
  readonly tenantTables: readonly string[];
}

export interface MigrationReport {
  /** Migrations run now. */
  readonly applied: readonly { readonly plugin: string; readonly number: number; readonly name: string }[];
  /** Migrations that were there before. */
  readonly present: number;
}

/** A plugin that tells its schema, so that it can be migrated and checked without being started. */
export interface MigratingPlugin extends KernelPlugin {
  readonly migrations: readonly MigrationSet[];
}
