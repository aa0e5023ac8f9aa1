import { type PushInput, QUARANTINE_QUEUE, type TodoState } from '@bellhop/contracts';
import { BellhopError, systemClock } from '@bellhop/kernel';
import { stallLines, todoLine } from './board-lines.js';
import { needed, nothingThere, printJson, wholeNumber } from './endpoint-command.js';
import { type BoardFlags, withBoard } from './open-board.js';
import { quoted } from './queue-lines.js';

export interface PushFlags extends BoardFlags {
  readonly queue: string;
  readonly payload?: string | undefined;
  readonly kind?: string | undefined;
  readonly key?: string | undefined;
}

export interface ListFlags extends BoardFlags {
  readonly queue?: string | undefined;
  readonly state?: string | undefined;
  readonly limit?: string | undefined;
  readonly cursor?: string | undefined;
}

/** `bellhop todo push <endpoint> <title>`: the id alone on standard output. It wakes the consumer. */
export async function todoPush(endpoint: string, title: string, { queue, payload, kind, key, ...flags }: PushFlags): Promise<void> {
  const input: PushInput = {
    queue,
    title,
    ...(payload === undefined ? {} : { payload: jsonOf(payload) }),
    ...(kind === undefined ? {} : { kind }),
    ...(key === undefined ? {} : { idempotencyKey: key }),
  };
  const pushed = await withBoard(flags, ({ board, scope }) => board.push(endpoint, input, scope), needed);
  if (flags.json) return printJson(pushed);
  if (pushed.deduped) process.stderr.write('Another todo holds this key: nothing was stored. Its id:\n');
  process.stdout.write(`${pushed.id}\n`);
}

/** `bellhop todo list <endpoint>`: a line for each, newest first; where the list goes on, on standard error. */
export async function todoList(endpoint: string, { queue, state, limit, cursor, ...flags }: ListFlags): Promise<void> {
  const filter = {
    ...(queue === undefined ? {} : { queue }),
    // The board says which states there are.
    ...(state === undefined ? {} : { state: state as TodoState }),
    ...(limit === undefined ? {} : { limit: wholeNumber(limit, '--limit') }),
    ...(cursor === undefined ? {} : { cursor }),
  };
  const found = await withBoard(
    flags,
    async ({ board, scope }) => {
      const { id, queues } = await board.endpoint(endpoint, scope);
      return { queues, page: await board.listTodos({ ...filter, endpointId: id }, scope) };
    },
    nothingThere,
  );
  const page = found?.page;
  if (found?.page.items.length === 0) process.stderr.write(`${noTodos(endpoint, queue, found.queues)}\n`);
  if (page && page.nextCursor !== null) process.stderr.write(`There are more. The next ones: --cursor ${page.nextCursor}\n`);
  if (flags.json) return printJson(page?.items ?? []);
  const now = systemClock.now();
  process.stdout.write((page?.items ?? []).map((todo) => `${todoLine(todo, now)}\n`).join(''));
}

/** `bellhop todo retry <id>`. */
export async function todoRetry(id: string, flags: BoardFlags): Promise<void> {
  const todo = await withBoard(flags, ({ board, scope }) => board.retry(id, scope), needed);
  if (flags.json) return printJson(todo);
  process.stdout.write(`${todo.id} is pending again, with all its attempts before it.\n`);
}

/** `bellhop stall explain <endpoint> <queue>`: why a queue is quiet, and when its consumer is woken next. */
export async function stallExplain(endpoint: string, queue: string, flags: BoardFlags): Promise<void> {
  const explanation = await withBoard(flags, ({ stalls, scope }) => stalls.explain(endpoint, queue, scope), needed);
  if (flags.json) return printJson(explanation);
  process.stdout.write(
    stallLines(explanation)
      .map((line) => `${line}\n`)
      .join(''),
  );
}

/** @param queues of the endpoint's scope. */
function noTodos(endpoint: string, queue: string | undefined, queues: readonly string[]): string {
  if (queue === undefined) return 'There are no such todos.';
  if (queues.includes(queue) || queue === QUARANTINE_QUEUE) return `There are no such todos in the queue ${quoted(queue)}.`;
  const scope = queues.map(quoted).join(', ');
  return `The queue ${quoted(queue)} is not in the scope of ${quoted(endpoint)} and holds none of its todos. Its queues: ${scope}.`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The text is a payload, and is not told again.
    throw new BellhopError(
      'INVALID_INPUT',
      `--payload: the ${text.length} characters given are no JSON. A text is JSON in double quotes.`,
      { cause },
    );
  }
}
