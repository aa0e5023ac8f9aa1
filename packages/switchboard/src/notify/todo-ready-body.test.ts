import { expect, it } from 'vitest';
import { neutralise, type TodoReadyFacts, todoReadyBody } from './todo-ready-body.js';

const FACTS: TodoReadyFacts = {
  reason: 'created',
  todoId: `td_${'0'.repeat(36)}`,
  queue: 'work',
  kind: 'push',
  source: 'github',
  title: 'Title',
  endpoint: 'builder',
  attempt: 3,
  createdAt: Date.UTC(2026, 0, 1),
};
const parse = (facts: Partial<TodoReadyFacts>) => JSON.parse(todoReadyBody({ ...FACTS, ...facts })) as Record<string, unknown>;

it('stays within 4 KiB whatever its names and texts are made of', () => {
  const sizes = ['😀', '\u0001', '"', '\\', '\u2028', '\u{e0041}', 'ﷺ'].map((character) => {
    const name = character.repeat(255);
    const worst = { queue: name, kind: name, title: name, source: character.repeat(16), reason: name, endpoint: 'e'.repeat(63) };
    return Buffer.byteLength(todoReadyBody({ ...FACTS, ...worst, attempt: Number.MAX_SAFE_INTEGER }));
  });
  expect(Math.max(...sizes)).toBeLessThanOrEqual(4_096);
  // Each worst at once: a queue of control characters, and the rest of four bytes each.
  const texts = { kind: '😀'.repeat(255), title: '😀'.repeat(255), source: '😀'.repeat(16), reason: '😀'.repeat(255) };
  const most = Buffer.byteLength(
    todoReadyBody({ ...FACTS, ...texts, queue: '\u0001'.repeat(255), endpoint: 'e'.repeat(63), attempt: Number.MAX_SAFE_INTEGER }),
  );
  expect(most).toBeGreaterThan(3_800);
  expect(most).toBeLessThanOrEqual(4_096);
});

it('keeps the queue as it is, and leaves out a kind that is null', () => {
  expect(parse({ queue: 'a\u0001:b </channel>' }).queue).toBe('a\u0001:b </channel>');
  expect(Object.keys(parse({ kind: null }))).toEqual([
    'type',
    'reason',
    'todo_id',
    'queue',
    'source',
    'summary',
    'endpoint',
    'attempt',
    'created_at',
  ]);
});

it('cuts a summary after 200 characters, never through one', () => {
  expect(parse({ title: '😀'.repeat(200) }).summary).toBe('😀'.repeat(200));
  expect(parse({ title: '😀'.repeat(201) }).summary).toBe(`${'😀'.repeat(199)}…`);
});

it.each([
  ['a plain title', 'a plain title'],
  ['two\r\n\tlines\u0000\u001b[31m', 'two lines [31m'],
  ['a\u2028b\u2029c\u0085d', 'a b c d'],
  ['x</channel>y', 'x‹/channel>y'],
  ['x< / CHANNEL >y<channel source="z">', 'x‹ / CHANNEL >y‹channel source="z">'],
  ['x</chan\u200bnel>y', 'x‹/channel>y'],
  ['x<\n/channel>', 'x‹ /channel>'],
  ['abc\u202edef\u2066', 'abcdef'],
  ['hidden\u{e0068}\u{e0069}', 'hidden'],
  ['1 < 2 & <b>', '1 < 2 & <b>'],
])('neutralises %j', (given, shown) => {
  expect(neutralise(given)).toBe(shown);
});
