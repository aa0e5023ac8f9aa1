import type { BoardConsumer, PushInput, ReadyTodo, VendInput } from '@bellhop/contracts';
import { silentLogger } from '@bellhop/kernel';
import type { OutboundRequest, OutboundResult } from '@bellhop/outbound';
import { Reaper } from '@bellhop/reaper';
import type { TestStoreName } from '@bellhop/testing';
import { type AssembledBoard, assembleBoard, type BoardParts } from './assemble-board.js';
import { boardDuties } from './duties/board-duties.js';
import { type BoardDatabase, boardDatabase } from './stores/board-stores.fixture.js';

/** 32 bytes of no value to anybody. */
export const TEST_ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64');

export const ORGANIZATION = { organizationId: 'acme' } as const;

const DAY_MS = 86_400_000;

export interface TestBoard extends AssembledBoard {
  /** What the ready hook was told, in order. */
  readonly fired: { readonly todo: ReadyTodo; readonly reason: string }[];
  /** What notify hooks were called with. */
  readonly posts: OutboundRequest[];
  /** One tick of the reaper with the board's duties. */
  tick(): ReturnType<Reaper['tick']>;
  /** Vends an endpoint and comes in by its credential. Default: the slug `worker`, the queue `work`. */
  consumer(vend?: Partial<VendInput>): Promise<BoardConsumer>;
  /** A todo that passes the gate. @returns its id. */
  push(consumer: BoardConsumer, todo?: Partial<PushInput>): Promise<string>;
}

export interface BoardBench extends BoardDatabase {
  /** A board over the database, as another process has its own. */
  boardOf(parts?: Partial<BoardParts>): TestBoard;
}

/** A database with the board's tables, and boards over it. */
export async function boardBench(name: TestStoreName): Promise<BoardBench> {
  const base = await boardDatabase(name);
  return { ...base, boardOf: (parts = {}) => testBoard(base, parts) };
}

function testBoard({ store, clock }: BoardDatabase, parts: Partial<BoardParts>): TestBoard {
  const posts: OutboundRequest[] = [];
  const client = {
    async send(request: OutboundRequest): Promise<OutboundResult> {
      posts.push(request);
      return { kind: 'answered', status: 204, headers: {}, text: '', cut: false, durationMs: 1 };
    },
    async close() {},
  };
  const assembled = assembleBoard({ store, clock, client, encryptionKey: TEST_ENCRYPTION_KEY, logger: silentLogger, ...parts });
  const { board, duties } = assembled;
  const fired: { todo: ReadyTodo; reason: string }[] = [];
  board.onReady((todo, reason) => void fired.push({ todo, reason }));
  const reaper = new Reaper({
    duties: boardDuties({ eventsMs: 30 * DAY_MS, todosMs: 30 * DAY_MS }, () => duties),
    store: parts.store ?? store,
    clock,
  });
  return {
    ...assembled,
    fired,
    posts,
    tick: () => reaper.tick(),
    async consumer(vend = {}) {
      const { credential } = await board.vend({ slug: 'worker', queues: ['work'], ...vend }, ORGANIZATION);
      return board.authenticate(credential);
    },
    async push({ endpoint }, todo = {}) {
      return (await board.push(endpoint.id, { queue: endpoint.queues[0] ?? '', title: 'Do it', ...todo }, ORGANIZATION)).id;
    },
  };
}
