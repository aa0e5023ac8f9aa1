import { createHmac, randomBytes } from 'node:crypto';
import type { BoardEndpoint, InboundRequest, InboundWebhookInput, IngestResult, ReadyTodo } from '@bellhop/contracts';
import { type LogFields, type Logger, silentLogger } from '@bellhop/kernel';
import { SecretSealer } from '@bellhop/outbound';
import { TEST_STORE_NAMES } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { BoardAnnouncements } from '../board-announcements.js';
import { ReadyEdges } from '../ready-edges.js';
import { type BoardDatabase, boardDatabase, type EndpointSeed, seedEndpoint } from '../stores/board-stores.fixture.js';
import { EndpointStore } from '../stores/endpoint-store.js';
import { WebhookStore } from '../stores/webhook-store.js';
import { AddressLimit } from './address-limit.js';
import { Ingest } from './ingest.js';
import { WebhooksOfEndpoint } from './webhooks-of-endpoint.js';

const sealer = SecretSealer.fromKey(randomBytes(32).toString('base64'));

/** What GitHub would send. */
function github(secret: string, { id = 'd-1', sender = 'octo', note = '' } = {}): Pick<InboundRequest, 'headers' | 'body'> {
  const body = Buffer.from(JSON.stringify({ action: 'opened', sender: { login: sender }, note }));
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return {
    headers: { 'x-github-delivery': id, 'x-github-event': 'issues', 'x-hub-signature-256': `sha256=${signature}` },
    body,
  };
}

/** What Slack would send, at the time that the board's clock has. */
function slack(secret: string, nowMs: number, sent: object): Pick<InboundRequest, 'headers' | 'body'> {
  const body = Buffer.from(JSON.stringify(sent));
  const time = String(Math.floor(nowMs / 1_000));
  const signature = createHmac('sha256', secret).update(`v0:${time}:`).update(body).digest('hex');
  return { headers: { 'x-slack-request-timestamp': time, 'x-slack-signature': `v0=${signature}` }, body };
}

describe.each(TEST_STORE_NAMES)('ingest on %s', (name) => {
  let board: BoardDatabase;
  let endpoints: EndpointStore;
  let webhooks: WebhookStore;
  let owner: BoardEndpoint;
  let node: Node;
  /** Whether the ready hook looks what is stored: where statements are counted, it must not. */
  let looks: boolean;

  /** One process: its own limit, its own ready hook. */
  interface Node {
    readonly ingest: Ingest;
    readonly fired: ReadyTodo[];
    readonly logged: LogFields[];
    /** Todos that were there when the hook fired. */
    readonly seen: Promise<number>[];
  }

  beforeAll(async () => {
    board = await boardDatabase(name);
    endpoints = new EndpointStore({ store: board.store });
    webhooks = new WebhookStore({ store: board.store, sealer });
  });
  afterAll(() => board.database.drop());
  afterEach(() => {
    vi.restoreAllMocks();
    expect(board.store.audit.findings()).toEqual([]);
  });
  beforeEach(async () => {
    await board.empty();
    looks = true;
    owner = await endpoint({ queues: ['work'] });
    node = nodeOn(board.store);
  });

  function nodeOn(store: BoardDatabase['store'], keys = sealer): Node {
    const [fired, logged, seen]: [ReadyTodo[], LogFields[], Promise<number>[]] = [[], [], []];
    const edges = new ReadyEdges(silentLogger);
    edges.listen((todo, reason) => {
      expect(reason).toBe('created');
      fired.push(todo);
      if (looks) seen.push(board.count('board_todo', { id: todo.id }));
    });
    const note = (fields: LogFields, message: string) => void logged.push({ ...fields, message });
    const logger: Logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
    const ingest = new Ingest({
      store,
      webhooks: new WebhookStore({ store, sealer: keys }),
      sealer: keys,
      limit: new AddressLimit({ clock: board.clock }),
      announcements: new BoardAnnouncements(edges, store),
      logger,
    });
    return { ingest, fired, logged, seen };
  }

  async function endpoint(seed: EndpointSeed = {}): Promise<BoardEndpoint> {
    const { id, organizationId } = await seedEndpoint(board.store, { organizationId: 'acme', ...seed });
    return (await endpoints.find(id, organizationId)) as BoardEndpoint;
  }

  async function webhook(input: InboundWebhookInput): Promise<{ token: string; secret: string }> {
    const made = await new WebhooksOfEndpoint({ owner, endpoints, webhooks, clock: board.store.clock }).create(input);
    return { token: made.token, secret: made.secret ?? '' };
  }

  const ask = (token: string, given: Pick<InboundRequest, 'headers' | 'body'>, { ingest } = node, address = '192.0.2.1') =>
    ingest.ingest({ token, address, ...given });
  /** Of a delivery that is an event. */
  const send = async (...delivery: Parameters<typeof ask>): Promise<IngestResult> => {
    const result = await ask(...delivery);
    if ('challenge' in result) throw new Error('a challenge was answered, where an event was sent');
    return result;
  };
  const generic = (body: unknown = {}, headers: InboundRequest['headers'] = {}) => ({ headers, body: Buffer.from(JSON.stringify(body)) });
  const todos = () => board.store.knex('board_todo').orderBy('queue').orderBy('endpoint_id');
  const nothingStored = async () => {
    expect([await board.count('board_event'), await board.count('board_todo')]).toEqual([0, 0]);
    expect(node.fired).toEqual([]);
  };

  it('makes a verified event and a todo of what is signed, and fires after the commit', async () => {
    const { token, secret } = await webhook({ source: 'github' });
    const signal = vi.spyOn(board.store.signals, 'signal');
    const result = await send(token, github(secret));
    expect(result).toEqual({
      eventId: expect.stringMatching(/^ev_/),
      todoIds: [expect.stringMatching(/^td_/)],
      replayed: false,
      verified: true,
    });
    expect(await board.store.knex('board_event').first()).toMatchObject({
      id: result.eventId,
      organization_id: 'acme',
      endpoint_id: owner.id,
      source: 'github',
      external_id: 'd-1',
      kind: 'issues',
      sender: 'octo',
      verified: 1,
      payload: '{"action":"opened","sender":{"login":"octo"},"note":""}',
    });
    expect(await todos()).toMatchObject([
      {
        id: result.todoIds[0],
        organization_id: 'acme',
        endpoint_id: owner.id,
        queue: 'work',
        state: 'pending',
        gate: 1,
        source: 'github',
        kind: 'issues',
        title: 'issues: opened',
        event_id: result.eventId,
        payload: '{"action":"opened","sender":{"login":"octo"},"note":""}',
        max_attempts: 5,
        quarantine_reason: null,
      },
    ]);
    expect(node.fired).toEqual([{ id: result.todoIds[0], organizationId: 'acme', endpointId: owner.id, queue: 'work' }]);
    expect(await Promise.all(node.seen)).toEqual([1]);
    expect(signal.mock.calls).toEqual([['todo_ready', { payload: `${owner.id}:work` }]]);
  });

  it('costs two round trips: who it is for, and one transaction', async () => {
    const { token, secret } = await webhook({ source: 'github' });
    looks = false;
    const cost = await board.cost(() => send(token, github(secret)));
    expect(cost.labels).toEqual(['board.eventTodos', 'board.insertInboundEvent', 'board.insertTodos', 'board.webhookByToken']);
    expect(cost.transactions).toBe(1);
  });

  it('stores nothing of a forged delivery, and logs nothing of it', async () => {
    const { token, secret } = await webhook({ source: 'github' });
    const forged = github('another secret', { note: 'hush' });
    await expect(send(token, forged)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await expect(send(token, { ...forged, headers: {} })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await nothingStored();
    expect(node.logged).toHaveLength(2);
    expect(JSON.stringify(node.logged)).not.toMatch(new RegExp(`hush|sha256|${token}`));
    // It would have been, with the right secret.
    await send(token, github(secret, { note: 'hush' }));
    expect([await board.count('board_event'), await board.count('board_todo')]).toEqual([1, 1]);
  });

  it('answers Slack that asks whether the URL is ours, and nobody who cannot sign as it does, and stores nothing of it', async () => {
    const { token, secret } = await webhook({ source: 'slack', secret: 'slack-signing-secret' });
    const asked = { type: 'url_verification', challenge: '3eZbrw1aBm2rZgRNFdxV2595E9CY', token: 'deprecated' };
    expect(secret).toBe('');
    const signed = (sent: object) => slack('slack-signing-secret', board.clock.now(), sent);
    expect(await ask(token, signed(asked))).toEqual({ challenge: asked.challenge });
    await expect(ask(token, slack('another secret', board.clock.now(), asked))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await nothingStored();
    // What it sends afterwards is an event.
    expect(await ask(token, signed({ type: 'event_callback', event_id: 'Ev1', challenge: 'x' }))).toMatchObject({
      replayed: false,
      verified: true,
    });
    expect(await board.count('board_todo')).toBe(1);
  });

  it('refuses before it parses: a forged body that is no JSON is a forgery', async () => {
    const { token, secret } = await webhook({ source: 'github' });
    const body = Buffer.from('{no json');
    await expect(send(token, { headers: github('x').headers, body })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    await expect(send(token, { headers: { 'x-hub-signature-256': `sha256=${signature}` }, body })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await nothingStored();
  });

  it('refuses over 5 MiB, and takes 5 MiB', async () => {
    const { token } = await webhook({ source: 'generic' });
    const body = (bytes: number) => ({ headers: {}, body: Buffer.from(`"${'x'.repeat(bytes - 2)}"`) });
    await expect(send(token, body(6 * 1024 * 1024))).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    await expect(send(token, body(5 * 1024 * 1024 + 1))).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    await nothingStored();
    expect((await send(token, body(5 * 1024 * 1024))).todoIds).toHaveLength(1);
  });

  it('knows no other token, and none of an endpoint that is revoked or has expired', async () => {
    const { token } = await webhook({ source: 'generic' });
    const missing = { code: 'NOT_FOUND' };
    for (const other of ['', 'wht_', `${token}x`, token.slice(0, -1)]) await expect(send(other, generic())).rejects.toMatchObject(missing);
    const expiresAt = board.clock.now() + 1_000;
    await board.store.knex('board_endpoint').where({ id: owner.id }).update({ expires_at: expiresAt });
    expect((await send(token, generic())).todoIds).toHaveLength(1);
    await board.clock.advance(1_000);
    await expect(send(token, generic())).rejects.toMatchObject(missing);
    await board.store.knex('board_endpoint').where({ id: owner.id }).update({ expires_at: null });
    expect((await send(token, generic())).todoIds).toHaveLength(1);
    await endpoints.revoke(owner.id, 'acme');
    await expect(send(token, generic())).rejects.toMatchObject(missing);
    expect(await board.count('board_event')).toBe(2);
  });

  it('answers a replay with the first todos and stores nothing', async () => {
    owner = await endpoint({ queues: ['a', 'b', 'c'] });
    const { token, secret } = await webhook({ source: 'github' });
    const first = await send(token, github(secret));
    const again = await send(token, github(secret, { note: 'other words' }));
    expect(first.todoIds).toHaveLength(3);
    expect(again).toEqual({ ...first, replayed: true });
    expect([await board.count('board_event'), await board.count('board_todo')]).toEqual([1, 3]);
    expect(node.fired).toHaveLength(3);
    // Another delivery is another event; so is the same id of another source, and every one without an id.
    expect((await send(token, github(secret, { id: 'd-2' }))).replayed).toBe(false);
    const plain = await webhook({ source: 'generic' });
    expect((await send(plain.token, generic({}, { 'x-delivery-id': 'd-1' }))).replayed).toBe(false);
    expect((await send(plain.token, generic())).replayed).toBe(false);
    expect((await send(plain.token, generic())).replayed).toBe(false);
    expect(await board.count('board_event')).toBe(5);
  });

  it('makes one event of deliveries of one id at the same time, on two nodes', async () => {
    const { token, secret } = await webhook({ source: 'github' });
    const other = nodeOn(board.second);
    const results = await Promise.all(Array.from({ length: 8 }, (_, n) => send(token, github(secret), n % 2 ? other : node)));
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(results.map(({ eventId, todoIds }) => `${eventId} ${todoIds}`)).size).toBe(1);
    expect([await board.count('board_event'), await board.count('board_todo')]).toEqual([1, 1]);
    expect([...node.fired, ...other.fired]).toHaveLength(1);
  });

  it('tells deliveries apart by the webhook they came to: senders number theirs alike, and one event may go to several webhooks', async () => {
    const [first, second] = [await webhook({ source: 'github' }), await webhook({ source: 'github' })];
    const sent = await send(first.token, github(first.secret, { id: 'd-1' }));
    const other = await send(second.token, github(second.secret, { id: 'd-1' }));
    expect([sent.replayed, other.replayed, await board.count('board_event'), await board.count('board_todo')]).toEqual([
      false,
      false,
      2,
      2,
    ]);
    expect(other.eventId).not.toBe(sent.eventId);
    // Each has its own replays.
    expect(await send(second.token, github(second.secret, { id: 'd-1' }))).toEqual({ ...other, replayed: true });
    expect(await board.count('board_todo')).toBe(2);
  });

  it('puts what an untrusted sender sent into quarantine at the owner, and tells nobody', async () => {
    const other = await endpoint({ queues: ['mail'] });
    const targets = [
      { endpointId: owner.id, queue: 'work' },
      { endpointId: other.id, queue: 'mail' },
    ];
    const { token, secret } = await webhook({ source: 'github', targets, trustedSenders: ['octo', 'cat'] });
    const signal = vi.spyOn(board.store.signals, 'signal');
    const held = await send(token, github(secret, { id: 'd-1', sender: 'mallory' }));
    expect(held.todoIds).toHaveLength(2);
    const shape = { endpoint_id: owner.id, queue: 'quarantine', state: 'pending', gate: 1, quarantine_reason: 'untrusted_sender' };
    const stored = await board.store.knex('board_todo').orderBy('quarantine_queue');
    expect(stored).toMatchObject([
      { ...shape, quarantine_queue: 'mail', quarantine_endpoint_id: other.id },
      { ...shape, quarantine_queue: 'work', quarantine_endpoint_id: owner.id },
    ]);
    expect([node.fired, signal.mock.calls]).toEqual([[], []]);
    // A replay does not let it out.
    expect(await send(token, github(secret, { id: 'd-1', sender: 'octo' }))).toEqual({ ...held, replayed: true });
    expect(node.fired).toEqual([]);
    // A trusted one reaches both.
    await send(token, github(secret, { id: 'd-2', sender: 'cat' }));
    expect(node.fired.map(({ endpointId, queue }) => ({ endpointId, queue }))).toEqual(expect.arrayContaining(targets));
    expect(node.fired).toHaveLength(2);
    expect(signal.mock.calls).toHaveLength(2);
  });

  it('trusts nobody who does not say who they are, where senders are listed', async () => {
    const { token } = await webhook({ source: 'generic', trustedSenders: ['probe'] });
    for (const sender of [undefined, null, ['probe'], 'Probe', 'probe ', 'probe\u0007']) await send(token, generic({ sender }));
    expect(await board.count('board_todo', { queue: 'quarantine' })).toBe(6);
    await send(token, generic({ sender: 'probe' }));
    expect(await board.count('board_todo', { queue: 'work' })).toBe(1);
  });

  it('is not verified for knowing a URL, yet passes the gate', async () => {
    const { token } = await webhook({ source: 'generic' });
    expect(await send(token, generic())).toMatchObject({ verified: false, replayed: false });
    expect(await todos()).toMatchObject([{ gate: 1 }]);
    expect(node.fired).toHaveLength(1);
  });

  it('signals a queue whose name has colons', async () => {
    owner = await endpoint({ queues: ['a:b:c'] });
    const { token } = await webhook({ source: 'generic' });
    const signal = vi.spyOn(board.store.signals, 'signal');
    await send(token, generic());
    expect(signal.mock.calls).toEqual([['todo_ready', { payload: `${owner.id}:a:b:c` }]]);
    expect(await todos()).toMatchObject([{ queue: 'a:b:c' }]);
  });

  it('gives a target whose endpoint is revoked no todo, and the others theirs', async () => {
    const gone = await endpoint({ queues: ['work'] });
    const targets = [gone, owner].map(({ id }) => ({ endpointId: id, queue: 'work' }));
    const { token } = await webhook({ source: 'generic', targets });
    expect((await send(token, generic())).todoIds).toHaveLength(2);
    await endpoints.revoke(gone.id, 'acme');
    const { todoIds } = await send(token, generic());
    expect(todoIds).toHaveLength(1);
    expect(await board.count('board_todo', { id: todoIds[0] as string, endpoint_id: owner.id })).toBe(1);
  });

  it('is not found where the endpoint of each target is revoked, and stores nothing', async () => {
    const [one, other] = [await endpoint({ queues: ['work'] }), await endpoint({ queues: ['work'] })];
    const targets = [one, other].map(({ id }) => ({ endpointId: id, queue: 'work' }));
    const { token } = await webhook({ source: 'generic', targets });
    const again = generic({}, { 'x-delivery-id': 'd-1' });
    const first = await send(token, again);
    await endpoints.revoke(one.id, 'acme');
    expect((await send(token, generic())).todoIds).toHaveLength(1);
    await endpoints.revoke(other.id, 'acme');
    await expect(send(token, generic())).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect([await board.count('board_event'), await board.count('board_todo')]).toEqual([2, 3]);
    expect(node.fired).toHaveLength(3);
    // A replay is answered as the first was.
    expect(await send(token, again)).toEqual({ ...first, replayed: true });
  });

  it('is asked for the address and the token without a body, and then for the rest', async () => {
    const { token, secret } = await webhook({ source: 'github' });
    looks = false;
    const cost = await board.cost(() => node.ingest.admit({ token, address: '2001:db8::1' }));
    expect(cost.labels).toEqual(['board.webhookByToken']);
    const admission = await node.ingest.admit({ token, address: '2001:db8::2' });
    expect(admission.countedAs).toBe('2001:db8:0:0::/64');
    const rest = await board.cost(() => admission.ingest(github(secret)));
    expect(rest.labels).toEqual(['board.eventTodos', 'board.insertInboundEvent', 'board.insertTodos']);
    expect(await board.count('board_todo')).toBe(1);
    await expect(admission.ingest({ headers: {}, body: Buffer.from('{}') })).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    await expect(admission.ingest({ headers: {}, body: Buffer.alloc(6 * 1024 * 1024) })).rejects.toMatchObject({
      code: 'PAYLOAD_TOO_LARGE',
    });
    await expect(node.ingest.admit({ token: 'wht_none', address: '2001:db8::1' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('counts an address once, whether it is admitted first or not', async () => {
    const { token } = await webhook({ source: 'generic' });
    looks = false;
    for (let n = 0; n < 10; n++) {
      await (await node.ingest.admit({ token, address: '::ffff:192.0.2.1' })).ingest(generic());
      await send(token, generic());
    }
    const cost = await board.cost(() =>
      expect(node.ingest.admit({ token, address: '192.0.2.1' })).rejects.toMatchObject({ code: 'RATE_LIMITED' }),
    );
    expect(cost.statements).toBe(0);
    expect(await board.count('board_todo')).toBe(20);
  });

  it('stores nothing where the webhook, or its owner, went while the body came in', async () => {
    const target = await endpoint({ queues: ['work'] });
    const made = { source: 'generic', targets: [{ endpointId: target.id, queue: 'work' }] } as const;
    const { token } = await webhook(made);
    const admit = () => node.ingest.admit({ token, address: '192.0.2.1' });
    const missing = { code: 'NOT_FOUND' };
    const [control, late, revoked, deleted] = [await admit(), await admit(), await admit(), await admit()];
    expect(await control.ingest(generic())).toMatchObject({ todoIds: [expect.any(String)] });
    await board.store.knex('board_endpoint').where({ id: owner.id }).update({ expires_at: board.clock.now() });
    await expect(late.ingest(generic())).rejects.toMatchObject(missing);
    await board.store.knex('board_endpoint').where({ id: owner.id }).update({ expires_at: null, state: 'revoked' });
    await expect(revoked.ingest(generic())).rejects.toMatchObject(missing);
    await board.store.knex('board_endpoint').where({ id: owner.id }).update({ state: 'active' });
    const [kept] = await webhooks.listOf(owner.id);
    expect(await webhooks.remove(kept?.id ?? '', owner)).toBe(true);
    await expect(deleted.ingest(generic())).rejects.toMatchObject(missing);
    expect([await board.count('board_event'), await board.count('board_todo')]).toEqual([1, 1]);
  });

  it('stores hostile payloads as they are, and refuses what no store can keep', async () => {
    const { token } = await webhook({ source: 'generic' });
    const body = { title: `a\u0007${'\u{1f600}'.repeat(300)}`, quote: `'; DROP TABLE board_todo; --`, "a'b": '\\u0000' };
    await send(token, generic(body, { 'x-delivery-id': 'x'.repeat(10_000), 'x-event-kind': 'k'.repeat(10_000) }));
    const [stored] = await todos();
    expect(JSON.parse(stored.payload)).toEqual(body);
    expect([...stored.title].length).toBeLessThanOrEqual(255);
    await expect(send(token, generic({ a: '\u0000' }))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(send(token, { headers: {}, body: Buffer.from('"\\ud800"') })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(send(token, { headers: {}, body: Buffer.from('['.repeat(100_000)) })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await board.count('board_todo')).toBe(1);
  });

  it('hears one address 20 times at once, before anything is read', async () => {
    const { token } = await webhook({ source: 'generic' });
    for (let n = 0; n < 20; n++) await send('wht_none', generic()).catch(() => undefined);
    const cost = await board.cost(() => expect(send(token, generic())).rejects.toMatchObject({ code: 'RATE_LIMITED' }));
    expect(cost.statements).toBe(0);
    expect((await send(token, generic(), node, '192.0.2.2')).todoIds).toHaveLength(1);
    await board.clock.advance(100);
    expect((await send(token, generic())).todoIds).toHaveLength(1);
  });

  it('tells a secret it cannot read from a wrong signature', async () => {
    const { token, secret } = await webhook({ source: 'github' });
    const keyless = nodeOn(board.store, SecretSealer.fromKey(undefined));
    await expect(send(token, github(secret), keyless)).rejects.toMatchObject({ code: 'ENCRYPTION_KEY' });
    const other = nodeOn(board.store, SecretSealer.fromKey(randomBytes(32).toString('base64')));
    await expect(send(token, github(secret), other)).rejects.toMatchObject({ code: 'SEALED_VALUE' });
    await nothingStored();
  });
});
