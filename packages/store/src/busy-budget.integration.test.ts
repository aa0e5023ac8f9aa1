import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LockedDatabase, lockedDatabase, turns, WRITES } from './lock.fixture.js';
import { openStore } from './open-store.js';

describe.each(['sqlite', 'libsql'] as const)('another process keeps the write lock of %s', (name) => {
  let locked: LockedDatabase;
  beforeEach(async () => {
    locked = await lockedDatabase(name);
  });
  afterEach(() => locked.drop());

  const shortOfPatience = (busyTimeoutMs: number) => openStore({ ...locked.database.options, busyTimeoutMs });

  it.each(WRITES)('[busy-budget] %s that outwaits its budget fails with STORE_BUSY, and nothing is half written', async (_title, write) => {
    const impatient = await shortOfPatience(30);
    const error = (await write(impatient).catch((reason) => reason)) as Error;
    expect(error).toMatchObject({ code: 'STORE_BUSY', message: expect.stringContaining('Nothing was written') });
    expect(error.cause).toBeInstanceOf(Error);
    expect(error.cause).not.toHaveProperty('code', 'STORE_BUSY');
    await locked.holder.release();
    expect(await locked.ids()).toEqual([]);
    // Nothing of it is left over either: the same call goes through.
    await write(impatient);
    await impatient.close();
  });

  it('[busy-budget] a callback whose transaction could not begin never runs (control: it runs when it can)', async () => {
    const impatient = await shortOfPatience(0);
    let ran = 0;
    const run = async () => {
      ran += 1;
    };
    await expect(impatient.transaction(run)).rejects.toMatchObject({ code: 'STORE_BUSY' });
    await expect(impatient.knex.transaction(run)).rejects.toMatchObject({ code: 'STORE_BUSY' });
    await expect(impatient.knex.transaction()).rejects.toMatchObject({ code: 'STORE_BUSY' });
    await turns(5);
    expect(ran).toBe(0);
    await locked.holder.release();
    await impatient.transaction(run);
    expect(ran).toBe(1);
    await impatient.close();
  });
});
