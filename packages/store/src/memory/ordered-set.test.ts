import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OrderedSet } from './ordered-set.js';

const ascending = (left: number, right: number) => left - right;

describe('OrderedSet', () => {
  it('answers as a sorted list would', () => {
    const step = fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 30 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: -1, max: 31 }), (steps, from) => {
        const set = new OrderedSet<number>(ascending);
        const known = new Set<number>();
        for (const [add, value] of steps) {
          if (add) set.add(value);
          else set.delete(value);
          if (add) known.add(value);
          else known.delete(value);
        }
        const list = [...known].sort(ascending);
        expect(set.size).toBe(list.length);
        expect([...set.values()]).toEqual(list);
        expect(set.first()).toBe(list[0]);
        expect(set.first((value) => value < from)).toBe(list.find((value) => value >= from));
        expect([...set.values((value) => value < from)]).toEqual(list.filter((value) => value >= from));
      }),
    );
  });

  it.each([
    ['ascending', (at: number) => at],
    ['descending', (at: number) => 9_999 - at],
    ['scattered', (at: number) => (at * 7_919) % 10_000],
  ])('keeps 10 000 values that come in %s order, and what is left of them as they go', (_title, valueAt) => {
    const set = new OrderedSet<number>(ascending);
    for (let at = 0; at < 10_000; at += 1) set.add(valueAt(at));
    expect([...set.values()]).toEqual(Array.from({ length: 10_000 }, (_, at) => at));
    for (let at = 0; at < 10_000; at += 1) if (at % 100 !== 7) set.delete(valueAt(at));
    const left = Array.from({ length: 100 }, (_, at) => valueAt(at * 100 + 7)).sort(ascending);
    expect([...set.values()]).toEqual(left);
    expect(set.first((value) => value <= (left[50] as number))).toBe(left[51]);
    for (const value of left) set.delete(value);
    expect([set.size, set.first()]).toEqual([0, undefined]);
  });

  it('compares a few values for each one it adds, finds or takes from the front, however many there are', () => {
    let comparisons = 0;
    const set = new OrderedSet<number>((left, right) => {
      comparisons += 1;
      return left - right;
    });
    for (let at = 0; at < 20_000; at += 1) set.add((at * 7_919) % 20_000);
    expect(comparisons / 20_000).toBeLessThan(20);
    comparisons = 0;
    for (let at = 0; at < 1_000; at += 1) set.delete(set.first() as number);
    expect(comparisons / 1_000).toBeLessThan(20);
  });
});
