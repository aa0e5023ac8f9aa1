import { ManualClock } from '@bellhop/testing';
import { expect, it } from 'vitest';
import { DoorbellGate } from './doorbell-gate.js';

it('lets an entry of a todo pass once in 60 s, and again at once when it is forgotten', async () => {
  const clock = new ManualClock();
  const gate = new DoorbellGate(clock);
  expect([gate.pass('a', 0), gate.pass('a', 0), gate.pass('b', 0)]).toEqual([true, false, true]);
  await clock.advance(59_999);
  expect(gate.pass('a', 0)).toBe(false);
  await clock.advance(1);
  expect([gate.pass('a', 0), gate.pass('a', 0)]).toEqual([true, false]);
  gate.forget('a');
  expect(gate.pass('a', 0)).toBe(true);
});

it('lets a later entry of the todo pass at once, and then none before it', () => {
  const gate = new DoorbellGate(new ManualClock());
  expect([gate.pass('a', 0), gate.pass('a', 1), gate.pass('a', 1), gate.pass('a', 0)]).toEqual([true, true, false, false]);
  expect(gate.size).toBe(1);
});

it('is pruned at most once in 60 s, and bounded between', async () => {
  const clock = new ManualClock();
  const gate = new DoorbellGate(clock, 3);
  gate.pass('a', 0);
  await clock.advance(30_000);
  gate.pass('b', 0);
  await clock.advance(30_000);
  gate.pass('c', 0);
  // The minute is over: what is as old went, and the rest stays.
  expect(gate.size).toBe(2);
  await clock.advance(31_000);
  gate.pass('d', 0);
  expect(gate.size).toBe(3);
  gate.pass('e', 0);
  expect(gate.size).toBe(3);
  // The oldest made room.
  expect([gate.pass('c', 0), gate.pass('d', 0), gate.pass('e', 0)]).toEqual([false, false, false]);
  expect(gate.pass('b', 0)).toBe(true);
});
