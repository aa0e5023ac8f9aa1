import { StoreError } from '@bellhop/kernel';
import { ManualClock } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { hashApiKey, makeApiKey } from './api-key.js';
import { KEY_CACHE_MS, KeyCheck } from './key-check.js';
import type { KeyGrant } from './key-store.js';

/** The rows of the key table, with a count of the reads. */
function keyRows() {
  const rows = new Map<string, KeyGrant>();
  const reads: string[] = [];
  return {
    rows,
    reads,
    add(organizationId: string | null): string {
      const key = makeApiKey(organizationId === null ? 'root' : 'organization');
      rows.set(hashApiKey(key), { keyId: `key_${rows.size}`, organizationId });
      return key;
    },
    async find(hash: string) {
      reads.push(hash);
      const grant = rows.get(hash);
      return grant ? { ...grant, hash } : null;
    },
  };
}

describe('KeyCheck', () => {
  it('reads a good key once per cache time, however many requests carry it', async () => {
    const [keys, clock] = [keyRows(), new ManualClock()];
    const key = keys.add('acme');
    const check = new KeyCheck({ keys, rootKey: undefined, clock });
    for (let request = 0; request < 100; request += 1) expect(await check.check(key)).toMatchObject({ organizationId: 'acme' });
    expect(keys.reads).toHaveLength(1);
    await clock.advance(KEY_CACHE_MS);
    await check.check(key);
    expect(keys.reads).toHaveLength(2);
  });

  it('lets requests that come at once share one read', async () => {
    const keys = keyRows();
    const key = keys.add(null);
    const check = new KeyCheck({ keys, rootKey: undefined, clock: new ManualClock() });
    await Promise.all(Array.from({ length: 50 }, () => check.check(key)));
    expect(keys.reads).toHaveLength(1);
  });

  it('refuses a revoked key within the cache time, and not before it looks again', async () => {
    const [keys, clock] = [keyRows(), new ManualClock()];
    const key = keys.add('acme');
    const check = new KeyCheck({ keys, rootKey: undefined, clock });
    await check.check(key);
    keys.rows.clear();
    await clock.advance(KEY_CACHE_MS - 1);
    // Control: the cache is what lets it pass until then.
    expect(await check.check(key)).not.toBeNull();
    await clock.advance(1);
    expect(await check.check(key)).toBeNull();
  });

  it('counts the cache time from before the read, so that a slow one does not lengthen it', async () => {
    const [keys, clock] = [keyRows(), new ManualClock()];
    const key = keys.add('acme');
    const slow = {
      find: async (hash: string) => {
        const found = await keys.find(hash);
        await clock.advance(KEY_CACHE_MS);
        return found;
      },
    };
    const check = new KeyCheck({ keys: slow, rootKey: undefined, clock });
    await check.check(key);
    keys.rows.clear();
    expect(await check.check(key)).toBeNull();
  });

  it('remembers no bad key: one works from the moment it is made', async () => {
    const keys = keyRows();
    const key = makeApiKey('root');
    const check = new KeyCheck({ keys, rootKey: undefined, clock: new ManualClock() });
    expect(await check.check(key)).toBeNull();
    keys.rows.set(hashApiKey(key), { keyId: 'late', organizationId: null });
    expect(await check.check(key)).toMatchObject({ keyId: 'late' });
  });

  it('takes the root key of the environment without any read, and reads nothing for what cannot be a made key', async () => {
    const keys = keyRows();
    const check = new KeyCheck({ keys, rootKey: 'from-the-environment', clock: new ManualClock() });
    expect(await check.check('from-the-environment')).toMatchObject({ organizationId: null });
    for (const bad of ['', 'from-the-environmen', 'from-the-environment ', 'bh_root_short', `bh_other_${'a'.repeat(43)}`]) {
      expect(await check.check(bad)).toBeNull();
    }
    expect(keys.reads).toEqual([]);
    // Control: what has the form of one is looked up.
    await check.check(makeApiKey('root'));
    expect(keys.reads).toHaveLength(1);
  });

  it('passes on that the database cannot be asked, and asks again the next time', async () => {
    const keys = keyRows();
    const key = keys.add('acme');
    let down = true;
    const failing = {
      find: async (hash: string) => {
        if (down) throw new StoreError('STORE_UNAVAILABLE', 'down');
        return keys.find(hash);
      },
    };
    const check = new KeyCheck({ keys: failing, rootKey: undefined, clock: new ManualClock() });
    await expect(check.check(key)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    down = false;
    expect(await check.check(key)).not.toBeNull();
  });
});
