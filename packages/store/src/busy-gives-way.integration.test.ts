import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LockedDatabase, lockedDatabase, turns } from './lock.fixture.js';

describe.each(['sqlite', 'libsql'] as const)('another process holds the write lock of %s', (name) => {
  let locked: LockedDatabase;
  beforeEach(async () => {
    locked = await lockedDatabase(name);
  });
  afterEach(() => locked.drop());

  it('[busy-gives-way] readers pass a transaction that waits for it', async () => {
    const waiting = locked.store.transaction((trx) => trx('note').insert({ id: 'a' }));
    waiting.catch(() => {});
    const reading = (async () => {
      for (let read = 0; read < 5; read += 1) expect(await locked.ids()).toEqual([]);
      expect(await locked.store.knex('note').select()).toEqual([]);
      return 'passed';
    })();
    const held = turns(1_000).then(() => 'waited');
    expect(await Promise.race([reading, held])).toBe('passed');
    await locked.holder.release();
    await waiting;
    expect(await locked.ids()).toEqual(['a']);
  });
});
