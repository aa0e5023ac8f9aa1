import { ManualClock } from '@bellhop/testing';
import { expect, it } from 'vitest';
import { HookLimit } from './hook-limit.js';

const taken = (limit: HookLimit, hookId: string, tries: number) =>
  Array.from({ length: tries }, () => limit.take(hookId)).filter(Boolean).length;

it('lets 120 through at once, then two a second, each hook by itself', async () => {
  const clock = new ManualClock();
  const limit = new HookLimit(clock);
  expect(taken(limit, 'a', 130)).toBe(120);
  expect(taken(limit, 'b', 130)).toBe(120);
  await clock.advance(499);
  expect(taken(limit, 'a', 3)).toBe(0);
  await clock.advance(1);
  expect(taken(limit, 'a', 3)).toBe(1);
  await clock.advance(3_600_000);
  expect(taken(limit, 'a', 130)).toBe(120);
});

it('remembers so many hooks, and forgets the one asked for longest ago', () => {
  const limit = new HookLimit(new ManualClock(), 2);
  expect(taken(limit, 'a', 120)).toBe(120);
  expect(taken(limit, 'b', 120)).toBe(120);
  expect(limit.take('a')).toBe(false);
  expect(limit.take('c')).toBe(true);
  expect(limit.size).toBe(2);
  expect(limit.take('a')).toBe(false);
  expect(limit.take('b')).toBe(true);
});
