import type { BoardConsumer } from '@bellhop/contracts';
import { TEST_STORE_NAMES } from '@bellhop/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BoardBench, boardBench, ORGANIZATION, type TestBoard } from '../board-bench.fixture.js';
import { seedTodo } from '../stores/board-stores.fixture.js';

const DAY = 86_400_000;

describe.each(TEST_STORE_NAMES)("the board's duties on %s", (name) => {
  let bench: BoardBench;
  let board: TestBoard;
  let consumer: BoardConsumer;

  beforeAll(async () => {
    bench = await boardBench(name);
  });
  afterAll(() => bench.database.drop());
  beforeEach(async () => {
    await bench.empty();
    board = bench.boardOf();
    consumer = await board.consumer();
    return () => expect(bench.store.audit.findings()).toEqual([]);
  });

  const duties = async () => (await board.tick()).map(({ duty, ...report }) => [duty, 'count' in report ? report.count : report]);

  it('cost one read while there is nothing to do, however much waits', async () => {
    for (let n = 0; n < 5; n += 1) await board.push(consumer);
    await consumer.claimNext();
    expect(await bench.cost(() => board.tick())).toMatchObject({ statements: 1, labels: ['reaper.ask'] });
    // The control: work is found by the same read.
    await bench.clock.advance(300_000);
    expect((await bench.cost(() => board.tick())).labels).toContain('board.reap');
  });

  it('run in their order', async () => {
    await seedTodo(bench.store, {
      organizationId: 'acme',
      endpointId: consumer.endpoint.id,
      state: 'failed',
      nextRetryAt: bench.clock.now(),
    });
    await seedTodo(bench.store, {
      organizationId: 'acme',
      endpointId: consumer.endpoint.id,
      state: 'claimed',
      leaseUntil: bench.clock.now(),
    });
    await board.consumer({ slug: 'short', expiresAt: bench.clock.now() + 1 });
    await bench.clock.advance(1);
    expect(await duties()).toEqual([
      ['board.leases', 1],
      ['board.retries', 1],
      ['board.expiry', 1],
    ]);
  });

  it('end an endpoint that has expired, with its todos, and wake nobody for it', async () => {
    const short = await board.consumer({ slug: 'short', expiresAt: bench.clock.now() + 1_000 });
    const id = await board.push(short);
    board.fired.length = 0;
    await bench.clock.advance(1_000);
    await board.tick();
    expect(await board.board.endpoint('short', ORGANIZATION)).toMatchObject({ state: 'revoked', revokedAt: bench.clock.now() });
    expect(await board.board.getTodo(id, ORGANIZATION)).toMatchObject({
      state: 'failed',
      nextRetryAt: null,
      result: { error: 'endpoint_revoked' },
    });
    expect(board.fired).toEqual([]);
    expect((await board.board.endpoint('worker', ORGANIZATION)).state).toBe('active');
  });

  it('end the sessions of an endpoint that another process has revoked', async () => {
    const closed: string[] = [];
    const onClose = () => void closed.push('closed');
    board.doorbell.attach({ endpointId: consumer.endpoint.id, queues: ['work'], onRing: () => true, room: () => 100, onClose });
    await board.tick();
    expect([closed, board.doorbell.counters().sessions]).toEqual([[], 1]);
    await bench.boardOf({ store: bench.second }).board.revoke('worker', ORGANIZATION);
    await board.tick();
    expect([closed, board.doorbell.counters().sessions]).toEqual([['closed'], 0]);
  });

  it('tell of each batch after its commit, and leave what two processes do at once to one of them', async () => {
    for (let n = 0; n < 20; n += 1) {
      await seedTodo(bench.store, {
        organizationId: 'acme',
        endpointId: consumer.endpoint.id,
        state: 'claimed',
        leaseUntil: bench.clock.now(),
      });
    }
    const other = bench.boardOf({ store: bench.second });
    await Promise.all([board.tick(), other.tick()]);
    const fired = [...board.fired, ...other.fired];
    expect(fired.map(({ reason }) => reason)).toEqual(Array<string>(20).fill('requeued'));
    expect(new Set(fired.map(({ todo }) => todo.id)).size).toBe(20);
    expect(await bench.count('board_attempt', { ended_at: null })).toBe(0);
  });

  it('remove what ended 30 days ago with its attempts and events, and nothing that lives', async () => {
    const done = await board.push(consumer);
    await consumer.claimNext();
    await consumer.complete(done);
    const waiting = await board.push(consumer);
    await bench.clock.advance(30 * DAY);
    expect(await duties()).toEqual([]);
    await bench.clock.advance(1);
    expect(await duties()).toEqual([
      ['board.todo-retention', 1],
      ['board.event-retention', 2],
    ]);
    expect(await bench.count('board_attempt')).toBe(0);
    expect(await board.board.listTodos({}, ORGANIZATION)).toMatchObject({ items: [{ id: waiting, eventId: null, gate: true }] });
  });

  it('G11: keep the gate verdict of a todo whose event is gone: it still wakes', async () => {
    const id = await board.push(consumer);
    await bench.clock.advance(31 * DAY);
    await board.tick();
    board.fired.length = 0;
    await consumer.claimNext();
    await consumer.release(id);
    expect(board.fired).toMatchObject([{ todo: { id }, reason: 'requeued' }]);
  });

  describe('quarantine', () => {
    const hold = () =>
      seedTodo(bench.store, { organizationId: 'acme', endpointId: consumer.endpoint.id, queue: 'quarantine' }).then(async (id) => {
        await bench.store
          .knex('board_todo')
          .where({ id })
          .update({ quarantine_queue: 'work', quarantine_endpoint_id: consumer.endpoint.id });
        return id;
      });
    const code = async (call: Promise<unknown>) => ((await call.catch((error: unknown) => error)) as { code?: string }).code;

    it('hides a todo from its consumer, and lets an operator release it as if it had just come', async () => {
      const id = await hold();
      expect(await consumer.claimNext()).toBeNull();
      expect(await code(consumer.getTodo(id))).toBe('NOT_FOUND');
      expect(await code(consumer.claim(id))).toBe('NOT_FOUND');
      expect((await consumer.listTodos()).items).toEqual([]);
      await bench.clock.advance(5_000);
      expect(await board.board.releaseQuarantined(id, ORGANIZATION)).toMatchObject({ queue: 'work', pendingSince: bench.clock.now() });
      expect(board.fired).toMatchObject([{ todo: { id, queue: 'work' }, reason: 'created' }]);
      expect((await consumer.claimNext())?.id).toBe(id);
      expect(await code(board.board.releaseQuarantined(id, ORGANIZATION))).toBe('TODO_CONFLICT');
    });

    it('lets an operator discard one, and only of the own organization', async () => {
      const id = await hold();
      expect(await code(board.board.discardQuarantined(id, { organizationId: 'evil' }))).toBe('NOT_FOUND');
      expect(await board.board.discardQuarantined(id, ORGANIZATION)).toMatchObject({ state: 'done' });
      expect(board.fired).toEqual([]);
      expect(await code(board.board.discardQuarantined(id, ORGANIZATION))).toBe('TODO_CONFLICT');
    });

    it('ends after 30 days', async () => {
      const id = await hold();
      await bench.clock.advance(30 * DAY + 1);
      expect(await duties()).toEqual([['board.quarantine-expiry', 1]]);
      expect((await board.board.getTodo(id, ORGANIZATION)).state).toBe('done');
    });
  });
});
