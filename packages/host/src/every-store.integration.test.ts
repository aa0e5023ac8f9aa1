/** What the host itself asks of a database, on every store. */
import { NOTIFICATION_OUTBOX, STORE } from '@bellhop/contracts';
import { messagingMigrations } from '@bellhop/service-messaging';
import { TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkChannels } from './cli/doctor/channel-check.js';
import { checkKeys, checkSchema, checkServer, checkWrite } from './cli/doctor/database-checks.js';
import { hostMigrations } from './keys/key-migrations.js';
import { KeyStore } from './keys/key-store.js';
import { runHost, until } from './running-host.fixture.js';

describe.each(TEST_STORE_NAMES)('a host on %s', (name) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await testDatabase(name);
  });
  afterEach(() => database.drop());

  it('takes a first key, a notification and its reading, tells metrics, and leaves no finding', async () => {
    const { host, call } = await runHost({ database: database.options, apiKey: undefined });
    const key = host.firstKey;
    const body = { topic: 'hello', audience: ['ada', 'bob'], payload: { title: 'Grüße 👋' }, dedupKey: 'one' };
    expect((await call('POST', '/v1/notifications', { key, organization: 'acme', body })).body).toMatchObject({ enqueued: 2 });
    expect((await call('POST', '/v1/notifications', { key, organization: 'acme', body })).body).toMatchObject({
      enqueued: 0,
      deduped: true,
    });
    const inbox = await until(
      () => call('GET', '/v1/inbox/ada', { key, organization: 'acme' }),
      (answer) => answer.body.unreadCount === 1,
      5_000,
    );
    expect(inbox.body.items).toMatchObject([{ title: 'Grüße 👋' }]);
    expect((await call('POST', '/v1/inbox/ada/read', { key, organization: 'acme', body: { all: true } })).body).toEqual({ marked: 1 });
    expect((await call('GET', '/v1/inbox/ada', { key })).body).toMatchObject({ items: [], unreadCount: 0 });
    const { dialect, audit } = host.kernel.resolve(STORE);
    const metrics = (await call('GET', '/metrics', { key })).body;
    expect(metrics).toMatch(/^bellhop_outbox_oldest_due_age_seconds\{channel="inbox",mounted="true"\} \d/m);
    expect(metrics).toContain(`bellhop_store_statements_total{label="host.key_find",dialect="${dialect}"}`);
    expect(audit.findings()).toEqual([]);
    await host.stop();
  });

  it('tells how long the oldest due delivery has waited', async () => {
    const { host, call } = await runHost({ database: database.options, messaging: { dispatch: false } });
    await call('POST', '/v1/notifications', { body: { topic: 't', audience: 'ada' } });
    const store = host.kernel.resolve(STORE);
    await store.knex('notification_delivery').update({ due_at: store.clock.now() - 90_000 });
    const age = /^bellhop_outbox_oldest_due_age_seconds\{channel="inbox",mounted="true"\} (\S+)$/m;
    expect(Number(age.exec((await call('GET', '/metrics')).body)?.[1])).toBeGreaterThanOrEqual(90);
    await host.stop();
  });

  it('tells of due deliveries on channels that it does not mount, singles and digests, and the doctor names them', async () => {
    const { host, call } = await runHost({ database: database.options });
    const store = host.kernel.resolve(STORE);
    const now = store.clock.now();
    const outbox = host.kernel.resolve(NOTIFICATION_OUTBOX);
    const rows = [
      { channel: 'pager', dueIn: -600_000 },
      { channel: 'pager', dueIn: -60_000 },
      { channel: 'digested', dueIn: -120_000, digestKey: 'daily' },
      { channel: 'later', dueIn: 600_000 },
    ];
    for (const [index, { dueIn, ...row }] of rows.entries()) {
      const notificationId = `n${index}`;
      await outbox.enqueue({ notificationId, organizationId: 'acme', recipientId: 'ada', topic: 't', payload: {}, ...row });
      await store
        .knex('notification_delivery')
        .where({ notification_id: notificationId })
        .update({ due_at: now + dueIn });
    }
    const age = async (channel: string, mounted: boolean) => {
      const line = new RegExp(`^bellhop_outbox_oldest_due_age_seconds\\{channel="${channel}",mounted="${mounted}"\\} (\\S+)$`, 'm');
      const found = line.exec((await call('GET', '/metrics')).body)?.[1];
      return found === undefined ? undefined : Math.floor(Number(found) / 60);
    };
    expect([await age('pager', false), await age('digested', false)]).toEqual([10, 2]);
    // Controls: nothing is due on these.
    expect([await age('later', false), await age('inbox', true), await age('log', true)]).toEqual([undefined, 0, 0]);
    expect(await checkChannels(store, {})).toMatchObject({
      state: 'warn',
      text: expect.stringMatching(
        /does not mount: digested \(the oldest for 12\d s\), pager \(the oldest for 6\d\d s\); nobody sends them/,
      ),
    });
    const channels = ['pager', 'digested'].map((id) => ({ id, send: async () => ({ ok: true }) }));
    expect(await checkChannels(store, { channels })).toMatchObject({ state: 'ok' });

    // One that was served meanwhile shows its age no longer.
    await store.knex('notification_delivery').where({ channel: 'pager' }).update({ status: 'success' });
    expect([await age('pager', false), await age('digested', false)]).toEqual([undefined, 2]);
    await host.stop();
  });

  it('lets the doctor tell that the key in the environment was revoked', async () => {
    const store = await database.open();
    await store.migrate(hostMigrations);
    const keys = new KeyStore(store);
    const { id, key } = await keys.create(null);
    expect(await checkKeys(store, key)).toMatchObject({ state: 'ok', text: '1 active, 1 of them root' });
    await keys.revoke(id);
    expect(await checkKeys(store, key)).toMatchObject({
      state: 'FAIL',
      text: expect.stringMatching(/^BELLHOP_API_KEY holds .* was revoked/),
    });
    // Control: one that only the environment holds.
    expect(await checkKeys(store, 'my-own')).toMatchObject({ state: 'ok', text: '0 active, 0 of them root, and BELLHOP_API_KEY' });
  });

  it('is looked at by the doctor before and after its schema is there, and left as it was', async () => {
    const store = await database.open();
    const sets = [hostMigrations, messagingMigrations];
    const url = database.options.url ?? '';
    const look = async () => [
      await checkServer(store, url),
      await checkSchema(store, sets),
      await checkKeys(store, undefined),
      await checkChannels(store, {}),
      await checkWrite(store),
    ];
    expect((await look()).map(({ check, state }) => `${check} ${state}`)).toEqual([
      'database ok',
      'schema ok',
      'keys ok',
      'channels ok',
      'write ok',
    ]);
    expect((await checkSchema(store, sets)).text).toMatch(/none yet/);

    await store.migrate(hostMigrations);
    expect(await checkSchema(store, sets)).toMatchObject({
      state: 'warn',
      text: expect.stringMatching(/to be run at the next start: service-messaging 1/),
    });
    await store.migrate(messagingMigrations);
    expect(await checkSchema(store, sets)).toMatchObject({ state: 'ok', text: expect.stringMatching(/migrations applied$/) });
    // The write test left nothing: it can be made again.
    expect((await look()).every(({ state }) => state === 'ok')).toBe(true);

    const newer = { number: 99, name: 'from the future', kind: 'breaking', up: () => [] } as const;
    await store
      .knex('bellhop_migration')
      .insert({ plugin: 'host', number: newer.number, name: newer.name, kind: 'additive', applied_at: 0 });
    expect(await checkSchema(store, sets)).toMatchObject({ state: 'ok', text: expect.stringMatching(/1 of them newer and harmless/) });
    await store.knex('bellhop_migration').where({ number: 99 }).update({ kind: 'breaking' });
    expect(await checkSchema(store, sets)).toMatchObject({ state: 'FAIL', text: expect.stringMatching(/newer breaking migration 99/) });
  });
});
