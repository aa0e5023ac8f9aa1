import { expect, it } from 'vitest';
import { lockedDatabase } from './lock.fixture.js';
import { openStore } from './open-store.js';

it('[busy-replaced] a libSQL connection that was refused a lock is not used again: a COMMIT on it would fail', async () => {
  const locked = await lockedDatabase('libsql');
  const impatient = await openStore({ ...locked.database.options, busyTimeoutMs: 0 });
  // A setting of the connection, which another one does not have.
  const cacheSize = async () => (await impatient.knex.raw('PRAGMA cache_size'))[0].cache_size;
  await impatient.knex.raw('PRAGMA cache_size = 77');
  expect(await cacheSize()).toBe(77);
  await expect(impatient.knex('note').insert({ id: 'a' })).rejects.toMatchObject({ code: 'STORE_BUSY' });
  expect(await cacheSize()).not.toBe(77);
  await impatient.close();
  await locked.drop();
});
