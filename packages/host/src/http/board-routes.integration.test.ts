/** The board over HTTP, from the endpoint to the dead letter, on a real server, with every store. */
import { createHmac } from 'node:crypto';
import { STORE } from '@bellhop/contracts';
import { DOORBELL } from '@bellhop/switchboard';
import { emptyTables, ManualClock, TEST_STORE_NAMES, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Call, type RunningHost, runHost } from '../running-host.fixture.js';

const encryptionKey = Buffer.alloc(32, 7).toString('base64');
const TABLES = ['board_notify_hook', 'board_attempt', 'board_todo', 'board_event', 'board_webhook', 'board_endpoint'];
const acme = { organization: 'acme' };

describe.each(TEST_STORE_NAMES)('the board over HTTP on %s', (name) => {
  let database: TestDatabase;
  let running: RunningHost;
  let clock: ManualClock;
  beforeAll(async () => {
    database = await testDatabase(name);
    clock = new ManualClock();
    running = await runHost(
      { database: database.options, encryptionKey, outbound: { allowHttp: true, allowCidrs: ['127.0.0.1/32'] }, queue: { work: false } },
      { clock },
    );
  });
  afterAll(async () => {
    await running.host.stop();
    await database.drop();
  });
  afterEach(() => emptyTables(running.host.kernel.resolve(STORE), TABLES));

  const rows = async (table: string) => Number((await running.host.kernel.resolve(STORE).knex(table).count({ n: '*' }))[0]?.n);

  async function ask(method: string, path: string, call: Call = acme) {
    const { status, body } = await running.call(method, path, call);
    return [status, body?.error?.code ?? body] as const;
  }

  /** An endpoint, and how its consumer asks. */
  async function vend(slug = 'reviewer', given: object = {}) {
    const [status, made] = await ask('POST', '/v1/endpoints', { ...acme, body: { slug, queues: ['reviews', 'a:b/c'], ...given } });
    expect(status).toBe(201);
    const consumer = (method: string, path: string, body?: unknown) =>
      ask(method, path, { key: made.credential, ...(body === undefined ? {} : { body }) });
    return { ...made, consumer } as { endpoint: { id: string }; credential: string; consumer: typeof consumer };
  }

  it('vends, lists and revokes endpoints, each by its id or its slug; those of others are not found', async () => {
    const { endpoint, credential } = await vend('reviewer', { verbs: ['claim'], defaultLeaseMs: 60_000 });
    expect(endpoint).toMatchObject({ organizationId: 'acme', verbs: ['claim'], defaultLeaseMs: 60_000, state: 'active' });
    expect(credential).toMatch(/^sbk_/);
    expect(await ask('POST', '/v1/endpoints', { ...acme, body: { slug: 'reviewer', queues: ['x'] } })).toEqual([409, 'SLUG_TAKEN']);
    expect(await ask('POST', '/v1/endpoints', { ...acme, body: { slug: 'other', queues: ['quarantine'] } })).toEqual([
      400,
      'INVALID_INPUT',
    ]);
    expect(await ask('GET', '/v1/endpoints')).toEqual([200, { items: [endpoint] }]);
    expect(await ask('GET', '/v1/endpoints', { organization: 'umbrella' })).toEqual([200, { items: [] }]);
    for (const path of [`/v1/endpoints/${endpoint.id}`, '/v1/endpoints/reviewer']) {
      expect(await ask('GET', path)).toEqual([200, endpoint]);
      expect(await ask('GET', path, { organization: 'umbrella' })).toEqual([404, 'NOT_FOUND']);
      expect(await ask('POST', `${path}/revoke`, { organization: 'umbrella' })).toEqual([404, 'NOT_FOUND']);
    }
    expect(await ask('GET', '/v1/todos', { key: credential })).toEqual([403, 'FORBIDDEN']);
    expect(await ask('POST', '/v1/todos/claim-next', { key: credential, body: {} })).toEqual([200, { empty: true }]);
    expect((await ask('POST', '/v1/endpoints/reviewer/revoke'))[1]).toMatchObject({ state: 'revoked', revokedAt: expect.any(Number) });
    expect(await ask('POST', '/v1/todos/claim-next', { key: credential, body: {} })).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('pushes, claims, keeps and settles todos, and loses a lease that ran out', async () => {
    const { consumer } = await vend();
    const push = (body: object) => ask('POST', '/v1/endpoints/reviewer/todos', { ...acme, body });
    const todo = { queue: 'reviews', title: 'Look', payload: { pr: 7 }, kind: 'pr', idempotencyKey: 'k', maxAttempts: 3 };
    const [status, { id, deduped }] = await push(todo);
    expect([status, deduped]).toEqual([202, false]);
    expect(await push(todo)).toEqual([202, { id, deduped: true }]);
    expect(await push({ ...todo, queue: 'elsewhere' })).toEqual([400, 'INVALID_INPUT']);

    const [, { empty, todo: claimed }] = await consumer('POST', '/v1/todos/claim-next', {
      requireFence: true,
      claimant: 'w1',
      leaseMs: 60_000,
    });
    expect([empty, claimed.id, claimed.payload, claimed.state]).toEqual([false, id, { pr: 7 }, 'claimed']);
    const { leaseToken } = claimed;
    expect(await consumer('POST', '/v1/todos/claim-next', {})).toEqual([200, { empty: true }]);
    expect(await consumer('POST', `/v1/todos/${id}/claim`, {})).toEqual([409, 'TODO_CONFLICT']);
    expect(await consumer('POST', `/v1/todos/${id}/heartbeat`, {})).toEqual([409, 'TODO_CONFLICT']);
    expect((await consumer('POST', `/v1/todos/${id}/heartbeat`, { leaseToken, leaseMs: 90_000 }))[1]).toMatchObject({
      leaseUntil: clock.now() + 90_000,
    });
    expect((await consumer('POST', `/v1/todos/${id}/release`, { leaseToken, summary: 'not me' }))[1]).toMatchObject({ state: 'pending' });
    expect((await consumer('POST', `/v1/todos/${id}/claim`, { leaseMs: 1_000 }))[0]).toBe(200);
    clock.jumpWall(1_001);
    expect(await consumer('POST', `/v1/todos/${id}/complete`, {})).toEqual([409, 'TODO_CONFLICT']);
    const [, again] = await consumer('POST', `/v1/todos/${id}/claim`, {});
    expect(again).toMatchObject({
      attemptSeq: 3,
      leaseToken: null,
      earlierAttempts: [{ outcome: 'lease_expired' }, { outcome: 'released' }],
    });
    expect((await consumer('POST', `/v1/todos/${id}/fail`, { result: { why: 1 }, summary: 'no' }))[1]).toMatchObject({
      state: 'failed',
      nextRetryAt: null,
    });
    expect((await consumer('POST', `/v1/todos/${id}/retry`))[1]).toMatchObject({ state: 'pending', attempt: 0 });
    await consumer('POST', `/v1/todos/${id}/claim`, {});
    expect((await consumer('POST', `/v1/todos/${id}/complete`, { result: 'done' }))[1]).toMatchObject({ state: 'done', result: 'done' });
    expect(await ask('POST', `/v1/board/todos/${id}/retry`)).toEqual([409, 'TODO_CONFLICT']);
    expect((await ask('GET', `/v1/board/todos/${id}`))[1]).toMatchObject({
      state: 'done',
      attempts: [{ seq: 4 }, { seq: 3 }, { seq: 2 }, { seq: 1 }],
    });
  });

  it('lists todos by page, queue and state, and finds none of another endpoint or organization', async () => {
    const [{ consumer, endpoint }, other] = [await vend(), await vend('other')];
    const pushed: string[] = [];
    for (const queue of ['reviews', 'a:b/c', 'reviews']) pushed.push((await consumer('POST', '/v1/todos', { queue, title: 't' }))[1].id);
    const ids = async (answer: Promise<readonly [number, { items: { id: string }[] }]>) => (await answer)[1].items.map(({ id }) => id);
    expect((await ids(consumer('GET', '/v1/todos'))).sort()).toEqual([...pushed].sort());
    expect(await ids(consumer('GET', `/v1/todos?queue=${encodeURIComponent('a:b/c')}&state=pending`))).toEqual([pushed[1]]);
    const [, page] = await consumer('GET', '/v1/todos?limit=2');
    expect([page.items.length, typeof page.nextCursor]).toEqual([2, 'string']);
    expect(await ids(consumer('GET', `/v1/todos?limit=2&cursor=${encodeURIComponent(page.nextCursor)}`))).toHaveLength(1);
    expect(await consumer('GET', '/v1/todos?cursor=nonsense')).toEqual([400, 'INVALID_INPUT']);
    expect(await ids(ask('GET', '/v1/endpoints/reviewer/todos'))).toHaveLength(3);
    expect(await ids(ask('GET', '/v1/endpoints/other/todos'))).toEqual([]);
    expect(await ids(ask('GET', `/v1/board/todos?endpointId=${endpoint.id}&queue=reviews`))).toHaveLength(2);
    expect(await ids(ask('GET', '/v1/board/todos', { organization: 'umbrella' }))).toEqual([]);

    const [id] = pushed;
    expect((await consumer('GET', `/v1/todos/${id}`))[1]).toMatchObject({ id, gate: false, attempts: [] });
    for (const [method, tail, body] of [
      ['GET', ''],
      ['POST', '/claim', {}],
      ['POST', '/heartbeat', {}],
      ['POST', '/complete', {}],
      ['POST', '/fail', {}],
      ['POST', '/release', {}],
      ['POST', '/retry'],
    ] as const) {
      expect([tail, await other.consumer(method, `/v1/todos/${id}${tail}`, body)]).toEqual([tail, [404, 'NOT_FOUND']]);
    }
    for (const [method, tail] of [
      ['GET', ''],
      ['POST', '/retry'],
      ['POST', '/release-quarantined'],
      ['POST', '/discard-quarantined'],
    ] as const) {
      expect(await ask(method, `/v1/board/todos/${id}${tail}`, { organization: 'umbrella' })).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('lists todos without what is long, and says so; one by its id is whole', async () => {
    const { consumer, endpoint } = await vend();
    const [short, long] = ['é'.repeat(2_047), 'é'.repeat(2_048)];
    const push = async (payload: string) =>
      (await ask('POST', '/v1/endpoints/reviewer/todos', { ...acme, body: { queue: 'reviews', title: 't', payload } }))[1].id as string;
    const [fits, over] = [await push(short), await push(long)];
    await consumer('POST', `/v1/todos/${over}/claim`, {});
    await consumer('POST', `/v1/todos/${over}/complete`, { result: long });
    for (const list of [
      () => consumer('GET', '/v1/todos'),
      () => ask('GET', '/v1/board/todos'),
      () => ask('GET', `/v1/endpoints/${endpoint.id}/todos`),
    ]) {
      const [status, { items }] = await list();
      expect([status, items.length]).toEqual([200, 2]);
      const listed = (id: string) => items.find((todo: { id: string }) => todo.id === id);
      expect(listed(fits)).toMatchObject({ payload: short, payloadOmitted: false, result: null, resultOmitted: false });
      expect(listed(over)).toMatchObject({ payload: null, payloadOmitted: true, result: null, resultOmitted: true });
    }
    for (const [, todo] of [await consumer('GET', `/v1/todos/${over}`), await ask('GET', `/v1/board/todos/${over}`)]) {
      expect(todo).toMatchObject({ payload: long, result: long });
      expect(todo).not.toHaveProperty('payloadOmitted');
    }
  });

  it('makes todos of signed events, once a delivery, and stores nothing of a forged or too large one', async () => {
    await vend();
    const [made, { webhook, token, path, secret }] = await ask('POST', '/v1/endpoints/reviewer/webhooks', {
      ...acme,
      body: { source: 'github', trustedSenders: ['octo'] },
    });
    expect([made, path, webhook.trustedSenders]).toEqual([201, `/webhooks/w/${token}`, ['octo']]);
    const send = (delivery: string, sender: string, key = secret, size = 0) => {
      const raw = JSON.stringify({ action: 'opened', sender: { login: sender }, fill: 'x'.repeat(size) });
      const signature = createHmac('sha256', key).update(raw).digest('hex');
      const headers = { 'X-GitHub-Event': 'pull_request', 'X-GitHub-Delivery': delivery, 'X-Hub-Signature-256': `sha256=${signature}` };
      return ask('POST', path, { key: null, raw, headers });
    };
    expect(await send('d1', 'octo', 'forged')).toEqual([401, 'UNAUTHENTICATED']);
    expect(await send('d1', 'octo', secret, 6 * 1024 * 1024)).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await ask('POST', `${path}x`, { key: null, raw: '{}' })).toEqual([404, 'NOT_FOUND']);
    expect([await rows('board_event'), await rows('board_todo')]).toEqual([0, 0]);

    const [status, first] = await send('d1', 'octo');
    expect([status, first.created, first.verified]).toEqual([202, 2, true]);
    expect(await send('d1', 'octo')).toEqual([200, { ...first, created: 0 }]);
    expect([await rows('board_event'), await rows('board_todo')]).toEqual([1, 2]);

    // Of a sender nobody trusts: seen by operators only, who let one out and discard another.
    const [
      ,
      {
        todoIds: [held],
      },
    ] = await send('d2', 'mallory');
    const [
      ,
      {
        todoIds: [bad],
      },
    ] = await send('d3', 'mallory');
    expect((await ask('GET', '/v1/board/todos?queue=quarantine'))[1].items).toHaveLength(4);
    expect((await ask('POST', `/v1/board/todos/${held}/release-quarantined`))[1]).toMatchObject({ state: 'pending' });
    expect((await ask('POST', `/v1/board/todos/${bad}/discard-quarantined`))[1]).toMatchObject({ state: 'done' });
    expect(await ask('POST', `/v1/board/todos/${bad}/release-quarantined`)).toEqual([409, 'TODO_CONFLICT']);

    expect((await ask('GET', '/v1/endpoints/reviewer/webhooks'))[1].items).toEqual([webhook]);
    expect(await ask('DELETE', `/v1/endpoints/reviewer/webhooks/${webhook.id}`, { organization: 'umbrella' })).toEqual([404, 'NOT_FOUND']);
    expect(await ask('DELETE', `/v1/endpoints/reviewer/webhooks/${webhook.id}`)).toEqual([200, { removed: 1 }]);
    expect(await send('d4', 'octo')).toEqual([404, 'NOT_FOUND']);
  });

  it('keeps notify hooks, of the operator and of a consumer that is granted them', async () => {
    const { consumer } = await vend('reviewer', { verbs: ['notify_hooks'] });
    const url = 'http://127.0.0.1:9/wake?secret=1';
    const [status, { hook, signingSecret }] = await consumer('POST', '/v1/notify-hooks', { url, queues: ['reviews'] });
    expect([status, hook.url, hook.queues, hook.enabled]).toEqual([201, 'http://127.0.0.1:9/wake', ['reviews'], true]);
    expect(signingSecret).toMatch(/^whsec_/);
    expect(await consumer('POST', '/v1/notify-hooks', { url: 'http://169.254.169.254/' })).toEqual([400, 'INVALID_INPUT']);
    expect(await consumer('GET', '/v1/notify-hooks')).toEqual([200, { items: [hook], max: 5 }]);
    const [, rotated] = await consumer('POST', `/v1/notify-hooks/${hook.id}/rotate`);
    expect(rotated.signingSecret).not.toBe(signingSecret);

    const at = '/v1/endpoints/reviewer/notify-hooks';
    expect((await ask('GET', at))[1].items).toEqual([rotated.hook]);
    expect((await ask('POST', `${at}/${hook.id}/disable`))[1]).toMatchObject({ enabled: false, disabledReason: 'operator' });
    expect((await ask('POST', `${at}/${hook.id}/enable`))[1]).toMatchObject({ enabled: true, disabledReason: null });
    expect((await ask('POST', `${at}/${hook.id}/rotate`))[0]).toBe(200);
    for (const path of [at, `${at}/${hook.id}/enable`]) {
      expect((await ask(path === at ? 'GET' : 'POST', path, { organization: 'umbrella' }))[1]).toBe('NOT_FOUND');
    }
    for (let more = 1; more < 5; more += 1) expect((await ask('POST', at, { ...acme, body: { url } }))[0]).toBe(201);
    expect(await ask('POST', at, { ...acme, body: { url } })).toEqual([409, 'HOOK_CEILING']);
    expect(await ask('DELETE', `${at}/${hook.id}`)).toEqual([200, { removed: 1 }]);
    expect(await consumer('DELETE', `/v1/notify-hooks/${hook.id}`)).toEqual([404, 'NOT_FOUND']);
    const { consumer: without } = await vend('plain');
    expect(await without('GET', '/v1/notify-hooks')).toEqual([403, 'FORBIDDEN']);
  });

  it('says why a queue is quiet, whatever its name holds', async () => {
    const { endpoint } = await vend();
    const queue = 'a:b/c';
    const explain = (call?: Call) => ask('GET', `/v1/endpoints/reviewer/stall?queue=${encodeURIComponent(queue)}`, call);
    expect((await explain())[1]).toMatchObject({ endpointId: endpoint.id, queue, state: 'drained', nextWakeAt: null });
    await ask('POST', '/v1/endpoints/reviewer/todos', { ...acme, body: { queue, title: 't' } });
    expect((await explain())[1]).toMatchObject({ state: 'no_hook', reason: expect.any(String), change: expect.any(String) });
    expect(await explain({ organization: 'umbrella' })).toEqual([404, 'NOT_FOUND']);
  });

  it('rings an attached consumer, and ends its stream with its credential', async () => {
    const { credential } = await vend();
    const stream = await fetch(`${running.host.url}/v1/doorbell`, { headers: { Authorization: `Bearer ${credential}` } });
    expect(stream.status).toBe(200);
    await running.host.kernel.resolve(DOORBELL).settled();
    const [, { id }] = await ask('POST', '/v1/endpoints/reviewer/todos', { ...acme, body: { queue: 'a:b/c', title: 't' } });
    await ask('POST', '/v1/endpoints/reviewer/revoke');
    // It ends: the text would else never be whole.
    expect(await stream.text()).toBe(
      `: attached\n\nevent: todo.ready\ndata: ${JSON.stringify({ todoId: id, queue: 'a:b/c', reason: 'created' })}\n\n`,
    );
  });
});

it('[503] keeps no secret without an encryption key, and says so in words of its own', async () => {
  const { host, call } = await runHost();
  await call('POST', '/v1/endpoints', { body: { slug: 'reviewer', queues: ['reviews'] } });
  const made = await call('POST', '/v1/endpoints/reviewer/webhooks', { body: { source: 'github' } });
  expect([made.status, made.body.error.code]).toEqual([503, 'ENCRYPTION_KEY']);
  // Control: what has no secret needs no key.
  expect((await call('POST', '/v1/endpoints/reviewer/webhooks', { body: { source: 'generic' } })).status).toBe(201);
  await host.stop();
});

it('ends the streams of the doorbell when the host stops', async () => {
  // By a clock that stands still: the time that requests have at a stop never ends.
  const { host, call } = await runHost({}, { clock: new ManualClock() });
  const { credential } = (await call('POST', '/v1/endpoints', { body: { slug: 'reviewer', queues: ['reviews'] } })).body;
  const stream = await fetch(`${host.url}/v1/doorbell`, { headers: { Authorization: `Bearer ${credential}` } });
  const [text] = await Promise.all([stream.text(), host.stop()]);
  expect(text).toBe(': attached\n\n');
});
