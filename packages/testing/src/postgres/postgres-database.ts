/** A database of its own on a throw-away server, and the ways to break its connections. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface PostgresDatabase {
  /** `postgres://…`: with user, password and database name. */
  readonly url: string;
  readonly name: string;
  /** Ends every connection to this database, as an administrator would; new ones are welcome. @returns connections ended. */
  kill(): Promise<number>;
  /** Ends its connections and drops it. Safe to call twice. */
  drop(): Promise<void>;
}

/** Creates an empty database on the server that `adminUrl` leads to. */
export async function createPostgresDatabase(adminUrl: string): Promise<PostgresDatabase> {
  const name = `t_${randomBytes(8).toString('hex')}`;
  // template0 never has connections, so calls at the same time do not disturb each other. Through the log (the default strategy) it takes
  // 150 ms, by copying files 350, because that makes two checkpoints.
  await asAdmin(adminUrl, (admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE template0`));
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    name,
    kill: () =>
      asAdmin(adminUrl, async (admin) => {
        const ended = await admin.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1', [name]);
        return ended.rowCount ?? 0;
      }),
    drop: () => asAdmin(adminUrl, (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)).then(() => undefined),
  };
}

async function asAdmin<T>(adminUrl: string, fn: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: adminUrl, application_name: 'bellhop-testing' });
  await admin.connect();
  try {
    return await fn(admin);
  } finally {
    await admin.end();
  }
}
