// A script with nothing to do but wait for a lock: the wait must not let the process end.
import { openStore } from './open-store.js';

const store = await openStore({ url: process.argv[2] as string });
console.log('open');
await store.knex.raw('CREATE TABLE written (id TEXT)');
console.log('written');
await store.close();
