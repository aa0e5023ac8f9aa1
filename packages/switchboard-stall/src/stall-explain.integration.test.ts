import { STALL_STATES, type StallState } from '@bellhop/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE, ORGANIZATION, StallBench } from './stall-bench.fixture.js';

const HOUR = 60 * MINUTE;

describe.each(['sqlite', 'libsql-remote', 'postgres'] as const)('explain on %s', (name) => {
  let bench: StallBench;
  beforeAll(async () => {
    bench = await StallBench.open(name);
  });
  beforeEach(() => bench.clear());
  afterAll(() => bench.drop());

  const explain = (endpoint = 'ep', queue = 'mail') => bench.process.stall.explain(endpoint, queue, { organizationId: ORGANIZATION });
  const old = () => bench.todo({ pending_since: bench.now - 3 * MINUTE });

  interface Case {
    readonly make: () => Promise<unknown>;
    /** Milliseconds from now; null: never. */
    readonly wakeIn: number | null;
    readonly reason: RegExp;
  }

  const CASES: Readonly<Record<StallState, readonly Case[]>> = {
    endpoint_revoked: [{ make: () => bench.endpoint('ep', { state: 'revoked' }), wakeIn: null, reason: /revoked/ }],
    endpoint_expired: [{ make: () => bench.endpoint('ep', { expires_at: bench.now }), wakeIn: null, reason: /expired at 20\d\d-/ }],
    out_of_scope: [{ make: () => bench.endpoint('ep', { queues: '["other"]' }), wakeIn: null, reason: /scope, which is "other"\./ }],
    drained: [
      { make: () => bench.endpoint(), wakeIn: null, reason: /Nothing is pending in the queue\./ },
      {
        make: async () => {
          await bench.endpoint();
          await bench.todo({ assignee: 'somebody' });
        },
        wakeIn: null,
        reason: /assigned to one claimant/,
      },
    ],
    ungated_only: [
      {
        make: async () => {
          await bench.endpoint();
          await bench.todo({ gate: 0 });
        },
        wakeIn: null,
        reason: /verified event/,
      },
    ],
    no_hook: [
      {
        make: async () => {
          await bench.endpoint();
          await old();
        },
        wakeIn: null,
        reason: /has no notify hook/,
      },
      {
        make: async () => {
          await bench.hook(await bench.endpoint(), { enabled: 0 });
          await old();
        },
        wakeIn: null,
        reason: /disabled, 1 of them/,
      },
      {
        make: async () => {
          await bench.stalled();
          bench.wakes.hooksOn = false;
        },
        wakeIn: null,
        reason: /switched off/,
      },
    ],
    hook_filtered: [
      {
        make: async () => {
          await bench.hook(await bench.endpoint(), { queues: '["other"]' });
          await bench.hook('ep', { enabled: 0 });
          await old();
        },
        wakeIn: null,
        reason: /1 of them, are for other queues/,
      },
    ],
    healthy: [
      {
        make: async () => {
          await bench.stalled();
          const claim = await bench.claim(await old(), { at: bench.now - 10 * MINUTE });
          await bench.endClaim(claim, 'completed');
          await bench.store.knex('board_todo').update({ pending_since: bench.now - MINUTE });
        },
        wakeIn: MINUTE + 1,
        reason: /the last claim was at 20\d\d-/,
      },
    ],
    too_young: [
      {
        make: async () => {
          await bench.stalled();
          const claim = await bench.claim(await old(), { at: bench.now - 10 * MINUTE - 1 });
          await bench.endClaim(claim, 'completed');
          await bench.store.knex('board_todo').update({ pending_since: bench.now - 2 * MINUTE });
        },
        wakeIn: 1,
        reason: /only after 120 s/,
      },
    ],
    exhausted: [
      {
        make: async () => {
          await bench.stalled();
          await bench.insertLedger({ nudges: 5, last_nudged_at: bench.now - HOUR });
        },
        wakeIn: null,
        reason: /5 times without a claim/,
      },
    ],
    busy: [
      {
        make: async () => {
          await bench.stalled();
          await bench.claim(await old(), { at: bench.now - MINUTE, leaseMs: HOUR });
        },
        wakeIn: 4 * MINUTE,
        reason: /live lease/,
      },
    ],
    waiting: [
      {
        make: async () => {
          await bench.stalled();
          await bench.insertLedger({ nudges: 2, last_nudged_at: bench.now - 5 * MINUTE });
        },
        wakeIn: 15 * MINUTE,
        reason: /2 nudges count since/,
      },
      {
        make: async () => {
          await bench.stalled();
          await bench.insertLedger({ nudges: 1, last_nudged_at: bench.now - MINUTE });
        },
        wakeIn: 4 * MINUTE,
        reason: /1 nudge counts since/,
      },
    ],
    due: [
      { make: () => bench.stalled(), wakeIn: 0, reason: /nobody was nudged/ },
      {
        make: async () => {
          await bench.stalled();
          await bench.insertLedger({ nudges: 1, last_nudged_at: bench.now - 5 * MINUTE });
        },
        wakeIn: 0,
        reason: /wait since the last nudge is over/,
      },
      {
        make: async () => {
          await bench.stalled();
          await bench.insertLedger({ nudges: 5, last_nudged_at: bench.now - MINUTE });
          await bench.endClaim(await bench.claim(await old()), 'completed');
        },
        wakeIn: 0,
        reason: /claimed from since/,
      },
      {
        make: async () => {
          await bench.stalled();
          await bench.insertLedger({ nudges: 5, last_nudged_at: bench.now - MINUTE });
          await bench.hook('ep', { opened_at: bench.now });
        },
        wakeIn: 0,
        reason: /enabled, rotated or made since/,
      },
    ],
  };

  it.each(STALL_STATES)('G12: %s', async (state) => {
    for (const { make, wakeIn, reason } of CASES[state]) {
      await bench.clear();
      await make();
      const explained = await explain();
      expect(explained).toMatchObject({ endpointId: 'ep', queue: 'mail', state });
      expect(explained.nextWakeAt).toBe(wakeIn === null ? null : bench.now + wakeIn);
      expect(explained.reason).toMatch(reason);
      expect(explained.change).toMatch(/\w.*\.$/);
    }
  });

  it('says the earliest of the states that apply', async () => {
    await bench.endpoint('ep', { state: 'revoked', expires_at: bench.now, queues: '[]' });
    expect((await explain()).state).toBe('endpoint_revoked');
    await bench.store.knex('board_endpoint').update({ state: 'active' });
    expect((await explain()).state).toBe('endpoint_expired');
    await bench.store.knex('board_endpoint').update({ expires_at: null });
    expect((await explain()).state).toBe('out_of_scope');
  });

  it('names the first ten queues of a scope, in which a mistyped one is found', async () => {
    await bench.endpoint('ep', { queues: JSON.stringify(Array.from({ length: 12 }, (_each, n) => `q${n}`)) });
    expect((await explain()).reason).toContain('which is "q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7", "q8", "q9" and 2 more.');
  });

  it('promises no nudge of one that has used its five, though its todo is young again', async () => {
    const [id] = (await bench.stalled()) as [string];
    await bench.insertLedger({ nudges: 5 });
    await bench.pass(60 * MINUTE);
    await bench.endClaim(await bench.claim(id), 'released');
    expect(await explain()).toMatchObject({
      state: 'too_young',
      nextWakeAt: null,
      change: expect.stringMatching(/nudged 5 times without a claim/),
    });
    await bench.store.knex('queue_stall_nudges').delete();
    const { change, nextWakeAt } = await explain();
    expect(change).toBe(`It is nudged when it is still pending at ${new Date(nextWakeAt as number).toISOString()}.`);
  });

  it('promises nothing of a claim where no nudge counts: a nudge that nobody accepted was taken back', async () => {
    await bench.stalled();
    await bench.sweep();
    expect(await explain()).toMatchObject({ state: 'waiting', change: expect.stringMatching(/^A claim in this queue/) });
    await bench.end('failed');
    expect(await explain()).toMatchObject({ state: 'waiting', change: expect.stringMatching(/^Nothing counts that a claim could reset/) });
  });

  it('agrees with the sweep about when the next nudge comes, in one statement', async () => {
    await bench.stalled();
    for (let nudge = 0; nudge < 5; nudge += 1) {
      let nextWakeAt: number | null = null;
      expect(
        await bench.statementsOf(async () => {
          ({ nextWakeAt } = await explain());
        }),
      ).toEqual(['stall.explain']);
      const wakeAt = nextWakeAt as unknown as number;
      if (wakeAt > bench.now) {
        await bench.pass(wakeAt - 1 - bench.now);
        expect(await bench.sweep()).toBe(0);
        await bench.pass(1);
      }
      expect(await bench.sweep()).toBe(1);
    }
    expect(await explain()).toMatchObject({ state: 'exhausted', nextWakeAt: null });
  });

  it('takes an id or a slug, and knows no endpoint of another organization', async () => {
    await bench.endpoint('ep', { slug: 'the-slug' });
    expect(await explain('the-slug')).toMatchObject({ endpointId: 'ep', state: 'drained' });
    for (const foreign of [explain('ep-2'), bench.process.stall.explain('ep', 'mail', { organizationId: 'org-b' })]) {
      await expect(foreign).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    await expect(explain('ep', '')).rejects.toMatchObject({ code: 'INVALID_INPUT', path: 'queue' });
  });
});
