import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Charge } from './charge.js';
import { BUSY_HOLD_MS, CLAIM_OVERLAP_MS, type PairFacts, type PairState, pace, SPACING_MS, STALL_AFTER_MS, WAITS_MS } from './pace.js';
import { toFacts, toState } from './pair-rows.js';
import { type PairRow, readPairs } from './sql/read-pairs.js';
import { type Columns, StallBench } from './stall-bench.fixture.js';

// The charge decides in SQL what `pace` decides of the same rows.

const PAIRS = 40;
const LONG_AGO = 100_000_000;

/** Milliseconds ago, thickly around every bound there is. */
const BOUNDS = [0, CLAIM_OVERLAP_MS, SPACING_MS, STALL_AFTER_MS, BUSY_HOLD_MS, ...WAITS_MS];
const ago = fc
  .tuple(fc.constantFrom(...BOUNDS), fc.integer({ min: -1, max: 1 }), fc.constantFrom(0, 0, 0, 60_000, 400_000))
  .map(([bound, by, more]) => Math.max(0, bound + by + more));

const pairOf = fc.record({
  alive: fc.constantFrom('yes', 'yes', 'yes', 'yes', 'yes', 'yes', 'yes', 'yes', 'yes', 'revoked', 'expired', 'expires', 'unscoped'),
  hooks: fc.array(
    fc.record({
      queues: fc.constantFrom('[]', '["mail"]', '["mail","other"]', '["other"]'),
      enabled: fc.constantFrom(0, 1, 1),
      openedAgo: fc.oneof(ago, fc.constant(LONG_AGO)),
    }),
    {
      minLength: 0,
      maxLength: 2,
    },
  ),
  todos: fc.array(
    fc.record({ gate: fc.constantFrom(0, 1, 1), assigned: fc.constantFrom(false, false, true), ago: fc.oneof(ago, fc.constant(LONG_AGO)) }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  // Counted from the last nudge where there is one: what matters is before or after that.
  claims: fc.array(
    fc.record({ byNudge: fc.boolean(), ago, live: fc.boolean(), outcome: fc.constantFrom('released', 'completed', 'reaped', null, null) }),
    { maxLength: 2 },
  ),
  ledger: fc.option(fc.record({ nudges: fc.integer({ min: 0, max: 6 }), ago, quiet: fc.constantFrom(false, false, false, true) }), {
    freq: 5,
  }),
});
/** Those in whose way nothing stands but the ledger and the claims: among all pairs they are few. */
const plainPairOf: typeof pairOf = fc.record({
  alive: fc.constant('yes'),
  hooks: fc.constant([{ queues: '[]', enabled: 1, openedAgo: LONG_AGO }]),
  todos: fc
    .constantFrom(LONG_AGO, LONG_AGO, LONG_AGO, STALL_AFTER_MS, STALL_AFTER_MS + 1)
    .map((since) => [{ gate: 1, assigned: false, ago: since }]),
  claims: fc.array(
    fc.record({ byNudge: fc.boolean(), ago, live: fc.boolean(), outcome: fc.constantFrom('released', 'completed', 'reaped', null) }),
    { minLength: 1, maxLength: 2 },
  ),
  ledger: fc.option(fc.record({ nudges: fc.integer({ min: 0, max: 6 }), ago, quiet: fc.constant(false) }), { freq: 5 }),
});
type PairCase = typeof pairOf extends fc.Arbitrary<infer Case> ? Case : never;

describe.each(['sqlite', 'postgres'] as const)('the charge on %s', (name) => {
  let bench: StallBench;
  beforeAll(async () => {
    bench = await StallBench.open(name);
  });
  afterAll(() => bench.drop());

  it('charges exactly the pairs of which pace says that they are due, and counts as it says', async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(pairOf, plainPairOf), { minLength: PAIRS, maxLength: PAIRS }), async (cases) => {
        await bench.clear();
        await insert(cases);
        const { now } = bench;
        const expected = cases.map((each) => paceOf(each, now));
        for (const { reason } of expected) seen.set(reason, (seen.get(reason) ?? 0) + 1);

        const read = new Map<string, PairRow>();
        await bench.store.readRows<PairRow>(readPairs(bench.wakes.wakeSql), { now }, (row) => void read.set(row.endpoint_id, row));
        const dueByRead = cases.map((_, index) => {
          const row = read.get(`ep-${index}`);
          return row !== undefined && pace(toState(row), toFacts(row, row.deliverable === 1), now).due;
        });
        expect(dueByRead).toEqual(expected.map(({ due }) => due));

        const all = cases.map((_, index) => ({ endpointId: `ep-${index}`, queue: 'mail' }));
        const charged = await new Charge(bench.store, bench.wakes).run(all, now);
        const counts = new Map(charged.map(({ todo, nudges }) => [todo.endpointId, nudges]));
        expect(cases.map((_, index) => counts.get(`ep-${index}`))).toEqual(expected.map(({ due, counted }) => (due ? counted : undefined)));
        expect(charged.every(({ todo, nudgedAt }) => todo.id.startsWith(`${todo.endpointId}-`) && nudgedAt === now)).toBe(true);
      }),
      { numRuns: 20 },
    );
    // Every way that pace knows was gone.
    expect([...seen.keys()].toSorted()).toEqual(
      ['again', 'busy', 'drained', 'exhausted', 'first', 'fresh_door', 'progress', 'too_young', 'undeliverable', 'waiting'].toSorted(),
    );
  });

  const insert = async (cases: readonly PairCase[]) => {
    const { now, store } = bench;
    const base = { organization_id: 'org-a' };
    const rows: Record<string, Columns[]> = {
      board_endpoint: [],
      board_notify_hook: [],
      board_todo: [],
      board_attempt: [],
      queue_stall_nudges: [],
    };
    cases.forEach(({ alive, hooks, todos, claims, ledger }, index) => {
      const id = `ep-${index}`;
      rows.board_endpoint?.push({
        ...base,
        id,
        slug: id,
        credential_hash: id,
        credential_prefix: 'x',
        queues: alive === 'unscoped' ? '["other"]' : '["other","mail"]',
        verbs: '[]',
        state: alive === 'revoked' ? 'revoked' : 'active',
        expires_at: alive === 'expired' ? now : alive === 'expires' ? now + 1 : null,
        created_at: 0,
      });
      hooks.forEach(({ queues, enabled, openedAgo }, hook) => {
        const opened = now - openedAgo;
        rows.board_notify_hook?.push({
          ...base,
          id: `${id}-${hook}`,
          endpoint_id: id,
          url: 'u',
          secret: 's',
          queues,
          enabled,
          failures: 0,
          opened_at: opened,
          created_at: 0,
        });
      });
      todos.forEach((todo, at) => {
        rows.board_todo?.push(
          bench.todoRow({
            id: `${id}-t${at}`,
            endpoint_id: id,
            gate: todo.gate,
            assignee: todo.assigned ? 'a' : null,
            pending_since: now - todo.ago,
          }),
        );
      });
      claims.forEach((claim, at) => {
        const todoId = `${id}-c${at}`;
        rows.board_todo?.push(bench.todoRow({ id: todoId, endpoint_id: id, state: 'done', assignee: null, pending_since: 0 }));
        const claimedAt = claimedAtOf(claim, ledger, now);
        rows.board_attempt?.push({
          ...base,
          todo_id: todoId,
          seq: 1,
          endpoint_id: id,
          queue: 'mail',
          claimed_at: claimedAt,
          lease_until: claim.live ? now + 1 : now,
          ended_at: claim.outcome === null ? null : now,
          outcome: claim.outcome,
        });
      });
      if (ledger) {
        rows.queue_stall_nudges?.push({
          endpoint_id: id,
          queue: 'mail',
          nudges: ledger.nudges,
          last_nudged_at: now - ledger.ago,
          last_outcome: null,
          quiet_since: ledger.quiet ? now : null,
        });
      }
    });
    for (const [table, all] of Object.entries(rows)) await store.knex.batchInsert(table, all as never, 30);
  };
});

function claimedAtOf({ byNudge, ago: back }: PairCase['claims'][number], ledger: PairCase['ledger'], now: number): number {
  return now - (byNudge && ledger ? ledger.ago : 0) - back;
}

/** What pace says of a case, of facts that are worked out here. */
function paceOf({ alive, hooks, todos, claims, ledger }: PairCase, now: number) {
  const covering = hooks.filter(({ enabled, queues }) => enabled === 1 && queues !== '["other"]');
  const claimable = todos.filter(({ gate, assigned }) => gate === 1 && !assigned);
  const newest = (times: readonly number[]) => (times.length > 0 ? Math.max(...times) : null);
  const at = (claim: PairCase['claims'][number]) => claimedAtOf(claim, ledger, now);
  const facts: PairFacts = {
    oldestPendingSince: claimable.length > 0 ? now - Math.max(...claimable.map(({ ago: back }) => back)) : null,
    deliverable: (alive === 'yes' || alive === 'expires') && covering.length > 0,
    newestLiveClaimAt: newest(claims.filter(({ outcome, live }) => outcome === null && live).map(at)),
    newestProgressAt: newest(claims.filter(({ outcome }) => outcome !== 'released').map(at)),
    doorOpenedAt: newest(covering.map(({ openedAgo }) => now - openedAgo)),
  };
  const state: PairState | null = ledger && {
    nudges: ledger.nudges,
    lastNudgedAt: now - ledger.ago,
    quietSince: ledger.quiet ? now : null,
  };
  const paced = pace(state, facts, now);
  const counted = state && !paced.resets ? (state.quietSince === null ? state.nudges : 0) + 1 : 1;
  return { ...paced, counted };
}
