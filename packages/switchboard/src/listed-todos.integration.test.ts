import type { BoardConsumer, ListedTodo } from '@bellhop/contracts';
import { TEST_STORE_NAMES } from '@bellhop/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BoardBench, boardBench, ORGANIZATION, type TestBoard } from './board-bench.fixture.js';

// What lists leave out, on every store: a page has a bound in bytes, whatever payloads and results its todos have.

const MIB = 1_048_576;

/** Of the events that fill a page. 200 todos of 4 MiB are written in seconds here; elsewhere it takes longer, or as much memory. */
const EVENT_BYTES: Readonly<Record<string, number>> = { sqlite: 4 * MIB, postgres: 4 * MIB };

/** A text whose JSON has so many bytes; each of its characters, but perhaps one, has as many as given. */
function textOf(jsonBytes: number, character = 'x'): string {
  const [wanted, each] = [jsonBytes - 2, Buffer.byteLength(character)];
  return 'x'.repeat(wanted % each) + character.repeat(Math.floor(wanted / each));
}

describe.each(TEST_STORE_NAMES)('listed todos on %s', (name) => {
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

  /** The todo as the list of its consumer has it, which is the operator's list, too. */
  async function listed(id: string): Promise<ListedTodo | undefined> {
    const [own, all] = [await consumer.listTodos(), await board.board.listTodos({}, ORGANIZATION)];
    expect(all).toEqual(own);
    return own.items.find((todo) => todo.id === id);
  }

  /** The todo by its id, which is the same for both. */
  async function got(id: string) {
    const todo = await consumer.getTodo(id);
    expect(await board.board.getTodo(id, ORGANIZATION)).toEqual(todo);
    return todo;
  }

  it.each([
    ['ascii', 'x'],
    ['two bytes a character', 'é'],
    ['four bytes a character', '😀'],
  ])('leave out a payload of 4 097 bytes and no shorter one: %s', async (_, character) => {
    const [fits, long] = [textOf(4_096, character), textOf(4_097, character)];
    expect([fits, long].map((text) => Buffer.byteLength(JSON.stringify(text)))).toEqual([4_096, 4_097]);
    const ids = [await board.push(consumer, { payload: fits }), await board.push(consumer, { payload: long })] as const;
    expect(await listed(ids[0])).toMatchObject({ payload: fits, payloadOmitted: false, resultOmitted: false });
    expect(await listed(ids[1])).toMatchObject({ payload: null, payloadOmitted: true, resultOmitted: false });
    expect((await got(ids[0])).payload).toBe(fits);
    expect((await got(ids[1])).payload).toBe(long);
    expect((await consumer.claim(ids[1])).payload).toBe(long);
  });

  it('leave out a result of 4 097 bytes and no shorter one', async () => {
    for (const [result, omitted] of [
      [textOf(4_096, 'é'), false],
      [textOf(4_097, 'é'), true],
    ] as const) {
      const id = await board.push(consumer, { payload: { n: 1 } });
      await consumer.claim(id);
      expect((await consumer.complete(id, { result })).result).toBe(result);
      expect(await listed(id)).toMatchObject({
        payload: { n: 1 },
        payloadOmitted: false,
        result: omitted ? null : result,
        resultOmitted: omitted,
      });
      expect((await got(id)).result).toBe(result);
    }
  });

  it('tell a payload that is null, and a result that there is none of, from those that were left out', async () => {
    const id = await board.push(consumer);
    expect(await listed(id)).toMatchObject({ payload: null, payloadOmitted: false, result: null, resultOmitted: false });
  });

  it('are else as the todo by its id is', async () => {
    const id = await board.push(consumer, { payload: { n: 1 }, kind: 'invoice', idempotencyKey: 'k', assignee: 'ada' });
    await consumer.claim(id, { claimant: 'ada' });
    const { attempts: _, ...todo } = await got(id);
    expect(await listed(id)).toEqual({ ...todo, payloadOmitted: false, resultOmitted: false });
  });

  it('make a small page of 200 todos, however large their events are', { timeout: 60_000 }, async () => {
    const queues = Array.from({ length: 20 }, (_, place) => `q${place}`);
    const many = await board.consumer({ slug: 'many', queues });
    const webhooks = await board.board.webhooks(many.endpoint.id, ORGANIZATION);
    const { token } = await webhooks.create({ source: 'generic' });
    const body = Buffer.from(JSON.stringify({ text: textOf(EVENT_BYTES[name] ?? MIB / 16) }));
    for (let delivery = 0; delivery < 10; delivery += 1) {
      await board.board.ingest({ token, address: '192.0.2.1', headers: {}, body });
    }
    const pages = [await many.listTodos({ limit: 200 }), await board.board.listTodos({ limit: 200 }, ORGANIZATION)];
    for (const { items, nextCursor } of pages) {
      expect([items.length, nextCursor]).toEqual([200, null]);
      expect(items.every(({ payload, payloadOmitted }) => payload === null && payloadOmitted)).toBe(true);
    }
    // As an answer over HTTP has them: some 600 bytes for each todo.
    for (const page of pages) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(200 * 1_024);
    // The control: they are all there.
    expect(await bench.count('board_todo')).toBe(200);
    const { payload } = await many.getTodo(pages[0]?.items[199]?.id ?? '');
    expect(Buffer.byteLength(JSON.stringify(payload))).toBe(body.byteLength);
  });
});
