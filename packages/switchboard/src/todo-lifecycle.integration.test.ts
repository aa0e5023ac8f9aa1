import type { BoardConsumer, Todo, TodoDetail } from '@bellhop/contracts';
import { TEST_STORE_NAMES } from '@bellhop/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BoardBench, boardBench, ORGANIZATION, type TestBoard } from './board-bench.fixture.js';

// The states of a todo, on every store: what leads from which to which, what its attempts say of it, and which edges wake somebody.

const MINUTE = 60_000;

describe.each(TEST_STORE_NAMES)('todos on %s', (name) => {
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

  const refused = async (call: Promise<unknown>) => ((await call.catch((error: unknown) => error)) as { code?: string }).code;
  const reasons = () => board.fired.map(({ reason }) => reason);
  const lastAttempt = async (id: string) => (await consumer.getTodo(id)).attempts[0];

  it('is pending when it is made, and tells of it after the commit', async () => {
    const id = await board.push(consumer, { payload: { n: 1 }, kind: 'invoice' });
    expect(await consumer.getTodo(id)).toMatchObject({
      state: 'pending',
      attempt: 0,
      payload: { n: 1 },
      kind: 'invoice',
      source: 'operator',
      gate: true,
      pendingSince: bench.clock.now(),
    } satisfies Partial<Todo>);
    expect(board.fired).toEqual([
      { todo: { id, organizationId: 'acme', endpointId: consumer.endpoint.id, queue: 'work' }, reason: 'created' },
    ]);
  });

  it('wakes nobody where its consumer pushed it, and is worked all the same', async () => {
    const { id } = await consumer.push({ queue: 'work', title: 'Mine' });
    expect(board.fired).toEqual([]);
    expect((await consumer.claimNext())?.id).toBe(id);
  });

  it('is claimed oldest first, over the queues of the scope', async () => {
    const both = await board.consumer({ slug: 'both', queues: ['a', 'b'] });
    const ids: string[] = [];
    for (const queue of ['b', 'a', 'b']) {
      ids.push(await board.push(both, { queue }));
      await bench.clock.advance(1);
    }
    const claimed = [await both.claimNext(), await both.claimNext(), await both.claimNext(), await both.claimNext()];
    expect(claimed.map((todo) => todo?.id)).toEqual([...ids, undefined]);
    expect(claimed.at(-1)).toBeNull();
    // On Postgres others may have held all it looked at: it asks whether there is anything at all.
    const asked = name === 'postgres' ? 1 : 0;
    expect(await bench.cost(() => both.claimNext())).toMatchObject({ statements: 3 + asked, transactions: 1 });
  });

  it('is claimed only from the queues that a claim names', async () => {
    const both = await board.consumer({ slug: 'both', queues: ['a', 'b'] });
    await board.push(both, { queue: 'a' });
    expect(await both.claimNext({ queues: ['b'] })).toBeNull();
    expect((await both.claimNext({ queues: ['b', 'a'] }))?.queue).toBe('a');
  });

  it('goes to one of many that claim at once', async () => {
    for (let n = 0; n < 8; n += 1) await board.push(consumer);
    const second = await bench.boardOf({ store: bench.second }).board.authenticate(await credentialOf(board, 'other-worker'));
    expect(second.endpoint.id).not.toBe(consumer.endpoint.id);
    const claims = await Promise.all(Array.from({ length: 10 }, () => consumer.claimNext()));
    const ids = claims.flatMap((todo) => todo?.id ?? []);
    expect(new Set(ids).size).toBe(8);
    expect(ids).toHaveLength(8);
  });

  it('keeps an assigned todo for its assignee', async () => {
    const id = await board.push(consumer, { assignee: 'ada' });
    expect(await consumer.claimNext()).toBeNull();
    expect(await refused(consumer.claim(id, { claimant: 'bob' }))).toBe('TODO_CONFLICT');
    expect(await consumer.claimNext({ claimant: 'ada' })).toMatchObject({ id, claimant: 'ada' });
  });

  it('opens an attempt with a claim and closes it with its end', async () => {
    const id = await board.push(consumer);
    const claimed = await consumer.claimNext({ claimant: 'run 1' });
    expect(claimed).toMatchObject({ id, state: 'claimed', attempt: 1, attemptSeq: 1, leaseToken: null, earlierAttempts: [] });
    expect(claimed?.leaseUntil).toBe(bench.clock.now() + 5 * MINUTE);
    expect(await lastAttempt(id)).toMatchObject({ seq: 1, claimant: 'run 1', endedAt: null });
    const done = await consumer.complete(id, { result: { ok: true }, summary: 'went well' });
    expect(done).toMatchObject({ state: 'done', result: { ok: true }, leaseUntil: null, completedAt: bench.clock.now() });
    expect(await lastAttempt(id)).toMatchObject({ outcome: 'completed', disposition: 'done', summary: 'went well' });
    expect(await refused(consumer.complete(id))).toBe('TODO_CONFLICT');
  });

  it('is parked after a failure, 30 s and doubling, and dead after the last', async () => {
    const id = await board.push(consumer, { maxAttempts: 3 });
    const waits: (number | null)[] = [];
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect((await consumer.claimNext())?.attempt).toBe(attempt);
      const failed = await consumer.fail(id, { result: { error: 'no' } });
      waits.push(failed.nextRetryAt === null ? null : failed.nextRetryAt - bench.clock.now());
      expect(await consumer.claimNext()).toBeNull();
      if (failed.nextRetryAt !== null) await bench.clock.advance(failed.nextRetryAt - bench.clock.now());
    }
    expect(waits).toEqual([30_000, 60_000, null]);
    const { attempts, ...todo } = await consumer.getTodo(id);
    expect(todo).toMatchObject({ state: 'failed', nextRetryAt: null, result: { error: 'no' } });
    expect(attempts.map(({ seq, outcome, disposition }) => [seq, outcome, disposition])).toEqual([
      [3, 'failed', 'dead_lettered'],
      [2, 'failed', 'retry_scheduled'],
      [1, 'failed', 'retry_scheduled'],
    ]);
  });

  it('comes back by the retry scheduler when its time has come, and not before', async () => {
    const id = await board.push(consumer);
    await consumer.claimNext();
    await consumer.fail(id);
    await bench.clock.advance(29_999);
    await board.tick();
    expect((await consumer.getTodo(id)).state).toBe('failed');
    expect(reasons()).toEqual(['created']);
    await bench.clock.advance(1);
    expect((await board.tick()).map(({ duty }) => duty)).toEqual(['board.retries']);
    expect(await consumer.getTodo(id)).toMatchObject({ state: 'pending', attempt: 1, pendingSince: bench.clock.now() });
    expect(reasons()).toEqual(['created', 'requeued']);
  });

  it('comes back by the reaper when its lease has lapsed, dead where no attempt is left', async () => {
    const again = await board.push(consumer);
    await bench.clock.advance(1);
    const last = await board.push(consumer, { maxAttempts: 1, idempotencyKey: 'k' });
    await consumer.claimNext();
    await consumer.claimNext();
    await bench.clock.advance(5 * MINUTE - 2);
    await board.tick();
    expect((await consumer.getTodo(again)).state).toBe('claimed');
    await bench.clock.advance(2);
    await board.tick();
    expect(await consumer.getTodo(again)).toMatchObject({ state: 'pending', pendingSince: bench.clock.now(), claimant: null });
    expect(await consumer.getTodo(last)).toMatchObject({ state: 'failed', nextRetryAt: null, result: { error: 'lease_expired' } });
    expect(await lastAttempt(again)).toMatchObject({ outcome: 'reaped', disposition: 'requeued', endedAt: bench.clock.now() });
    expect(await lastAttempt(last)).toMatchObject({ outcome: 'reaped', disposition: 'dead_lettered' });
    expect(reasons()).toEqual(['created', 'created', 'requeued']);
    // A dead letter gave its key up.
    expect((await consumer.push({ queue: 'work', title: 'Next', idempotencyKey: 'k' })).deduped).toBe(false);
  });

  it('is taken over when its lease has lapsed, before the reaper comes by', async () => {
    const id = await board.push(consumer);
    await consumer.claimNext({ leaseMs: 1_000 });
    await bench.clock.advance(999);
    expect(await consumer.claimNext()).toBeNull();
    await bench.clock.advance(1);
    const taken = await consumer.claimNext();
    expect(taken).toMatchObject({ id, attempt: 2, attemptSeq: 2 });
    expect(taken?.earlierAttempts).toMatchObject([{ seq: 1, outcome: 'lease_expired', disposition: 'requeued' }]);
    expect((await consumer.getTodo(id)).attempts.filter(({ endedAt }) => endedAt === null)).toHaveLength(1);
  });

  it('keeps a claim alive by heartbeats, each from its own instant', async () => {
    const id = await board.push(consumer);
    await consumer.claimNext({ leaseMs: 1_000 });
    await bench.clock.advance(900);
    expect((await consumer.heartbeat(id, { leaseMs: 2_000 })).leaseUntil).toBe(bench.clock.now() + 2_000);
    expect(await lastAttempt(id)).toMatchObject({ heartbeatAt: bench.clock.now(), leaseUntil: bench.clock.now() + 2_000 });
    // A bare one goes back to the default.
    expect((await consumer.heartbeat(id)).leaseUntil).toBe(bench.clock.now() + 5 * MINUTE);
    await bench.clock.advance(5 * MINUTE);
    expect(await refused(consumer.heartbeat(id))).toBe('TODO_CONFLICT');
  });

  it('goes back by a release, which wakes and keeps the attempt counted', async () => {
    const id = await board.push(consumer);
    await consumer.claimNext();
    await bench.clock.advance(10);
    expect(await consumer.release(id, { summary: 'not now' })).toMatchObject({
      state: 'pending',
      attempt: 1,
      pendingSince: bench.clock.now(),
    });
    expect(await lastAttempt(id)).toMatchObject({ outcome: 'released', disposition: 'requeued', summary: 'not now' });
    expect(reasons()).toEqual(['created', 'requeued']);
  });

  it('is retried by hand with all attempts before it', async () => {
    const id = await board.push(consumer, { maxAttempts: 1 });
    expect(await refused(consumer.retry(id))).toBe('TODO_CONFLICT');
    await consumer.claimNext();
    await consumer.fail(id, { result: 'broken' });
    expect(await consumer.retry(id)).toMatchObject({ state: 'pending', attempt: 0, attemptsTotal: 1, result: null, completedAt: null });
    expect((await consumer.claimNext())?.attemptSeq).toBe(2);
    await consumer.fail(id);
    expect(await board.board.retry(id, ORGANIZATION)).toMatchObject({ state: 'pending' });
    expect(reasons()).toEqual(['created', 'requeued', 'requeued']);
  });

  describe('with a fence', () => {
    const HELD = ['heartbeat', 'complete', 'fail', 'release'] as const;

    it.each(HELD)('needs exactly the token of the claim to %s', async (verb) => {
      const id = await board.push(consumer);
      const token = (await consumer.claimNext({ requireFence: true }))?.leaseToken ?? '';
      const before = await consumer.getTodo(id);
      for (const leaseToken of [undefined, 'lse_wrong', `${token}x`]) {
        expect(await refused(consumer[verb](id, leaseToken === undefined ? {} : { leaseToken }))).toBe('TODO_CONFLICT');
      }
      expect(await consumer.getTodo(id)).toEqual(before);
      expect((await consumer[verb](id, { leaseToken: token })).id).toBe(id);
    });

    it.each(HELD)('refuses a superfluous and an expired one to %s', async (verb) => {
      const id = await board.push(consumer);
      await consumer.claimNext();
      expect(await refused(consumer[verb](id, { leaseToken: 'lse_none' }))).toBe('TODO_CONFLICT');
      await consumer.release(id);
      const stale = (await consumer.claimNext({ requireFence: true, leaseMs: 1_000 }))?.leaseToken ?? '';
      await bench.clock.advance(1_000);
      const before = await consumer.getTodo(id);
      expect(await refused(consumer[verb](id, { leaseToken: stale }))).toBe('TODO_CONFLICT');
      expect(await consumer.getTodo(id)).toEqual(before);
      const fresh = (await consumer.claimNext({ requireFence: true }))?.leaseToken ?? '';
      expect(await refused(consumer[verb](id, { leaseToken: stale }))).toBe('TODO_CONFLICT');
      expect((await consumer[verb](id, { leaseToken: fresh })).id).toBe(id);
    });

    it('stores only its hash', async () => {
      const id = await board.push(consumer);
      const token = (await consumer.claimNext({ requireFence: true }))?.leaseToken ?? '';
      const row = await bench.store.knex('board_todo').where({ id }).first();
      expect(token).toMatch(/^lse_/);
      expect(JSON.stringify(row)).not.toContain(token);
    });
  });

  describe('an idempotency key', () => {
    it('holds while its todo lives, parked too, and tells of nothing twice', async () => {
      const push = () => board.board.push(consumer.endpoint.id, { queue: 'work', title: 'T', idempotencyKey: 'k' }, ORGANIZATION);
      const { id } = await push();
      expect(await push()).toEqual({ id, deduped: true });
      await consumer.claimNext();
      expect(await push()).toEqual({ id, deduped: true });
      await consumer.fail(id);
      expect(await push()).toEqual({ id, deduped: true });
      expect(reasons()).toEqual(['created']);
      expect(await bench.count('board_event')).toBe(1);
      await bench.clock.advance(30_000);
      await consumer.claimNext();
      await consumer.complete(id);
      expect((await push()).deduped).toBe(false);
      expect(reasons()).toEqual(['created', 'created']);
    });

    it('passes from hand to hand without a false refusal, and leaves no event without its todo', async () => {
      const boards = [board, bench.boardOf({ store: bench.second })];
      const { credential } = await board.board.vend({ slug: 'keyed', queues: ['keyed'] }, ORGANIZATION);
      const workers = await Promise.all(boards.map((each) => each.board.authenticate(credential)));
      const todo = { queue: 'keyed', title: 'T', idempotencyKey: 'k' };
      const pushes = boards
        .flatMap((each) => [each, each])
        .map(async ({ board: by }) => {
          for (let n = 0; n < 15; n += 1) {
            await by.push('keyed', todo, ORGANIZATION);
            await new Promise((resolve) => setImmediate(resolve));
          }
        });
      let over = false;
      const consumes = workers.map(async (worker) => {
        while (!over) {
          const claimed = await worker.claimNext();
          if (claimed) await worker.complete(claimed.id);
          await new Promise((resolve) => setImmediate(resolve));
        }
      });
      await Promise.all(pushes);
      over = true;
      await Promise.all(consumes);
      const alone = await bench.store.knex('board_event').whereNotIn('id', bench.store.knex('board_todo').select('event_id'));
      expect(alone).toEqual([]);
      // The control: the key did pass on.
      expect(await bench.count('board_todo')).toBeGreaterThan(1);
    });

    it('has one winner of two that push at once', async () => {
      const other = bench.boardOf({ store: bench.second }).board;
      const todo = { queue: 'work', title: 'T', idempotencyKey: 'k' };
      const pushed = await Promise.all([board.board, other].map((each) => each.push(consumer.endpoint.id, todo, ORGANIZATION)));
      expect(new Set(pushed.map(({ id }) => id)).size).toBe(1);
      expect(pushed.map(({ deduped }) => deduped).toSorted()).toEqual([false, true]);
      expect(await bench.count('board_todo')).toBe(1);
    });
  });

  it('is not found by another endpoint, another organization, or under a queue out of scope', async () => {
    const id = await board.push(consumer);
    const other = await board.consumer({ slug: 'other' });
    for (const call of [
      () => other.getTodo(id),
      () => other.claim(id),
      () => other.heartbeat(id),
      () => other.complete(id),
      () => other.fail(id),
      () => other.release(id),
      () => other.retry(id),
      () => board.board.getTodo(id, { organizationId: 'evil' }),
      () => board.board.retry(id, { organizationId: 'evil' }),
    ]) {
      expect(await refused(call())).toBe('NOT_FOUND');
    }
    expect(await other.listTodos()).toMatchObject({ items: [] });
    expect(await refused(consumer.getTodo('td_\u0000'))).toBe('NOT_FOUND');
    expect((await consumer.getTodo(id)).state).toBe('pending');
  });

  it('asks whose board it is where no organization is given', async () => {
    for (const call of [
      () => board.board.endpoints(undefined as never),
      () => board.board.push('worker', { queue: 'work', title: 'T' }, {} as never),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'INVALID_INPUT', path: 'scope' });
    }
  });

  it('is listed newest first, in pages, by state and queue', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      ids.unshift(await board.push(consumer));
      await bench.clock.advance(1);
    }
    const first = await consumer.listTodos({ limit: 2 });
    const second = await consumer.listTodos({ limit: 2, cursor: first.nextCursor ?? '' });
    const third = await board.board.listTodos({ limit: 2, cursor: second.nextCursor ?? '' }, ORGANIZATION);
    expect([...first.items, ...second.items, ...third.items].map(({ id }) => id)).toEqual(ids);
    expect(third.nextCursor).toBeNull();
    await consumer.claimNext();
    expect((await consumer.listTodos({ state: 'claimed' })).items.map(({ id }) => id)).toEqual([ids[4]]);
    expect((await board.board.listTodos({ queue: 'elsewhere' }, ORGANIZATION)).items).toEqual([]);
  });

  it('keeps its newest fifty attempts', async () => {
    const id = await board.push(consumer, { maxAttempts: 100 });
    for (let n = 0; n < 52; n += 1) {
      await consumer.claimNext();
      await consumer.release(id);
    }
    expect(await bench.count('board_attempt', { todo_id: id })).toBe(50);
    const { attempts, attemptsTotal }: TodoDetail = await consumer.getTodo(id);
    expect(attemptsTotal).toBe(52);
    expect(attempts.map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, place) => 52 - place));
  });
});

async function credentialOf(board: TestBoard, slug: string): Promise<string> {
  return (await board.board.vend({ slug, queues: ['work'] }, ORGANIZATION)).credential;
}
