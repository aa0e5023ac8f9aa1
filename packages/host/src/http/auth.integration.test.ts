import { STORE } from '@bellhop/contracts';
import { ManualClock, testDatabase } from '@bellhop/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { makeApiKey } from '../keys/api-key.js';
import { KEY_CACHE_MS } from '../keys/key-check.js';
import { hostMigrations } from '../keys/key-migrations.js';
import { KeyStore } from '../keys/key-store.js';
import { ROOT_KEY, type RunningHost, runHost } from '../running-host.fixture.js';

const running: RunningHost[] = [];
afterEach(async () => {
  for (const { host } of running.splice(0)) await host.stop();
});

async function start(...args: Parameters<typeof runHost>): Promise<RunningHost & { keys: KeyStore }> {
  const started = await runHost(...args);
  running.push(started);
  return { ...started, keys: new KeyStore(started.host.kernel.resolve(STORE)) };
}

const emit = { topic: 'hello', audience: 'ada', payload: { title: 'Hello' } };

describe('keys', () => {
  it('[401] refuses every door but the open ones without a good key', async () => {
    const { call } = await start();
    const good = 'Bearer root-key-of-the-test';
    for (const path of ['/v1/deliveries', '/v1/inbox/ada', '/v1/notifications/x', '/metrics', '/v1/no-such-route']) {
      for (const Authorization of [
        undefined,
        '',
        'Bearer',
        'Bearer wrong',
        `Basic ${ROOT_KEY}`,
        ROOT_KEY,
        `${good} x`,
        `Bearer bh_root_${'a'.repeat(43)}`,
      ]) {
        const answer = await call('GET', path, { key: null, ...(Authorization === undefined ? {} : { headers: { Authorization } }) });
        expect([path, Authorization, answer.status, answer.body.error.code]).toEqual([path, Authorization, 401, 'UNAUTHENTICATED']);
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
      }
    }
    expect((await call('POST', '/v1/notifications', { key: null, body: emit })).status).toBe(401);
    // Control: with the key they answer, and the open doors need none.
    for (const path of ['/v1/deliveries', '/v1/inbox/ada', '/metrics']) expect((await call('GET', path)).status).toBe(200);
    for (const path of ['/healthz', '/openapi.json']) expect((await call('GET', path, { key: null })).status).toBe(200);
    expect((await call('GET', '/v1/deliveries', { key: null, headers: { Authorization: `bearer ${ROOT_KEY}` } })).status).toBe(200);
  });

  it('[403] binds a key to its organization: no other one, no metrics', async () => {
    const { call, keys } = await start();
    const { key } = await keys.create('acme');
    expect((await call('GET', '/v1/deliveries', { key, organization: 'umbrella' })).body.error.code).toBe('FORBIDDEN');
    expect((await call('POST', '/v1/notifications', { key, organization: 'default', body: emit })).status).toBe(403);
    expect((await call('GET', '/metrics', { key })).status).toBe(403);
    // Controls: its own organization, named or not; and a root key reaches both.
    expect((await call('GET', '/v1/deliveries', { key })).status).toBe(200);
    expect((await call('GET', '/v1/deliveries', { key, organization: 'acme' })).status).toBe(200);
    const { key: root } = await keys.create(null);
    expect((await call('GET', '/v1/deliveries', { key: root, organization: 'umbrella' })).status).toBe(200);
    expect((await call('GET', '/metrics', { key: root })).status).toBe(200);
  });

  it('[404] shows one organization nothing of another: a foreign id is not found, lists and inboxes are apart', async () => {
    const { call, keys } = await start();
    const [acme, umbrella] = [(await keys.create('acme')).key, (await keys.create('umbrella')).key];
    const { notificationId } = (await call('POST', '/v1/notifications', { key: acme, body: emit })).body;
    expect((await call('GET', `/v1/notifications/${notificationId}`, { key: umbrella })).status).toBe(404);
    expect((await call('GET', `/v1/notifications/${notificationId}`)).status).toBe(404);
    expect((await call('GET', '/v1/deliveries', { key: umbrella })).body.items).toEqual([]);
    // Controls.
    expect((await call('GET', `/v1/notifications/${notificationId}`, { key: acme })).body).toMatchObject({
      organizationId: 'acme',
      topic: 'hello',
    });
    expect((await call('GET', `/v1/notifications/${notificationId}`, { organization: 'acme' })).status).toBe(200);
    expect((await call('GET', '/v1/deliveries', { key: acme })).body.items).toHaveLength(1);
  });

  it('lets a root key act for `default` unless the header names another', async () => {
    const { call } = await start();
    const plain = (await call('POST', '/v1/notifications', { body: emit })).body.notificationId;
    const named = (await call('POST', '/v1/notifications', { body: emit, organization: 'acme' })).body.notificationId;
    expect((await call('GET', `/v1/notifications/${plain}`)).body.organizationId).toBe('default');
    expect((await call('GET', `/v1/notifications/${named}`, { organization: 'acme' })).body.organizationId).toBe('acme');
  });

  it.each([['a,b'], ['x'.repeat(256)], ['caf\u00e9'], ['a\tb'], ['']])('[400] refuses the organization header %j', async (organization) => {
    const { call } = await start();
    const answer = await call('GET', '/v1/deliveries', { organization });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_INPUT']);
    // Control: the longest that is allowed.
    expect((await call('GET', '/v1/deliveries', { organization: 'x'.repeat(255) })).status).toBe(200);
  });

  it('refuses a revoked key within five seconds, and asks the database once in that time', async () => {
    const clock = new ManualClock();
    const { call, keys, host } = await start({ messaging: { dispatch: false } }, { clock });
    const { id, key } = await keys.create('acme');
    const { meter } = host.kernel.resolve(STORE);
    meter.reset();
    for (let request = 0; request < 20; request += 1) expect((await call('GET', '/v1/deliveries', { key })).status).toBe(200);
    expect(meter.snapshot().byLabel['host.key_find']?.statements).toBe(1);
    await keys.revoke(id);
    await clock.advance(KEY_CACHE_MS);
    expect((await call('GET', '/v1/deliveries', { key })).status).toBe(401);
  });

  it('makes a root key on the first start without one, and keeps only its hash', async () => {
    const { host, call } = await start({ apiKey: undefined });
    const key = host.firstKey ?? '';
    expect(key).toMatch(/^bh_root_/);
    expect((await call('GET', '/metrics', { key })).status).toBe(200);
    const rows = await host.kernel.resolve(STORE).knex('api_key').select();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(key);
  });

  it('takes a stored key in the environment for that key: revoked it ends within five seconds, and bound it stays bound', async () => {
    const database = await testDatabase('sqlite');
    const store = await database.open();
    await store.migrate(hostMigrations);
    const keys = new KeyStore(store);
    const [root, bound] = [await keys.create(null), await keys.create('acme')];
    const clock = new ManualClock();
    const options = { database: database.options, messaging: { dispatch: false } };
    const one = await start({ ...options, apiKey: root.key }, { clock });
    expect((await one.call('GET', '/metrics', { key: root.key })).status).toBe(200);
    await keys.revoke(root.id);
    await clock.advance(KEY_CACHE_MS);
    expect((await one.call('GET', '/metrics', { key: root.key })).status).toBe(401);

    const other = await start({ ...options, apiKey: bound.key });
    expect((await other.call('GET', '/v1/deliveries', { key: bound.key })).status).toBe(200);
    expect((await other.call('GET', '/metrics', { key: bound.key })).status).toBe(403);
    await expect(runHost({ ...options, apiKey: root.key })).rejects.toMatchObject({ code: 'CONFIG' });
    // Control: a key of no row is a root key.
    const free = makeApiKey('root');
    const third = await start({ ...options, apiKey: free });
    expect((await third.call('GET', '/metrics', { key: free })).status).toBe(200);
    for (const { host } of running.splice(0)) await host.stop();
    await database.drop();
  });

  it('makes none when there is a root key in the environment', async () => {
    const { host } = await start();
    expect(host.firstKey).toBeNull();
    expect(await host.kernel.resolve(STORE).knex('api_key').select()).toEqual([]);
  });
});
