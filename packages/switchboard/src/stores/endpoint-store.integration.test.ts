import { defineStatement } from '@bellhop/store';
import { TEST_STORE_NAMES } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { credentialPrefix, hashCredential, makeCredential } from '../credential.js';
import { checkVend } from '../endpoint-input.js';
import { type BoardDatabase, boardDatabase, seedEndpoint, seedTodo, type TodoSeed } from './board-stores.fixture.js';
import { EndpointStore } from './endpoint-store.js';

const HOUR = 3_600_000;

const askExpired = defineStatement({
  label: 'test.hasExpired',
  operation: 'select',
  table: 'board_endpoint',
  sql: `SELECT (${EndpointStore.hasExpired}) AS answer`,
});

describe.each(TEST_STORE_NAMES)('endpoints on %s', (name) => {
  let board: BoardDatabase;
  let endpoints: EndpointStore;
  let second: EndpointStore;

  beforeAll(async () => {
    board = await boardDatabase(name);
    endpoints = new EndpointStore({ store: board.store });
    second = new EndpointStore({ store: board.second });
  });
  afterAll(() => board.database.drop());
  beforeEach(() => board.empty());
  afterEach(() => expect(board.store.audit.findings()).toEqual([]));

  function make(slug: string, organizationId = 'acme', credential = makeCredential('endpoint')) {
    const input = { slug, queues: ['work', 'a:b'], defaultLeaseMs: 60_000, expiresAt: board.clock.now() + HOUR };
    const vend = checkVend(input, board.clock.now());
    const row = { ...vend, organizationId, credentialHash: hashCredential(credential), credentialPrefix: credentialPrefix(credential) };
    return endpoints.insert(row);
  }

  const todo = (seed: Omit<TodoSeed, 'organizationId'>) => seedTodo(board.store, { ...seed, organizationId: 'acme' });
  const seed = (more: Parameters<typeof seedEndpoint>[1] = {}) => seedEndpoint(board.store, { organizationId: 'acme', ...more });
  const stored = (id: string) => board.rows('board_todo', { id }).then(([row]) => row);
  const attempts = (todoId: string) => board.rows('board_attempt', { todo_id: todoId }, 'seq');
  const hasExpired = async () => (await board.store.read<{ answer: number }>(askExpired, { now: board.clock.now() }))[0]?.answer;

  it('keeps one, and finds it by its id, slug and credential', async () => {
    const credential = makeCredential('endpoint');
    const made = await make('bot', 'acme', credential);
    expect(made).toEqual({
      id: expect.stringMatching(/^ep_[0-9a-f-]{36}$/),
      organizationId: 'acme',
      slug: 'bot',
      credentialPrefix: credentialPrefix(credential),
      queues: ['work', 'a:b'],
      verbs: expect.arrayContaining(['claim']),
      state: 'active',
      expiresAt: board.clock.now() + HOUR,
      defaultLeaseMs: 60_000,
      createdAt: board.clock.now(),
      revokedAt: null,
    });
    expect(await endpoints.find(made?.id ?? '', 'acme')).toEqual(made);
    expect(await endpoints.find('bot', 'acme')).toEqual(made);
    expect(await second.byCredential(hashCredential(credential))).toEqual(made);
    expect(await endpoints.byIds([made?.id ?? '', 'ep_none'], 'acme')).toEqual([made]);
    expect(JSON.stringify(await board.store.knex('board_endpoint').first())).not.toContain(credential);
  });

  it('shows nothing to another organization', async () => {
    const made = await make('bot');
    const id = made?.id ?? '';
    expect(await endpoints.find(id, 'other')).toBeUndefined();
    expect(await endpoints.find('bot', 'other')).toBeUndefined();
    expect(await endpoints.byIds([id], 'other')).toEqual([]);
    expect(await endpoints.list('other')).toEqual([]);
    expect(await endpoints.revoke(id, 'other')).toBeUndefined();
    expect(await endpoints.find(id, 'acme')).toEqual(made);
  });

  it('gives a slug to one endpoint of an organization, also when two ask at the same time', async () => {
    const [one, other] = await Promise.all([make('bot'), make('bot')]);
    expect([one, other].filter((made) => made === null)).toHaveLength(1);
    expect(await make('bot', 'other')).not.toBeNull();
    await endpoints.revoke((one ?? other)?.id ?? '', 'acme');
    expect(await make('bot')).toBeNull();
    expect(await board.count('board_endpoint')).toBe(2);
  });

  it('lists the oldest first, revoked ones too', async () => {
    const now = board.clock.now();
    const [late, early] = [await seed({ createdAt: now + 1 }), await seed({ createdAt: now - 1, state: 'revoked' })];
    expect((await endpoints.list('acme')).map(({ id, state }) => [id, state])).toEqual([
      [early.id, 'revoked'],
      [late.id, 'active'],
    ]);
  });

  it('revokes with all that is alive, in one transaction', async () => {
    const endpoint = await seed();
    const beside = await seed();
    const now = board.clock.now();
    const pending = await todo({ endpointId: endpoint.id, idempotencyKey: 'k' });
    const claimed = await todo({ endpointId: endpoint.id, state: 'claimed', fenceHash: 'f', attemptsTotal: 3 });
    const parked = await todo({ endpointId: endpoint.id, state: 'failed', nextRetryAt: now + 1 });
    const dead = await todo({ endpointId: endpoint.id, state: 'failed', completedAt: now - 5 });
    const done = await todo({ endpointId: endpoint.id, state: 'done', completedAt: now - 5 });
    const held = await todo({ endpointId: endpoint.id, queue: 'quarantine' });
    const others = await todo({ endpointId: beside.id, state: 'claimed' });
    await board.clock.advance(1_000);

    const cost = await board.cost(async () => {
      expect(await endpoints.revoke(endpoint.id, 'acme')).toMatchObject({ id: endpoint.id, state: 'revoked', revokedAt: now + 1_000 });
    });
    expect(cost).toMatchObject({ statements: 4, transactions: 1 });
    for (const id of [pending, claimed, parked]) {
      expect(await stored(id)).toMatchObject({
        state: 'failed',
        next_retry_at: null,
        live_key: null,
        lease_until: null,
        fence_hash: null,
        result: '{"error":"endpoint_revoked"}',
        completed_at: now + 1_000,
        updated_at: now + 1_000,
      });
    }
    expect(await stored(pending)).toMatchObject({ idempotency_key: 'k' });
    expect(await attempts(claimed)).toMatchObject([{ seq: 3, outcome: 'revoked', disposition: 'dead_lettered', ended_at: now + 1_000 }]);
    for (const id of [dead, done]) expect(await stored(id)).toMatchObject({ result: null, completed_at: now - 5 });
    expect(await stored(held)).toMatchObject({ state: 'pending', result: null });
    expect(await stored(others)).toMatchObject({ state: 'claimed' });
    expect(await attempts(others)).toMatchObject([{ ended_at: null }]);

    await board.clock.advance(1_000);
    expect(await endpoints.revoke(endpoint.id, 'acme')).toMatchObject({ state: 'revoked', revokedAt: now + 1_000 });
    expect(await stored(pending)).toMatchObject({ completed_at: now + 1_000 });
  });

  it('leaves attempts alone that ended before', async () => {
    const endpoint = await seed();
    const id = await todo({ endpointId: endpoint.id, state: 'claimed', attemptsTotal: 2 });
    await board.store.knex('board_attempt').insert({
      todo_id: id,
      seq: 1,
      organization_id: 'acme',
      endpoint_id: endpoint.id,
      queue: 'work',
      claimed_at: 1,
      lease_until: 2,
      ended_at: 2,
      outcome: 'released',
      disposition: 'requeued',
    });
    await endpoints.revoke(endpoint.id, 'acme');
    expect((await attempts(id)).map(({ outcome }) => outcome)).toEqual(['released', 'revoked']);
  });

  it('revokes what has expired, the first first, so many a call, with all that is alive', async () => {
    const now = board.clock.now();
    const later = await seed({ expiresAt: now + 2 * HOUR });
    const third = await seed({ expiresAt: now + 30 });
    const [first, next] = [await seed({ expiresAt: now + 10, organizationId: 'other' }), await seed({ expiresAt: now + 20 })];
    const never = await seed();
    await seed({ state: 'revoked', expiresAt: now + 5 });
    const claimed = await todo({ endpointId: next.id, state: 'claimed' });
    const kept = await todo({ endpointId: later.id });
    const held = await todo({ endpointId: first.id, queue: 'quarantine' });

    await board.clock.advance(9);
    expect(await hasExpired()).toBe(0);
    const idle = await board.cost(async () => expect(await endpoints.expire(2)).toEqual([]));
    expect(idle).toMatchObject({ statements: 1, transactions: 0 });

    await board.clock.advance(HOUR);
    expect(await hasExpired()).toBe(1);
    const expired = await endpoints.expire(2);
    expect(expired).toHaveLength(2);
    expect(expired).toEqual(
      expect.arrayContaining([
        { id: first.id, organizationId: 'other' },
        { id: next.id, organizationId: 'acme' },
      ]),
    );
    expect(await hasExpired()).toBe(1);
    expect(await endpoints.expire(2)).toEqual([{ id: third.id, organizationId: 'acme' }]);
    expect(await hasExpired()).toBe(0);
    expect(await endpoints.expire(2)).toEqual([]);

    expect(await stored(claimed)).toMatchObject({ state: 'failed', result: '{"error":"endpoint_revoked"}' });
    expect(await attempts(claimed)).toMatchObject([{ outcome: 'revoked' }]);
    expect(await stored(kept)).toMatchObject({ state: 'pending' });
    expect(await stored(held)).toMatchObject({ state: 'pending' });
    for (const { id } of [later, never]) expect(await endpoints.find(id, 'acme')).toMatchObject({ state: 'active' });
  });

  it('gives each expired endpoint to one of two nodes', async () => {
    const made = [];
    for (let n = 0; n < 6; n++) made.push((await seed({ expiresAt: board.clock.now() })).id);
    const found = (await Promise.all([endpoints.expire(10), second.expire(10)])).flat().map(({ id }) => id);
    expect(found.sort()).toEqual(made.sort());
  });
});
