// A script with nothing to do but wait for a lock that it does not get: it must hear so, not end in mid-wait.
import { openStore } from './open-store.js';

// Whoever started it must not keep it alive.
process.disconnect?.();
const store = await openStore({ url: process.argv[2] as string, busyTimeoutMs: 300 });
const outcome = await store.knex.raw('CREATE TABLE written (id TEXT)').catch((error: { code: string }) => error.code);
console.log(outcome);
await store.close();
