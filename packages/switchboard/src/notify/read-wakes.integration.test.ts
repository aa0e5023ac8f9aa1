import { TEST_STORE_NAMES } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BoardDatabase, boardDatabase, seedEndpoint, seedTodo, type TodoSeed } from '../stores/board-stores.fixture.js';
import { notifyBench, ready } from './notify-bench.fixture.js';

/** Whom a wake goes to and which todo it names, asked of each database. */
describe.each(TEST_STORE_NAMES)('a wake on %s', (name) => {
  let board: BoardDatabase;
  beforeAll(async () => {
    board = await boardDatabase(name);
  });
  afterAll(() => board.database.drop());
  beforeEach(() => board.empty());
  afterEach(() => expect(board.store.audit.findings()).toEqual([]));

  const bench = () => notifyBench({ store: board.store, clock: board.clock });

  it('G14: names the todo it was fired for while that waits, for whomever, else the oldest one that anybody may claim, else none', async () => {
    const on = bench();
    const endpoint = await seedEndpoint(board.store);
    const other = await seedEndpoint(board.store);
    await on.hook(endpoint);
    const now = board.clock.now();
    const seed = (more: Partial<TodoSeed>) => seedTodo(board.store, { endpointId: endpoint.id, createdAt: now - 9_000, ...more });
    const named = await seed({ id: 'td_named' });
    await seed({ id: 'td_b', pendingSince: now - 5_000 });
    await seed({ id: 'td_a', pendingSince: now - 5_000 });
    await seed({ id: 'td_old_by_creation', createdAt: now - 99_000, pendingSince: now - 1_000 });
    // None of these may take its place.
    const older = { pendingSince: now - 50_000 };
    await seed({ ...older, gate: false });
    await seed({ ...older, queue: 'quarantine' });
    await seed({ ...older, queue: 'mail' });
    await seed({ ...older, assignee: 'somebody' });
    await seed({ ...older, state: 'claimed' });
    await seed({ ...older, endpointId: other.id });
    const fire = async () => {
      on.dispatcher.take(ready(endpoint, named), 'stalled');
      await on.run(0);
    };
    const move = (id: string, values: Record<string, unknown>) => board.store.knex('board_todo').where({ id }).update(values);
    await fire();
    await move('td_named', { assignee: 'somebody' });
    await fire();
    await move('td_named', { assignee: null, queue: 'mail' });
    await fire();
    await move('td_a', { state: 'done' });
    await fire();
    await move('td_b', { gate: 0 });
    await fire();
    await move('td_old_by_creation', { state: 'failed' });
    await fire();
    expect(on.bodies().map(({ todo_id: id }) => id)).toEqual(['td_named', 'td_named', 'td_a', 'td_b', 'td_old_by_creation']);
    expect(on.outcomes.map(({ outcome }) => outcome)).toEqual([...Array(5).fill('delivered'), 'suppressed']);
  });

  it('goes to the enabled hooks of a live endpoint that cover the queue of its scope', async () => {
    const on = bench();
    const queue = 'a:b "c" 😀';
    const endpoint = await seedEndpoint(board.store, { queues: ['work', queue] });
    const sibling = await seedEndpoint(board.store, { queues: [queue] });
    await on.hook(endpoint, 'https://all.example/');
    await on.hook(endpoint, 'https://some.example/', [queue]);
    await on.hook(endpoint, 'https://other.example/', ['work']);
    const off = await on.hook(endpoint, 'https://off.example/');
    await on.hooks.of(endpoint).disable(off.id);
    await on.hook(sibling, 'https://sibling.example/');
    const id = await seedTodo(board.store, { endpointId: endpoint.id, queue });
    const fire = async () => {
      on.requests.length = 0;
      on.dispatcher.take(ready(endpoint, id, queue), 'created');
      await on.run(0);
      return on.requests.map(({ url }) => url).sort();
    };
    const set = (values: Record<string, unknown>) => board.store.knex('board_endpoint').where({ id: endpoint.id }).update(values);
    const both = ['https://all.example/', 'https://some.example/'];
    expect(await fire()).toEqual(both);
    expect(on.bodies()[0]).toMatchObject({ queue });
    await set({ state: 'revoked' });
    expect(await fire()).toEqual([]);
    await set({ state: 'active', expires_at: board.clock.now() });
    expect(await fire()).toEqual([]);
    await set({ expires_at: board.clock.now() + 1 });
    expect(await fire()).toEqual(both);
    await set({ queues: '["work"]' });
    expect(await fire()).toEqual([]);
  });

  it('costs one statement to spread, and a read and a write for each delivery', async () => {
    const on = bench();
    const endpoint = await seedEndpoint(board.store);
    await on.hook(endpoint);
    const id = await seedTodo(board.store, { endpointId: endpoint.id });
    const cost = await board.cost(async () => {
      on.dispatcher.take(ready(endpoint, id), 'created');
      await on.run(0);
    });
    expect(cost.labels).toEqual(['board.findWakeHooks', 'board.noteHookSuccess', 'board.readDelivery']);
  });
});
