import { ManualClock } from '@bellhop/testing';
import { expect, it } from 'vitest';
import { DoorbellGate } from './doorbell-gate.js';

it('lets a todo pass once in 60 s, and again at once when it is forgotten', async () => {
  const clock = new ManualClock();
  const gate = new DoorbellGate(clock);
  expect([gate.pass('a'), gate.pass('a'), gate.pass('b')]).toEqual([true, false, true]);
  await clock.advance(59_999);
  expect(gate.pass('a')).toBe(false);
  await clock.advance(1);
  expect([gate.pass('a'), gate.pass('a')]).toEqual([true, false]);
  gate.forget('a');
  expect(gate.pass('a')).toBe(true);
});

it('is pruned at most once in 60 s, and bounded between', async () => {
  const clock = new ManualClock();
  const gate = new DoorbellGate(clock, 3);
  gate.pass('a');
  await clock.advance(30_000);
  gate.pass('b');
  await clock.advance(30_000);
  gate.pass('c');
  // The minute is over: what is as old went, and the rest stays.
  expect(gate.size).toBe(2);
  await clock.advance(31_000);
  gate.pass('d');
  expect(gate.size).toBe(3);
  gate.pass('e');
  expect(gate.size).toBe(3);
  // The oldest made room.
  expect([gate.pass('c'), gate.pass('d'), gate.pass('e')]).toEqual([false, false, false]);
  expect(gate.pass('b')).toBe(true);
});
