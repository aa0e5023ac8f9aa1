import { randomUUID } from 'node:crypto';
import type { Transaction } from '@bellhop/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BoardDatabase, boardDatabase, type SeededEndpoint, seedEndpoint } from '../stores/board-stores.fixture.js';
import { insertTodos, type NewTodoRow } from './insert-todos.js';

describe('insertTodos on postgres', () => {
  let board: BoardDatabase;
  let endpoint: SeededEndpoint;
  beforeAll(async () => {
    board = await boardDatabase('postgres');
  });
  afterAll(() => board.database.drop());
  beforeEach(async () => {
    await board.empty();
    endpoint = await seedEndpoint(board.store);
  });

  const todo = (): NewTodoRow => ({
    id: `td_${randomUUID()}`,
    organization_id: endpoint.organizationId,
    endpoint_id: endpoint.id,
    queue: 'work',
    gate: 1,
    source: 'operator',
    kind: null,
    title: 'T',
    payload: '{}',
    idempotency_key: null,
    assignee: null,
    max_attempts: 5,
    quarantine_reason: null,
    quarantine_queue: null,
    quarantine_endpoint_id: null,
  });
  const insert = (trx: Transaction) =>
    board.store.write(
      insertTodos,
      { now: board.clock.now(), moved: 'm', eventId: null, todos: JSON.stringify([todo()]) },
      { organizationId: endpoint.organizationId },
      { trx },
    );
  /** What a revocation does first, from another connection; it does not wait. */
  const revoke = () => board.second.knex.raw('SELECT 1 FROM board_endpoint WHERE id = ? FOR NO KEY UPDATE NOWAIT', [endpoint.id]);

  it('holds a revocation of its endpoint up until it has committed, which then ends these todos, too', async () => {
    await board.store.transaction(async (trx) => {
      await expect(revoke()).resolves.toBeDefined();
      await insert(trx);
      await expect(revoke()).rejects.toMatchObject({ code: '55P03' });
    });
    await expect(revoke()).resolves.toBeDefined();
  });

  it('lets others insert for the same endpoint meanwhile', async () => {
    await board.store.transaction(async (trx) => {
      await insert(trx);
      await board.second.write(
        insertTodos,
        { now: board.clock.now(), moved: 'm', eventId: null, todos: JSON.stringify([todo()]) },
        { organizationId: endpoint.organizationId },
      );
    });
    expect(await board.count('board_todo')).toBe(2);
  });
});
