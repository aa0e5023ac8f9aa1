import type { BoardConsumer } from '@bellhop/contracts';
import { TEST_STORE_NAMES } from '@bellhop/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BoardBench, boardBench, ORGANIZATION, type TestBoard } from '../board-bench.fixture.js';
import { seedTodo } from '../stores/board-stores.fixture.js';
import type { RingEvent } from './doorbell-sessions.js';

// What rings whoever stays attached: each entry into pending once, in the process whose commit it is, and where its signal is heard.

const RETRY_DUE_MS = 31_000;
const LAPSED_MS = 301_000;

describe.each(TEST_STORE_NAMES)('the doorbell of a board on %s', (name) => {
  let bench: BoardBench;
  let board: TestBoard;
  let consumer: BoardConsumer;
  let rings: RingEvent[];

  beforeAll(async () => {
    bench = await boardBench(name);
  });
  afterAll(() => bench.database.drop());
  beforeEach(async () => {
    await bench.empty();
    board = bench.boardOf();
    board.start();
    consumer = await board.consumer();
    rings = await attached(board);
    return async () => {
      await board.stop();
      expect(bench.store.audit.findings()).toEqual([]);
    };
  });

  async function attached(to: TestBoard): Promise<RingEvent[]> {
    const heard: RingEvent[] = [];
    to.doorbell.attach({
      endpointId: consumer.endpoint.id,
      queues: consumer.endpoint.queues,
      onRing: (event) => heard.push(event) > 0,
      room: () => 100,
      onClose: () => {},
    });
    await to.doorbell.settled();
    return heard;
  }

  /** What was heard since, by its reason. */
  const reasons = (of = rings) => of.splice(0).map(({ reason }) => reason);
  const rungOut = (id: string) =>
    bench.store.knex('board_todo').where({ id }).update({ ring_attempts: 5, last_ringed_at: bench.clock.now() });
  const budgetOf = async (id: string) => {
    const [row] = await bench.rows('board_todo', { id });
    return [Number(row?.ring_attempts), row?.last_ringed_at == null ? null : Number(row.last_ringed_at)];
  };
  async function quarantined(): Promise<string> {
    const id = await seedTodo(bench.store, { organizationId: 'acme', endpointId: consumer.endpoint.id, queue: 'quarantine' });
    const to = { quarantine_queue: 'work', quarantine_endpoint_id: consumer.endpoint.id };
    await bench.store.knex('board_todo').where({ id }).update(to);
    return id;
  }

  /** Every way into pending but the creation: from a todo that was made, to where it is pending anew. */
  const ENTRIES: readonly { readonly entry: string; readonly again: (id: string) => Promise<unknown> }[] = [
    {
      entry: 'a release',
      async again(id) {
        await consumer.claim(id);
        await consumer.release(id);
      },
    },
    {
      entry: 'a due retry',
      async again(id) {
        await consumer.claim(id);
        await consumer.fail(id);
        await bench.clock.advance(RETRY_DUE_MS);
        await board.tick();
      },
    },
    {
      entry: 'a lapsed lease',
      async again(id) {
        await consumer.claim(id);
        await bench.clock.advance(LAPSED_MS);
        await board.tick();
      },
    },
    {
      entry: 'a retry by the consumer',
      async again(id) {
        await consumer.claim(id);
        await consumer.fail(id);
        await consumer.retry(id);
      },
    },
    {
      entry: 'a retry by an operator',
      async again(id) {
        await consumer.claim(id);
        await consumer.fail(id);
        await board.board.retry(id, ORGANIZATION);
      },
    },
  ];

  it.each(ENTRIES.map(({ entry, again }) => [entry, again] as const))(
    'rings again after %s, though the todo rang within the minute, and with all rings before it',
    async (_entry, again) => {
      const id = await board.push(consumer);
      expect(rings.splice(0)).toEqual([{ todoId: id, queue: 'work', reason: 'created' }]);
      await rungOut(id);
      await again(id);
      expect(rings.splice(0)).toEqual([{ todoId: id, queue: 'work', reason: 'requeued' }]);
      expect(await budgetOf(id)).toEqual([0, null]);
      // Somebody attaches later: the todo is not rung out.
      expect((await attached(board)).map(({ todoId }) => todoId)).toEqual([id]);
    },
  );

  it('rings after a release from quarantine, with all rings before it, and not while it is held', async () => {
    const id = await quarantined();
    await rungOut(id);
    expect(rings).toEqual([]);
    await board.board.releaseQuarantined(id, ORGANIZATION);
    expect(reasons()).toEqual(['created']);
    expect(await budgetOf(id)).toEqual([0, null]);
  });

  it('rings for each of two releases within a minute', async () => {
    const id = await board.push(consumer);
    for (let times = 0; times < 2; times += 1) {
      await consumer.claim(id);
      await consumer.release(id);
    }
    expect(reasons()).toEqual(['created', 'requeued', 'requeued']);
  });

  it('does not ring for what becomes no work: a last lease that lapsed, which keeps what it was charged', async () => {
    const id = await board.push(consumer, { maxAttempts: 1 });
    expect(reasons()).toEqual(['created']);
    await rungOut(id);
    const before = await budgetOf(id);
    await consumer.claim(id);
    await bench.clock.advance(LAPSED_MS);
    await board.tick();
    expect((await consumer.getTodo(id)).state).toBe('failed');
    expect(reasons()).toEqual([]);
    expect(await budgetOf(id)).toEqual(before);
  });

  it('never rings for a nudge, whatever other reason it is fired with: nothing has become pending', async () => {
    const id = await board.push(consumer);
    expect(reasons()).toEqual(['created']);
    await bench.clock.advance(120_000);
    const todo = { id, organizationId: 'acme', endpointId: consumer.endpoint.id, queue: 'work' };
    for (const reason of ['stalled', 'requeued']) board.wakes.fireReady(todo, reason);
    expect(board.fired.map(({ reason }) => reason)).toEqual(['created', 'stalled', 'requeued']);
    expect(reasons()).toEqual([]);
  });

  it('rings nobody for an assigned todo, made or requeued', async () => {
    const id = await board.push(consumer, { assignee: 'somebody' });
    await consumer.claim(id, { claimant: 'somebody' });
    await consumer.release(id);
    expect(board.fired.map(({ reason }) => reason)).toEqual(['created', 'requeued']);
    expect(reasons()).toEqual([]);
    // The control: one of anybody.
    await board.push(consumer);
    expect(reasons()).toEqual(['created']);
  });

  // In memory there is one node, which never hears itself.
  it.runIf(name !== 'memory')('rings once in each process for one entry, though the signal of the other is heard as well', async () => {
    const other = bench.boardOf({ store: bench.second });
    other.start();
    const there = await attached(other);
    const id = await board.push(consumer);
    await heardEverywhere(board, other);
    expect([reasons(), reasons(there)]).toEqual([['created'], [undefined]]);
    await consumer.claim(id);
    await consumer.fail(id);
    await bench.clock.advance(RETRY_DUE_MS);
    await Promise.all([board.tick(), other.tick()]);
    await heardEverywhere(board, other);
    expect([rings.length, there.length]).toEqual([1, 1]);
    expect([reasons(), reasons(there)].flat()).toEqual(expect.arrayContaining(['requeued', undefined]));
    // What else happens in the queue within the minute does not ring for it again.
    await board.push(consumer);
    await heardEverywhere(board, other);
    expect([reasons(), reasons(there)]).toEqual([['created'], [undefined]]);
    await other.stop();
  });
});

/** Once signals, which leave with the turn, were looked at. */
async function heardEverywhere(...boards: readonly TestBoard[]): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
  for (const each of boards) await each.doorbell.settled();
}
