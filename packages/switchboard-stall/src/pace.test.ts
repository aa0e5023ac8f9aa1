import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BUSY_HOLD_MS,
  CLAIM_OVERLAP_MS,
  FORGET_AFTER_MS,
  MAX_NUDGES,
  type PairFacts,
  type PairState,
  pace,
  SPACING_MS,
  STALL_AFTER_MS,
  WAITS_MS,
  wait,
} from './pace.js';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

const facts = (given: Partial<PairFacts> = {}): PairFacts => ({
  oldestPendingSince: NOW - 100 * MINUTE,
  deliverable: true,
  newestLiveClaimAt: null,
  newestProgressAt: null,
  doorOpenedAt: null,
  ...given,
});
const nudged = (nudges: number, msAgo: number, quietSince: number | null = null): PairState => ({
  nudges,
  lastNudgedAt: NOW - msAgo,
  quietSince,
});

describe('pace', () => {
  it('knows the waits: 5 min, 20 min, 1 h, 6 h; 5 min at none', () => {
    expect([0, 1, 2, 3, 4, 5, 9].map(wait)).toEqual([5, 5, 20, 60, 360, 360, 360].map((minutes) => minutes * MINUTE));
  });

  it.each<[string, PairState | null, Partial<PairFacts>, object]>([
    ['nothing pending', null, { oldestPendingSince: null }, { reason: 'drained', nextDueAt: null }],
    ['nobody to tell', null, { deliverable: false }, { reason: 'undeliverable', nextDueAt: null }],
    ['2 min old', null, { oldestPendingSince: NOW - STALL_AFTER_MS }, { reason: 'too_young', nextDueAt: NOW + 1 }],
    ['older', null, { oldestPendingSince: NOW - STALL_AFTER_MS - 1 }, { reason: 'first', nextDueAt: NOW, due: true, resets: false }],
    ['5 min after the first', nudged(1, 5 * MINUTE), {}, { reason: 'again', nextDueAt: NOW, due: true, resets: false }],
    ['a moment earlier', nudged(1, 5 * MINUTE - 1), {}, { reason: 'waiting', nextDueAt: NOW + 1 }],
    ['taken back', nudged(0, 5 * MINUTE), {}, { reason: 'again', due: true }],
    ['all used', nudged(MAX_NUDGES, 1e12), {}, { reason: 'exhausted', nextDueAt: null }],
    ['all used, and quiet meanwhile', nudged(MAX_NUDGES, 5 * MINUTE, NOW), {}, { reason: 'again', due: true, resets: false }],
    ['all used, and the oldest young', nudged(MAX_NUDGES, 1e12), { oldestPendingSince: NOW }, { reason: 'too_young', nextDueAt: null }],
    ['progress', nudged(MAX_NUDGES, MINUTE), { newestProgressAt: NOW - 1 }, { reason: 'progress', due: true, resets: true }],
    [
      'progress just inside the overlap',
      nudged(2, MINUTE),
      { newestProgressAt: NOW - MINUTE - CLAIM_OVERLAP_MS + 1 },
      { reason: 'progress', due: true },
    ],
    ['a claim just outside', nudged(2, MINUTE), { newestProgressAt: NOW - MINUTE - CLAIM_OVERLAP_MS }, { reason: 'waiting' }],
    ['progress at none', nudged(0, MINUTE), { newestProgressAt: NOW - 1 }, { reason: 'waiting', nextDueAt: NOW + 4 * MINUTE }],
    [
      'progress that lasts',
      nudged(2, MINUTE),
      { newestProgressAt: NOW - 1, newestLiveClaimAt: NOW - 1 },
      { reason: 'busy', nextDueAt: NOW - 1 + BUSY_HOLD_MS, resets: true },
    ],
    ['busy before the first', null, { newestLiveClaimAt: NOW }, { reason: 'busy', nextDueAt: NOW + BUSY_HOLD_MS }],
    ['busy, of an old claim, for 5 min', null, { newestLiveClaimAt: NOW - BUSY_HOLD_MS }, { reason: 'first', due: true }],
    ['a fresh door', nudged(MAX_NUDGES, MINUTE), { doorOpenedAt: NOW - MINUTE + 1 }, { reason: 'fresh_door', due: true, resets: true }],
    ['an old door', nudged(MAX_NUDGES, MINUTE), { doorOpenedAt: NOW - MINUTE }, { reason: 'exhausted' }],
    ['a fresh door within one tick', nudged(1, 1_000), { doorOpenedAt: NOW }, { reason: 'waiting', nextDueAt: NOW - 1_000 + SPACING_MS }],
  ])('%s', (_, state, given, expected) => {
    expect(pace(state, facts(given), NOW)).toMatchObject({ due: false, ...expected });
  });

  const time = fc.integer({ min: NOW - 30_000_000, max: NOW });
  const anyFacts = fc.record({
    oldestPendingSince: fc.option(time),
    deliverable: fc.boolean(),
    newestLiveClaimAt: fc.option(time),
    newestProgressAt: fc.option(time),
    doorOpenedAt: fc.option(time),
  });
  const anyState = fc.option(fc.record({ nudges: fc.integer({ min: 0, max: 6 }), lastNudgedAt: time, quietSince: fc.option(time) }));

  it('is due from nextDueAt on, and never without one', () => {
    fc.assert(
      fc.property(anyState, anyFacts, fc.integer({ min: NOW, max: NOW + 30_000_000 }), (state, given, now) => {
        const { due, nextDueAt } = pace(state, given, now);
        expect(due).toBe(nextDueAt !== null && nextDueAt <= now);
        // Time alone changes nothing about when: whoever explains it says the same as who sweeps.
        expect(pace(state, given, now + 1).nextDueAt).toBe(nextDueAt);
        if (due) expect(pace(state, given, now + 1).due).toBe(true);
      }),
    );
  });

  it('grants no nudge within one tick of the last, and none that is not the longer waited for the more there were', () => {
    fc.assert(
      fc.property(anyState, anyFacts, (state, given) => {
        const { nextDueAt } = pace(state, given, NOW);
        if (state && nextDueAt !== null) expect(nextDueAt).toBeGreaterThanOrEqual(state.lastNudgedAt + SPACING_MS);
        if (!state || state.quietSince !== null || state.nudges === 0) return;
        const more = pace({ ...state, nudges: state.nudges + 1 }, given, NOW).nextDueAt;
        expect(more ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(nextDueAt ?? Number.POSITIVE_INFINITY);
      }),
    );
  });
});

interface Claim {
  readonly at: number;
  readonly endsAt: number;
  readonly how: 'completed' | 'released' | 'crashed';
}

/** What happens to a pair in the middle of a tick. */
type Event =
  | { readonly kind: 'nothing' | 'push' | 'door' }
  | { readonly kind: 'claim'; readonly how: Claim['how']; readonly ticks: number };

/** A pair, its consumer and its ledger, swept by several processes each 30 s; what the charge and the housekeeping do is done here. */
class PairModel {
  state: PairState | null = null;
  pending: number[] = [];
  claims: Claim[] = [];
  doors: number[] = [];
  readonly charges: { at: number; accepted: boolean; earned: boolean }[] = [];

  happen(event: Event, at: number): void {
    if (event.kind === 'push') this.pending.push(at);
    if (event.kind === 'door') this.doors.push(at);
    if (event.kind === 'claim' && this.pending.length > 0) {
      this.pending.shift();
      this.claims.push({ at, endsAt: at + event.ticks * 30_000, how: event.how });
    }
  }

  /** Todos that claims gave back until now: their lease is over with the claim. */
  settle(from: number, now: number): void {
    for (const { endsAt, how } of this.claims) {
      if (endsAt > from && endsAt <= now && how !== 'completed') this.pending.push(endsAt);
    }
    this.pending.sort((one, other) => one - other);
  }

  sweep(now: number, accepted: boolean): void {
    const live = this.claims.filter(({ endsAt }) => endsAt > now);
    const state = this.state;
    const progress = this.claims.filter(({ endsAt, how }) => how !== 'released' || endsAt > now);
    const paced = pace(
      state,
      {
        oldestPendingSince: this.pending[0] ?? null,
        deliverable: true,
        newestLiveClaimAt: newest(live.map(({ at }) => at)),
        newestProgressAt: newest(progress.map(({ at }) => at)),
        doorOpenedAt: newest(this.doors),
      },
      now,
    );
    if (paced.due) {
      const counted = state && !paced.resets ? (state.quietSince === null ? state.nudges : 0) + 1 : 1;
      const last = this.charges.at(-1)?.at ?? 0;
      const earned = progress.some(({ at }) => at > last - CLAIM_OVERLAP_MS) || this.doors.some((at) => at > last);
      this.charges.push({ at: now, accepted, earned });
      this.state = { nudges: accepted ? counted : Math.max(counted - 1, 0), lastNudgedAt: now, quietSince: null };
    } else if (state) this.#keep(state, live.length > 0, now);
  }

  #keep(state: PairState, held: boolean, now: number): void {
    if (this.pending.length > 0) {
      if (state.quietSince !== null) this.state = { ...state, nudges: 0, quietSince: null };
    } else if (state.quietSince === null) {
      if (!held) this.state = { ...state, quietSince: now };
    } else if (state.quietSince <= now - FORGET_AFTER_MS) this.state = null;
  }
}

function newest(times: readonly number[]): number | null {
  return times.length > 0 ? Math.max(...times) : null;
}

/** Sweeps of a tick: three processes out of step. */
const PHASES_MS = [0, 7_000, 13_000];
const EVENT_AT_MS = 20_000;

function simulate(events: readonly Event[], accepted: (charge: number) => boolean): PairModel {
  const model = new PairModel();
  let seen = 0;
  const moveTo = (now: number) => {
    model.settle(seen, now);
    seen = now;
  };
  events.forEach((event, tick) => {
    const begin = NOW + tick * 30_000;
    for (const phase of PHASES_MS) {
      moveTo(begin + phase);
      model.sweep(begin + phase, accepted(model.charges.length));
    }
    moveTo(begin + EVENT_AT_MS);
    model.happen(event, begin + EVENT_AT_MS);
  });
  return model;
}

describe('nudges of a pair, whatever its consumer does', () => {
  const event: fc.Arbitrary<Event> = fc.oneof(
    { weight: 6, arbitrary: fc.constant<Event>({ kind: 'nothing' }) },
    { weight: 2, arbitrary: fc.constant<Event>({ kind: 'push' }) },
    { weight: 1, arbitrary: fc.constant<Event>({ kind: 'door' }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('claim' as const),
        how: fc.constantFrom<Claim['how'][]>('completed', 'released', 'crashed'),
        ticks: fc.integer({ min: 0, max: 20 }),
      }),
    },
  );

  it('are at most one per tick, and at most five accepted ones without progress or a fresh door', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 50, maxLength: 400 }), fc.array(fc.boolean()), (events, outcomes) => {
        const { charges } = simulate([{ kind: 'push' }, { kind: 'push' }, ...events], (charge) => outcomes[charge] ?? true);
        let used = 0;
        charges.forEach(({ at, accepted, earned }, index) => {
          const before = charges[index - 1];
          if (before) expect(at - before.at).toBeGreaterThanOrEqual(SPACING_MS);
          used = (earned ? 0 : used) + (accepted ? 1 : 0);
          expect(used).toBeLessThanOrEqual(MAX_NUDGES);
        });
      }),
      { numRuns: 150 },
    );
  });

  it('come to five for one that only gives back what it claims, over three days', () => {
    const events: Event[] = Array.from({ length: 8_640 }, (_, tick) =>
      tick % 3 === 0 ? { kind: 'claim', how: 'released', ticks: 1 } : { kind: 'nothing' },
    );
    const { charges } = simulate([{ kind: 'push' }, { kind: 'push' }, ...events], () => true);
    expect(charges).toHaveLength(MAX_NUDGES);
  });

  it('the control: the same claims, completed, of a queue that is filled again, bring one after another', () => {
    const events: Event[] = Array.from({ length: 2_880 }, (_, tick) =>
      tick % 12 === 0 ? { kind: 'push' } : tick % 12 === 6 ? { kind: 'claim', how: 'completed', ticks: 1 } : { kind: 'nothing' },
    );
    const backlog: Event[] = Array.from({ length: 5 }, () => ({ kind: 'push' }));
    const { charges } = simulate([...backlog, ...events], () => true);
    expect(charges.length).toBeGreaterThan(100);
  });

  it('keep coming each 5 min where none is accepted', () => {
    const events: Event[] = Array.from({ length: 240 }, () => ({ kind: 'nothing' }));
    const { charges } = simulate([{ kind: 'push' }, ...events], () => false);
    expect(charges.slice(1).every(({ at }, index) => at - (charges[index]?.at ?? 0) >= (WAITS_MS[0] as number))).toBe(true);
    expect(charges.length).toBe(24);
  });
});
