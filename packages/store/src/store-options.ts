import type { TenantPosture } from '@bellhop/contracts';
import type { Knex } from 'knex';
import { z } from 'zod';

const isKnex = (value: unknown): value is Knex => typeof value === 'function' && typeof (value as Knex).transaction === 'function';

/** Options of {@link openStore} and `storePlugin`. Give either `url` or `knex`. */
export interface StoreOptions {
  /** `file:…`, `memory:`, `libsql:file:…`, `libsql://…`, `http(s)://…`, `postgres://…`. */
  readonly url?: string | undefined;
  /** A knex instance the application has: client `pg` or `better-sqlite3`. It stays the application's to close. */
  readonly knex?: Knex | undefined;
  /** Token of a remote libSQL database. */
  readonly authToken?: string | undefined;
  /** Default `single`. */
  readonly posture?: TenantPosture | undefined;
  /** Connections at most, Postgres only. 1 to 100, default 10. */
  readonly poolSize?: number | undefined;
  /** Milliseconds a statement may take on a server. 100 to 600 000, default 30 000. */
  readonly statementTimeoutMs?: number | undefined;
  /** Milliseconds a statement waits for another process's lock on a SQLite file. 0 to 600 000, default 10 000. */
  readonly busyTimeoutMs?: number | undefined;
  /** SQLite files. `normal` (default) survives a killed process; `full` survives a power cut as well, at one fsync a commit. */
  readonly synchronous?: 'normal' | 'full' | undefined;
  /** Name prepared statements on Postgres. Default true; false behind a pooler that mixes sessions and knows no prepared statements. */
  readonly preparedStatements?: boolean | undefined;
}

export const storeOptionsSchema = z
  .strictObject({
    url: z.string().min(1).optional(),
    knex: z.custom<Knex>(isKnex, 'expected a knex instance').optional(),
    authToken: z.string().min(1).optional(),
    posture: z.enum(['single', 'group', 'isolated']).default('single'),
    poolSize: z.number().int().min(1).max(100).default(10),
    statementTimeoutMs: z.number().int().min(100).max(600_000).default(30_000),
    busyTimeoutMs: z.number().int().min(0).max(600_000).default(10_000),
    synchronous: z.enum(['normal', 'full']).default('normal'),
    preparedStatements: z.boolean().default(true),
  })
  .refine(({ url, knex }) => (url === undefined) !== (knex === undefined), {
    path: ['url'],
    message: 'expected either `url` or `knex`, not both and not neither',
  });

export type CheckedStoreOptions = z.output<typeof storeOptionsSchema>;
