import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { byTime, type TimeEntry, TimeIndex } from './time-index.js';

describe('TimeIndex', () => {
  it('answers as a sorted list would', () => {
    const entry = fc.record({ time: fc.integer({ min: 0, max: 9 }), id: fc.constantFrom('a', 'b', 'c', 'd') });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), entry), { maxLength: 60 }), fc.integer({ min: -1, max: 10 }), (steps, time) => {
        const index = new TimeIndex();
        let list: TimeEntry[] = [];
        for (const [add, { time: at, id }] of steps) {
          const there = list.some((known) => known.time === at && known.id === id);
          if (add && !there) {
            index.add(at, id);
            list.push({ time: at, id });
          } else if (!add) {
            index.remove(at, id);
            list = list.filter((known) => known.time !== at || known.id !== id);
          }
        }
        list.sort(byTime);
        expect(index.size).toBe(list.length);
        expect(index.first()).toEqual(list[0]);
        expect([...index.upTo(time)]).toEqual(list.filter((known) => known.time <= time));
        expect(index.firstTimeAfter(time)).toBe(list.find((known) => known.time > time)?.time);
      }),
    );
  });
});
