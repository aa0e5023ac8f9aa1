import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LaneRange, laneRange } from '../lane.js';
import { MemoryLanes, type WaitingJob } from './memory-lanes.js';

const ALL = laneRange();

let reads = 0;

/** A job that counts how often it is looked at. */
function counted(id: number, lane: string, groupConcurrency: number | null = null): WaitingJob {
  return {
    id: String(id).padStart(6, '0'),
    lane,
    get rankAt() {
      reads += 1;
      return id % 1_000;
    },
    get groupConcurrency() {
      reads += 1;
      return groupConcurrency;
    },
  };
}

function readsOf(act: () => unknown): number {
  reads = 0;
  act();
  return reads;
}

describe('MemoryLanes', () => {
  it('looks at a few jobs for each one it gives, whatever the backlog', () => {
    const lanes = new MemoryLanes();
    for (let at = 0; at < 50_000; at += 1) lanes.add(counted(at, `lane-${at % 7}`));
    expect(readsOf(() => expect(lanes.inTurn(10, ALL, null)).toHaveLength(10))).toBeLessThan(200);
    expect(readsOf(() => expect(lanes.isReady(ALL)).toBe(true))).toBeLessThan(50);
    expect(readsOf(() => lanes.remove(lanes.inTurn(1, ALL, null)[0]!))).toBeLessThan(200);
  });

  it('looks at none of the lanes at their cap, however many there are', () => {
    const lanes = new MemoryLanes();
    for (let at = 0; at < 5_000; at += 1) {
      lanes.add(counted(at, `full-${at}`, 1));
      lanes.hold(`full-${at}`);
    }
    expect(readsOf(() => expect(lanes.inTurn(10, ALL, null)).toEqual([]))).toBe(0);
    expect(readsOf(() => expect(lanes.isReady(ALL)).toBe(false))).toBe(0);
    lanes.letGo('full-77');
    expect(readsOf(() => expect(lanes.inTurn(10, ALL, null).map(({ lane }) => lane)).toEqual(['full-77']))).toBeLessThan(20);
  });

  it('gives what a list would: one of each lane in turn, capped ones while there is room, within the range, from the lane after', () => {
    const job = fc.record({ lane: fc.constantFrom('a', 'b', 'c', 'd', 'e'), rankAt: fc.nat(3), capped: fc.boolean() });
    const held = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 6 });
    const range = fc.constantFrom(ALL, { after: 'a', upTo: 'c' }, { after: '', upTo: 'a' }, { after: 'x', upTo: 'z' });
    const afterLane = fc.option(fc.constantFrom('', 'a', 'b', 'bb', 'c', 'e', 'z'));
    fc.assert(
      fc.property(
        fc.array(job, { maxLength: 20 }),
        held,
        fc.integer({ min: 1, max: 12 }),
        range,
        afterLane,
        (given, holds, limit, of, after) => {
          const jobs = given.map(
            ({ lane, rankAt, capped }, at): WaitingJob => ({
              id: String(at).padStart(3, '0'),
              lane,
              rankAt,
              groupConcurrency: capped ? 2 : null,
            }),
          );
          const lanes = new MemoryLanes();
          for (const each of jobs) lanes.add(each);
          for (const lane of holds) lanes.hold(lane);
          const expected = inTurn(jobs, holds, of, after);
          expect(lanes.inTurn(limit, of, after)).toEqual(expected.slice(0, limit));
          expect(lanes.isReady(of)).toBe(expected.length > 0);
          for (const each of jobs) lanes.remove(each);
          expect(lanes.inTurn(limit, ALL, null)).toEqual([]);
          expect(lanes.isEmpty).toBe(holds.length === 0);
          for (const lane of holds) lanes.letGo(lane);
          expect(lanes.isEmpty).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});

function inTurn(jobs: readonly WaitingJob[], holds: readonly string[], of: LaneRange, after: string | null): WaitingJob[] {
  const names = ['a', 'b', 'c', 'd', 'e'].filter((lane) => lane > of.after && lane <= of.upTo);
  const round = [...names.filter((lane) => after === null || lane > after), ...names.filter((lane) => after !== null && lane <= after)];
  const turns = round.map((lane) => {
    const own = jobs.filter((job) => job.lane === lane).sort((left, right) => left.rankAt - right.rankAt || (left.id < right.id ? -1 : 1));
    const capped = own.filter((job) => job.groupConcurrency !== null);
    const room = Math.max(0, 2 - holds.filter((name) => name === lane).length);
    return own.filter((job) => job.groupConcurrency === null || capped.indexOf(job) < room);
  });
  return Array.from({ length: jobs.length }, (_, turn) => turns.flatMap((lane) => lane[turn] ?? [])).flat();
}
