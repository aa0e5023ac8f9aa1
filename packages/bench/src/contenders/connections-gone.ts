import { openStore } from '@bellhop/store';

const LOOK_EVERY_MS = 5;

/**
 * Resolves when the server has no connection of that application left. A product whose release does not wait for its pool leaves connections
 * without an error listener behind: a database dropped under them ends the process.
 */
export async function connectionsGone(url: string, applicationName: string): Promise<void> {
  const store = await openStore({ url, poolSize: 1 });
  try {
    for (;;) {
      const left = await store.knex('pg_stat_activity').where({ application_name: applicationName }).first('pid');
      if (!left) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  } finally {
    await store.close();
  }
}
