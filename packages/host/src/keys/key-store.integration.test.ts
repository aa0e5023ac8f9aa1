import type { Store } from '@bellhop/contracts';
import { TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey } from './api-key.js';
import { hostMigrations } from './key-migrations.js';
import { KeyStore } from './key-store.js';

describe.each(TEST_STORE_NAMES)('KeyStore on %s', (name) => {
  let database: TestDatabase;
  let store: Store;
  let keys: KeyStore;
  beforeEach(async () => {
    database = await testDatabase(name);
    store = await database.open();
    await store.migrate(hostMigrations);
    keys = new KeyStore(store);
  });
  afterEach(() => database.drop());

  it('stores the hash of a key and nothing that gives the key away', async () => {
    const { id, key } = await keys.create('acme', 'the shop');
    expect(key).toMatch(/^bh_org_[\w-]{43}$/);
    const [row] = await store.knex('api_key').select();
    expect(row).toMatchObject({ id, hash: hashApiKey(key), organization_id: 'acme', label: 'the shop', hint: `${key.slice(0, 11)}…` });
    expect(JSON.stringify(row)).not.toContain(key.slice(0, 20));
  });

  it('finds what a key allows by its hash, until it is revoked', async () => {
    const bound = await keys.create('acme');
    const root = await keys.create(null);
    expect(await keys.find(hashApiKey(bound.key))).toMatchObject({ keyId: bound.id, organizationId: 'acme' });
    expect(await keys.find(hashApiKey(root.key))).toMatchObject({ keyId: root.id, organizationId: null });
    expect(await keys.find(hashApiKey('bh_root_nobody'))).toBeNull();

    expect(await keys.revoke(bound.id)).toBe('revoked');
    expect(await keys.find(hashApiKey(bound.key))).toBeNull();
    // Control: the other key is untouched.
    expect(await keys.find(hashApiKey(root.key))).toMatchObject({ keyId: root.id });
    expect(await keys.revoke(bound.id)).toBe('revoked before');
    expect(await keys.revoke('key_nobody')).toBe('unknown');
  });

  it('makes a first root key once for a database, however many hosts start on it, and never again after it was revoked', async () => {
    const made = await Promise.all([keys.createFirst(), new KeyStore(store).createFirst(), keys.createFirst()]);
    const [first, ...others] = made.filter((key) => key !== null);
    expect(first?.key).toMatch(/^bh_root_[\w-]{43}$/);
    expect(others).toEqual([]);
    await keys.revoke(first?.id ?? '');
    expect(await keys.createFirst()).toBeNull();
  });

  it('makes no first key where a root key was made by hand; one bound to an organization does not count', async () => {
    await keys.create('acme');
    await keys.create(null);
    expect(await keys.createFirst()).toBeNull();
  });

  it('makes the first key beside keys that are bound to organizations (the control)', async () => {
    await keys.create('acme');
    expect(await keys.createFirst()).not.toBeNull();
  });

  it('lists keys oldest first, revoked ones too', async () => {
    const one = await keys.create('acme');
    const two = await keys.create(null, 'operations');
    await keys.revoke(one.id);
    const listed = await keys.list();
    expect(listed.map(({ keyId }) => keyId).toSorted()).toEqual([one.id, two.id].toSorted());
    expect(listed.find(({ keyId }) => keyId === one.id)?.revokedAt).toBeTypeOf('number');
    expect(listed.find(({ keyId }) => keyId === two.id)).toMatchObject({ revokedAt: null, label: 'operations', organizationId: null });
  });

  it('leaves no finding of the tenant audit', async () => {
    await keys.createFirst();
    const { id } = await keys.create('acme');
    await keys.revoke(id);
    expect(store.audit.findings()).toEqual([]);
  });

  it('refuses an organization or a label that no store can hold', async () => {
    await expect(keys.create('a\0b')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(keys.create('')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(keys.create('acme', 'x'.repeat(256))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await keys.list()).toEqual([]);
  });
});
