import type { BoardConsumer } from '@bellhop/contracts';
import { TEST_STORE_NAMES } from '@bellhop/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BoardBench, boardBench } from '../board-bench.fixture.js';
import { type SeededEndpoint, seedEndpoint, seedTodo, type TodoSeed } from './board-stores.fixture.js';

// What the claim of the oldest costs where there is none, and on Postgres: what it does about todos that others are claiming.

describe.each(TEST_STORE_NAMES)('a claim of the oldest on %s', (name) => {
  let bench: BoardBench;
  beforeAll(async () => {
    bench = await boardBench(name);
  });
  afterAll(() => bench.database.drop());

  it('costs an empty queue one batch, and on Postgres one read', async () => {
    const consumer = await bench.boardOf().consumer();
    const statements = bench.store.family === 'postgres' ? 4 : 3;
    expect(await bench.cost(async () => expect(await consumer.claimNext()).toBeNull())).toMatchObject({ statements, transactions: 1 });
  });

  it('costs as much where all there is waits, is held, or is for others', async () => {
    await bench.empty();
    const { id: endpointId, credential } = await seedEndpoint(bench.store, { organizationId: 'acme' });
    const now = bench.clock.now();
    const todo = (seed: Partial<TodoSeed>) => seedTodo(bench.store, { endpointId, organizationId: 'acme', ...seed });
    await todo({ queue: 'out of scope' });
    await todo({ assignee: 'ada' });
    await todo({ state: 'claimed', leaseUntil: now + 1 });
    await todo({ state: 'claimed', leaseUntil: now, assignee: 'ada' });
    await todo({ state: 'claimed', leaseUntil: now, attempt: 5 });
    await todo({ state: 'failed', attempt: 1, nextRetryAt: now + 1 });
    await todo({ state: 'failed', attempt: 1, nextRetryAt: now, assignee: 'ada' });
    await todo({ state: 'failed', attempt: 5 });
    await todo({ state: 'done' });
    const consumer = await bench.boardOf().board.authenticate(credential);
    const statements = bench.store.family === 'postgres' ? 4 : 3;
    expect(await bench.cost(async () => expect(await consumer.claimNext()).toBeNull())).toMatchObject({ statements, transactions: 1 });
    const claims = [1, 2, 3, 4].map(() => consumer.claimNext({ claimant: 'ada' }));
    expect((await Promise.all(claims)).filter((claimed) => claimed !== null)).toHaveLength(3);
  });
});

describe('a claim of the oldest on postgres, beside others that claim', () => {
  let bench: BoardBench;
  let endpoint: SeededEndpoint;
  let consumer: BoardConsumer;
  beforeAll(async () => {
    bench = await boardBench('postgres');
  });
  afterAll(() => bench.database.drop());
  beforeEach(async () => {
    await bench.empty();
    endpoint = await seedEndpoint(bench.store, { organizationId: 'acme' });
    consumer = await bench.boardOf().board.authenticate(endpoint.credential);
    return () => expect(bench.store.audit.findings()).toEqual([]);
  });

  const now = () => bench.clock.now();
  /** @returns the ids, those first that are claimed first. */
  async function seed(count: number, columns: (n: number) => Partial<TodoSeed> = () => ({})): Promise<string[]> {
    const ids: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const todo = { endpointId: endpoint.id, organizationId: 'acme', createdAt: now() - 1_000 + n, ...columns(n) };
      ids.push(await seedTodo(bench.store, todo));
    }
    return ids;
  }

  /** Holds todos as the transactions of other claims do, until the work is over. */
  async function whileHeld<T>(ids: readonly string[], work: () => Promise<T>): Promise<T> {
    const others = await bench.second.knex.transaction();
    try {
      await others('board_todo').whereIn('id', ids).forUpdate();
      return await work();
    } finally {
      await others.rollback();
    }
  }

  const TRIES: readonly { what: string; held: number; columns: (n: number) => Partial<TodoSeed> }[] = [
    { what: 'pending', held: 32, columns: () => ({}) },
    { what: 'pending and assigned', held: 8, columns: () => ({ assignee: 'ada' }) },
    { what: 'lapsed', held: 8, columns: (n) => ({ state: 'claimed', leaseUntil: now() - 1_000 + n }) },
    { what: 'due', held: 8, columns: (n) => ({ state: 'failed', attempt: 1, nextRetryAt: now() - 1_000 + n }) },
  ];
  it.each(TRIES)('finds one that is $what behind $held that are held, at its second try', async ({ held, columns }) => {
    const ids = await seed(held + 2, columns);
    await whileHeld(ids.slice(0, held), async () => {
      const cost = await bench.cost(async () => expect((await consumer.claimNext({ claimant: 'ada' }))?.id).toBe(ids[held]));
      expect(cost.transactions).toBe(2);
    });
    // The control: what nobody holds is found at the first try.
    const cost = await bench.cost(async () => expect((await consumer.claimNext({ claimant: 'ada' }))?.id).toBe(ids[0]));
    expect(cost.transactions).toBe(1);
  });

  it('takes nothing of those that are held, and gives up after ten more tries', async () => {
    const ids = await seed(3);
    await whileHeld(ids, async () => {
      const cost = await bench.cost(async () => expect(await consumer.claimNext()).toBeNull());
      // Three statements a try, and a read before each but the first.
      expect(cost).toMatchObject({ statements: 11 * 3 + 10, transactions: 11 });
    });
    expect(await bench.count('board_todo', { state: 'pending' })).toBe(3);
    expect((await consumer.claimNext())?.id).toBe(ids[0]);
  });

  it('is told of no empty queue while todos wait, with eighty claims at once from eight processes', async () => {
    const ROUNDS = 3;
    const AT_ONCE = 80;
    await seed(ROUNDS * AT_ONCE);
    const stores = await Promise.all(Array.from({ length: 8 }, () => bench.database.open({ clock: bench.clock })));
    try {
      const consumers = await Promise.all(stores.map((store) => bench.boardOf({ store }).board.authenticate(endpoint.credential)));
      const claimed: (string | undefined)[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const claims = Array.from({ length: AT_ONCE / consumers.length }, () => consumers.map((one) => one.claimNext())).flat();
        claimed.push(...(await Promise.all(claims)).map((todo) => todo?.id));
      }
      expect(claimed).not.toContain(undefined);
      expect(new Set(claimed).size).toBe(ROUNDS * AT_ONCE);
    } finally {
      await Promise.all(stores.map((store) => store.close()));
    }
    expect(await consumer.claimNext()).toBeNull();
  });
});
