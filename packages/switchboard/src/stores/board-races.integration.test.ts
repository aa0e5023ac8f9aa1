import { defineStatement } from '@bellhop/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BoardBench, boardBench, ORGANIZATION, type TestBoard } from '../board-bench.fixture.js';
import { seedEndpoint, seedTodo } from './board-stores.fixture.js';
import { TodoSweeps } from './todo-sweeps.js';

// On Postgres a statement picks its rows as they were when it began, and waits for those that somebody else has: what it picked may be another thing by then.

const DAY_MS = 86_400_000;
const OLD_MS = 31 * DAY_MS;

/** Backends of this database that wait for a lock. */
const waiting = defineStatement({
  label: 'test.waiting',
  operation: 'select',
  table: 'pg_stat_activity',
  sql: `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
});

describe('two at once on postgres', () => {
  let bench: BoardBench;
  let one: TestBoard;
  let two: TestBoard;
  let endpointId: string;
  let credential: string;
  beforeAll(async () => {
    bench = await boardBench('postgres');
    one = bench.boardOf();
    two = bench.boardOf({ store: bench.second });
  });
  afterAll(() => bench.database.drop());
  beforeEach(async () => {
    await bench.empty();
    one.fired.length = 0;
    two.fired.length = 0;
    ({ id: endpointId, credential } = await seedEndpoint(bench.store, { organizationId: ORGANIZATION.organizationId }));
  });

  const before = () => bench.clock.now() - 30 * DAY_MS;
  const row = async (id: string) => (await bench.rows('board_todo', { id }))[0];

  /** Has rows as another transaction would, until it is let go. */
  async function hold(table: string, id: string): Promise<() => Promise<unknown>> {
    const trx = await bench.second.knex.transaction();
    await trx(table).where({ id }).forUpdate();
    return () => trx.rollback();
  }

  /** Begins something, and comes back when it waits for a lock, or is over. */
  async function begin<T>(work: () => Promise<T>): Promise<{ readonly end: Promise<T> }> {
    const already = (await bench.store.read(waiting, {})).length;
    let over = false;
    const end = work().finally(() => {
      over = true;
    });
    end.catch(() => {});
    while (!over && (await bench.store.read(waiting, {})).length <= already);
    return { end };
  }

  async function quarantined(id: string, createdAt: number): Promise<void> {
    await seedTodo(bench.store, { id, endpointId, organizationId: 'acme', queue: 'quarantine', createdAt });
    await bench.store.knex('board_todo').where({ id }).update({ quarantine_queue: 'work', quarantine_endpoint_id: endpointId });
  }

  it('the expiry of the quarantine leaves alone what is released, and claimed, while it waits for another', async () => {
    await quarantined('td_held', bench.clock.now() - OLD_MS);
    await quarantined('td_released', bench.clock.now() - OLD_MS + 1);
    const letGo = await hold('board_todo', 'td_held');
    const expiring = await begin(() => new TodoSweeps(bench.store).expireQuarantined(before(), 1_000));
    await two.board.releaseQuarantined('td_released', ORGANIZATION);
    await (await two.board.authenticate(credential)).claim('td_released');
    await letGo();
    expect(await expiring.end).toBe(1);
    expect(await row('td_released')).toMatchObject({ state: 'claimed', queue: 'work' });
    expect(await row('td_held')).toMatchObject({ state: 'done' });
  });

  it('a revocation takes along what a retry by hand makes pending at this moment', async () => {
    await seedTodo(bench.store, { id: 'td_dead', endpointId, organizationId: 'acme', state: 'failed', attempt: 5 });
    const letGo = await hold('board_todo', 'td_dead');
    const retrying = await begin(() => one.board.retry('td_dead', ORGANIZATION));
    const revoking = await begin(() => two.board.revoke(endpointId, ORGANIZATION));
    await letGo();
    await Promise.allSettled([retrying.end, revoking.end]);
    expect(await row('td_dead')).toMatchObject({ state: 'failed' });
  });

  it('a revocation takes along what is released from quarantine at this moment', async () => {
    await quarantined('td_held', bench.clock.now());
    const letGo = await hold('board_todo', 'td_held');
    const releasing = await begin(() => one.board.releaseQuarantined('td_held', ORGANIZATION));
    const revoking = await begin(() => two.board.revoke(endpointId, ORGANIZATION));
    await letGo();
    await Promise.allSettled([releasing.end, revoking.end]);
    expect(await row('td_held')).not.toMatchObject({ state: 'pending', queue: 'work' });
  });

  it('two that sweep events leave no todo that names one that is gone', async () => {
    for (const n of [1, 2, 3, 4]) {
      await bench.store.knex('board_event').insert({
        id: `ev_${n}`,
        organization_id: 'acme',
        endpoint_id: endpointId,
        source: 'operator',
        verified: 1,
        created_at: bench.clock.now() - OLD_MS + n,
        payload: '{}',
      });
      await seedTodo(bench.store, { id: `td_${n}`, endpointId, organizationId: 'acme', eventId: `ev_${n}` });
    }
    const letGo = await hold('board_event', 'ev_1');
    const first = await begin(() => new TodoSweeps(bench.store).sweepEvents(before(), 2));
    const second = await begin(() => new TodoSweeps(bench.second).sweepEvents(before(), 2));
    await letGo();
    await Promise.all([first.end, second.end]);
    const events = (await bench.rows('board_event')).map(({ id }) => id);
    const named = (await bench.rows('board_todo')).map(({ event_id: id }) => id).filter((id) => id !== null);
    expect(named.filter((id) => !events.includes(id))).toEqual([]);
    // What is left goes with the sweeps that follow.
    while ((await new TodoSweeps(bench.store).sweepEvents(before(), 2)) > 0);
    expect(await bench.count('board_event')).toBe(0);
  });

  it('retention leaves alone, with its history, what is retried while it waits for another, and done anew', async () => {
    const dead = async (id: string, updatedAt: number) => {
      await seedTodo(bench.store, {
        id,
        endpointId,
        organizationId: 'acme',
        state: 'failed',
        attempt: 1,
        maxAttempts: 1,
        attemptsTotal: 1,
        createdAt: updatedAt,
      });
      await bench.store.knex('board_attempt').insert({
        todo_id: id,
        seq: 1,
        organization_id: 'acme',
        endpoint_id: endpointId,
        queue: 'work',
        claimed_at: updatedAt,
        lease_until: updatedAt + 1,
        ended_at: updatedAt + 1,
        outcome: 'failed',
        disposition: 'dead_lettered',
      });
    };
    await dead('td_held', bench.clock.now() - OLD_MS);
    await dead('td_retried', bench.clock.now() - OLD_MS + 1);
    const letGo = await hold('board_todo', 'td_held');
    const sweeping = await begin(() => new TodoSweeps(bench.store).sweepTodos(before(), 1_000));
    await two.board.retry('td_retried', ORGANIZATION);
    const consumer = await two.board.authenticate(credential);
    await consumer.claim('td_retried');
    await consumer.complete('td_retried');
    await letGo();
    expect(await sweeping.end).toBe(1);
    expect(await row('td_held')).toBeUndefined();
    expect(await row('td_retried')).toMatchObject({ state: 'done' });
    expect(await bench.count('board_attempt', { todo_id: 'td_retried' })).toBe(2);
    expect(await bench.count('board_attempt')).toBe(2);
  });
});
