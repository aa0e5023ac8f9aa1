import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LockedDatabase, lockedDatabase, note, turns, WRITES } from './lock.fixture.js';

describe.each(['sqlite', 'libsql'] as const)('another process holds the write lock of %s', (name) => {
  let locked: LockedDatabase;
  beforeEach(async () => {
    locked = await lockedDatabase(name);
  });
  afterEach(() => locked.drop());

  it.each(WRITES)('[busy-retry] %s waits, off the event loop, and is done once the lock is free', async (_title, write, expected) => {
    let done = false;
    const written = write(locked.store).then(() => {
      done = true;
    });
    // Awaited below; until then a rejection must not pass for one that nobody handles.
    written.catch(() => {});
    await turns(50);
    expect(done).toBe(false);
    expect(await locked.ids()).toEqual([]);
    await locked.holder.release();
    await written;
    expect(await locked.ids()).toEqual(expected);
  });

  it('[busy-retry] a holder that dies frees the lock', async () => {
    let done = false;
    const written = locked.store.batch([note('a')]).then(() => {
      done = true;
    });
    written.catch(() => {});
    // The batch has met the lock by then.
    await turns(50);
    expect(done).toBe(false);
    await locked.holder.kill();
    await written;
    expect(await locked.ids()).toEqual(['a']);
  });
});
