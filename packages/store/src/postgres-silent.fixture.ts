// Opens a store, closes it on command, and must then end by itself.
import { openStore } from './open-store.js';

const store = await openStore({ url: process.argv[2] as string });
await store.knex.raw('SELECT 1');
console.log('open');
process.once('message', async () => {
  await store.close();
  console.log('closed');
  process.disconnect?.();
});
