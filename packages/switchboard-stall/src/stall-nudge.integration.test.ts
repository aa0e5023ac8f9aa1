import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MAX_CHARGES } from './fair-choice.js';
import { WAITS_MS } from './pace.js';
import { MINUTE, StallBench, sweeper } from './stall-bench.fixture.js';

const STORES = ['sqlite', 'libsql', 'libsql-remote', 'postgres'] as const;
const HOUR = 60 * MINUTE;

describe.each(STORES)('the stall nudge on %s', (name) => {
  let bench: StallBench;
  beforeAll(async () => {
    bench = await StallBench.open(name);
  });
  beforeEach(() => bench.clear());
  afterAll(() => bench.drop());

  const counts = () => bench.process.tally.counts()[0];

  /** Nudges until nothing more comes, each as soon as its wait is over. */
  const exhaust = async () => {
    for (const [index, ms] of [0, ...WAITS_MS.slice(1)].entries()) {
      await bench.pass(ms);
      expect([index, (await bench.swept()).length]).toEqual([index, 1]);
    }
  };

  describe('scenario 1: a stalled queue is woken once', () => {
    it('names the oldest todo, writes one row, and a sweep at once finds nothing', async () => {
      const [oldest] = await bench.stalled(3);
      expect(await bench.sweep()).toBe(1);
      expect(bench.wakes.fired).toEqual([
        { todo: { id: oldest, organizationId: 'org-a', endpointId: 'ep', queue: 'mail' }, reason: 'stalled', wakeId: `stall.${bench.now}` },
      ]);
      expect(await bench.ledger()).toMatchObject([
        { endpoint_id: 'ep', queue: 'mail', nudges: 1, last_nudged_at: bench.now, last_outcome: null, quiet_since: null },
      ]);
      expect(await bench.sweep()).toBe(0);
      expect(counts()).toEqual({ queue: 'mail', charged: 1, delivered: 0, suppressed: 0, exhausted: 0 });
    });

    it('[N1] G1: counts from when a todo became pending, not from when it was made', async () => {
      await bench.endpoint();
      await bench.hook();
      await bench.todo({ created_at: bench.now - HOUR, pending_since: bench.now });
      await bench.pass(2 * MINUTE);
      expect(await bench.swept()).toEqual([]);
      await bench.pass(1);
      expect(await bench.swept()).toHaveLength(1);
    });

    it('names the one that is pending longest, then by id, and passes over a queue whose name holds a colon no less', async () => {
      await bench.endpoint();
      await bench.hook();
      const since = bench.now - 3 * MINUTE;
      await bench.todo({ id: 'td-z', queue: 'a:b', pending_since: since });
      await bench.todo({ id: 'td-y', queue: 'a:b', pending_since: since });
      await bench.todo({ id: 'td-a', queue: 'a:b', pending_since: since + 1, created_at: 0 });
      expect(await bench.swept()).toEqual(['td-y']);
      expect(bench.wakes.fired[0]?.todo.queue).toBe('a:b');
    });
  });

  describe('scenario 2: nobody to wake, nothing spent', () => {
    const NOBODY: Readonly<Record<string, () => Promise<unknown>>> = {
      'no hook': () => bench.endpoint(),
      'a disabled hook': async () => bench.hook(await bench.endpoint(), { enabled: 0 }),
      'a hook for another queue': async () => bench.hook(await bench.endpoint(), { queues: '["other"]' }),
      'a revoked endpoint': async () => bench.hook(await bench.endpoint('ep', { state: 'revoked' })),
      'an endpoint that has just expired': async () => bench.hook(await bench.endpoint('ep', { expires_at: bench.now })),
      'a queue outside the scope': async () => bench.hook(await bench.endpoint('ep', { queues: '["other"]' })),
      'the hook of another endpoint': async () => {
        await bench.endpoint();
        await bench.hook(await bench.endpoint('ep-2'));
      },
    };

    it.each(Object.keys(NOBODY))('[N6] G5: %s', async (what) => {
      await NOBODY[what]?.();
      await bench.todo({ pending_since: bench.now - HOUR });
      expect([await bench.sweep(), await bench.ledger()]).toEqual([0, []]);
    });

    it('G5: hooks switched off: no sweep at all, not a statement', async () => {
      await bench.stalled();
      bench.wakes.hooksOn = false;
      expect(await bench.statementsOf(() => bench.sweep())).toEqual([]);
      bench.wakes.hooksOn = true;
      expect(await bench.sweep()).toBe(1);
    });

    it('the control: a hook whose filter names the queue, of an endpoint that expires later', async () => {
      await bench.hook(await bench.endpoint('ep', { expires_at: bench.now + 1 }), { queues: '["other","mail"]' });
      await bench.todo({ pending_since: bench.now - HOUR });
      expect([await bench.sweep(), (await bench.ledger()).length]).toEqual([1, 1]);
    });

    it('G11: todos that pass no gate wake nobody, whatever became of their event', async () => {
      await bench.endpoint();
      await bench.hook();
      await bench.todo({ gate: 0, pending_since: bench.now - HOUR });
      await bench.todo({ queue: 'quarantine', pending_since: bench.now - HOUR });
      expect([await bench.sweep(), await bench.ledger()]).toEqual([0, []]);
      const verified = await bench.todo({ event_id: null, pending_since: bench.now - HOUR });
      expect(await bench.swept()).toEqual([verified]);
    });

    it('[N5] an older todo without a verdict beside a younger one with it: that one is named, and its age counts', async () => {
      await bench.endpoint();
      await bench.hook();
      await bench.todo({ gate: 0, pending_since: bench.now - HOUR });
      const verified = await bench.todo({ pending_since: bench.now });
      await bench.pass(2 * MINUTE);
      expect(await bench.swept()).toEqual([]);
      await bench.pass(1);
      expect(await bench.swept()).toEqual([verified]);
    });

    it('G10: a todo for one claimant alone makes no queue stalled, and names no wake', async () => {
      await bench.endpoint();
      await bench.hook();
      await bench.todo({ assignee: 'somebody', pending_since: bench.now - HOUR });
      expect([await bench.sweep(), await bench.ledger()]).toEqual([0, []]);
      const anybodys = await bench.todo({ pending_since: bench.now - 3 * MINUTE });
      expect(await bench.swept()).toEqual([anybodys]);
    });
  });

  describe('scenario 3: backoff, cap and progress', () => {
    it('waits 5 min, 20 min, 1 h and 6 h, to the millisecond', async () => {
      await bench.stalled();
      expect(await bench.sweep()).toBe(1);
      for (const ms of [5 * MINUTE, 20 * MINUTE, HOUR, 6 * HOUR]) {
        await bench.pass(ms - 1);
        expect([ms, await bench.sweep()]).toEqual([ms, 0]);
        await bench.pass(1);
        expect([ms, await bench.sweep()]).toEqual([ms, 1]);
      }
      expect(await bench.ledger()).toMatchObject([{ nudges: 5 }]);
    });

    it('[N3] never a sixth time without progress', async () => {
      await bench.stalled();
      await exhaust();
      await bench.pass(30 * 24 * HOUR);
      expect(await bench.swept()).toEqual([]);
      expect(await bench.ledger()).toMatchObject([{ nudges: 5 }]);
    });

    it('G12: warns once of a pair that has used its last, counts it, and again after it was reset', async () => {
      await bench.stalled(2);
      await exhaust();
      expect(bench.process.warnings).toEqual([]);
      await bench.pass(MINUTE);
      await bench.sweep();
      await bench.pass(MINUTE);
      await bench.sweep();
      expect(bench.process.warnings).toEqual([{ endpointId: 'ep', queue: 'mail', nudges: 5 }]);
      expect([await bench.process.stall.exhaustedPairs(), counts()?.charged, counts()?.exhausted]).toEqual([1, 5, 1]);

      await bench.hook('ep', { opened_at: bench.now });
      await bench.pass(MINUTE);
      await bench.sweep();
      expect(await bench.process.stall.exhaustedPairs()).toBe(0);
      for (const ms of WAITS_MS.slice(1)) {
        await bench.pass(ms);
        await bench.sweep();
      }
      await bench.end('delivered');
      expect(bench.process.warnings).toHaveLength(2);
      expect(counts()).toEqual({ queue: 'mail', charged: 10, delivered: 1, suppressed: 0, exhausted: 2 });
    });

    it('G12: does not count one as exhausted whose consumer is back, though it owes no nudge yet', async () => {
      const [first, second] = (await bench.stalled(2)) as [string, string];
      await bench.insertLedger({ nudges: 5 });
      expect(await bench.process.stall.exhaustedPairs()).toBe(1);
      await bench.pass(MINUTE);
      await bench.endClaim(await bench.claim(first), 'completed');
      await bench.setTodo(second, { pending_since: bench.now });
      expect(await bench.sweep()).toBe(0);
      expect(await bench.process.stall.exhaustedPairs()).toBe(0);
    });

    it('G12: does not warn of one whose last nudge is taken back', async () => {
      await bench.stalled();
      await exhaust();
      await bench.end('failed');
      await bench.pass(MINUTE);
      await bench.sweep();
      expect([bench.process.warnings, await bench.process.stall.exhaustedPairs()]).toEqual([[], 0]);
    });

    it('[N4] a claim that ended since makes it due at the next tick, and counts from 1, also where all were used', async () => {
      const [first] = await bench.stalled(2);
      await exhaust();
      await bench.pass(MINUTE);
      const claim = await bench.claim(first as string);
      await bench.endClaim(claim, 'completed');
      await bench.pass(30_000);
      expect(await bench.swept()).toHaveLength(1);
      expect(await bench.ledger()).toMatchObject([{ nudges: 1, last_nudged_at: bench.now }]);
    });

    it('one nudge for one claim: the next sweep finds no other', async () => {
      const [first] = await bench.stalled(2);
      await bench.sweep();
      await bench.pass(MINUTE);
      await bench.endClaim(await bench.claim(first as string), 'completed');
      await bench.pass(30_000);
      expect(await bench.sweep()).toBe(1);
      await bench.pass(30_000);
      expect(await bench.sweep()).toBe(0);
    });

    it('G3: a claim that was merely given back is no progress; one that a crash ended is', async () => {
      const [first, second] = await bench.stalled(3);
      await bench.sweep();
      await bench.pass(MINUTE);
      await bench.endClaim(await bench.claim(first as string), 'released');
      await bench.pass(30_000);
      expect(await bench.sweep()).toBe(0);
      await bench.endClaim(await bench.claim(second as string), 'reaped');
      await bench.pass(30_000);
      expect(await bench.sweep()).toBe(1);
    });

    it('G9: reads progress from the attempts, also of a claim begun up to 5 s before the nudge', async () => {
      const [first, second] = await bench.stalled(3);
      await bench.sweep();
      const nudgedAt = bench.now;
      await bench.pass(30_000);
      await bench.endClaim(await bench.claim(first as string, { at: nudgedAt - 5_000 }), 'completed');
      expect(await bench.sweep()).toBe(0);
      await bench.endClaim(await bench.claim(second as string, { at: nudgedAt - 4_999 }), 'completed');
      // What the todo says of claims is wiped by a retry by hand; the attempts stay.
      await bench.store.knex('board_todo').update({ claimed_at: null });
      expect(await bench.sweep()).toBe(1);
    });

    it('[N9] G2: leaves a consumer alone for 5 min after its newest claim while its lease is live, before the first nudge too', async () => {
      const [first] = await bench.stalled(2);
      const claim = await bench.claim(first as string, { leaseMs: HOUR });
      await bench.pass(5 * MINUTE - 1);
      expect([await bench.sweep(), await bench.ledger()]).toEqual([0, []]);
      await bench.pass(1);
      expect(await bench.sweep()).toBe(1);
      await bench.pass(5 * MINUTE - 1);
      expect(await bench.sweep()).toBe(0);
      await bench.endClaim(claim, 'completed');
      await bench.pass(1);
      expect(await bench.sweep()).toBe(1);
    });

    it('[N9] G2: a claim made since the last nudge brings none while its lease is live, until 5 min are over', async () => {
      const [first] = await bench.stalled(2);
      await bench.sweep();
      await bench.pass(4 * MINUTE);
      await bench.claim(first as string, { leaseMs: HOUR });
      await bench.pass(5 * MINUTE - 1);
      expect(await bench.sweep()).toBe(0);
      await bench.pass(1);
      expect(await bench.sweep()).toBe(1);
      expect(await bench.ledger()).toMatchObject([{ nudges: 1 }]);
    });

    it('G3: nudges a consumer that holds for long what it then gives back no more often than each 5 min', async () => {
      const [first] = (await bench.stalled(2)) as [string, string];
      const nudgedAt: number[] = [];
      const runFor = async (ms: number) => {
        for (let passed = 0; passed < ms; passed += 30_000) {
          await bench.pass(30_000);
          if ((await bench.sweep()) === 0) continue;
          nudgedAt.push(bench.now);
          await bench.end('delivered');
        }
      };
      for (let cycle = 0; cycle < 8; cycle += 1) {
        const claim = await bench.claim(first, { leaseMs: 10 * MINUTE });
        await runFor(6 * MINUTE);
        await bench.endClaim(claim, 'released');
        await runFor(MINUTE);
      }
      const gaps = nudgedAt.slice(1).map((at, index) => at - (nudgedAt[index] as number));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5 * MINUTE);
      // Once it only gives back at once, it has five more.
      for (let cycle = 0; cycle < 20; cycle += 1) {
        await bench.endClaim(await bench.claim(first), 'released');
        await runFor(HOUR);
      }
      expect(nudgedAt.length).toBeLessThanOrEqual(gaps.length + 1 + 5);
    });

    it('the control: a lease that has lapsed holds up nothing', async () => {
      const [first] = await bench.stalled(2);
      await bench.claim(first as string, { leaseMs: MINUTE });
      await bench.pass(MINUTE - 1);
      expect(await bench.sweep()).toBe(0);
      await bench.pass(1);
      expect(await bench.sweep()).toBe(1);
    });

    it('[N10] G4: a hook that covers the queue and was opened since makes it due, and counts from 1', async () => {
      await bench.stalled();
      await exhaust();
      await bench.pass(MINUTE);
      await bench.hook('ep', { queues: '["other"]', opened_at: bench.now });
      await bench.hook('ep', { enabled: 0, opened_at: bench.now });
      expect(await bench.sweep()).toBe(0);
      await bench.hook('ep', { queues: '["mail"]', opened_at: bench.now });
      expect(await bench.sweep()).toBe(1);
      expect(await bench.ledger()).toMatchObject([{ nudges: 1 }]);
      await bench.pass(MINUTE);
      expect(await bench.sweep()).toBe(0);
    });

    it.each(['failed', 'dropped', 'suppressed'] as const)(
      'G7, G14: a nudge that was %s does not count, and the wait is that of the count below',
      async (outcome) => {
        await bench.stalled();
        for (let round = 0; round < 8; round += 1) {
          expect(await bench.sweep()).toBe(1);
          await bench.end(outcome);
          expect(await bench.ledger()).toMatchObject([{ nudges: 0, last_outcome: outcome }]);
          await bench.pass(5 * MINUTE - 1);
          expect(await bench.sweep()).toBe(0);
          await bench.pass(1);
        }
        expect(counts()).toMatchObject({ charged: 8, suppressed: 8, exhausted: 0 });
      },
    );

    it('G7: an outcome touches its own nudge only, and once', async () => {
      await bench.stalled();
      await bench.sweep();
      const [first] = bench.wakes.fired;
      await bench.pass(5 * MINUTE);
      await bench.sweep();
      bench.wakes.end(first as never, 'failed');
      await bench.process.outcomes.settled();
      expect(await bench.ledger()).toMatchObject([{ nudges: 2, last_outcome: null }]);
      bench.wakes.end({ ...(bench.wakes.fired[1] as never as object), wakeId: undefined } as never, 'failed');
      bench.wakes.end({ ...(bench.wakes.fired[1] as never as object), reason: 'created' } as never, 'failed');
      await bench.process.outcomes.settled();
      expect(await bench.ledger()).toMatchObject([{ nudges: 2, last_outcome: null }]);
      await bench.end('failed');
      await bench.end('failed');
      expect(await bench.ledger()).toMatchObject([{ nudges: 1, last_outcome: 'failed' }]);
    });

    it('G7: one that was delivered counts', async () => {
      await bench.stalled();
      await bench.sweep();
      await bench.end('delivered');
      expect(await bench.ledger()).toMatchObject([{ nudges: 1, last_outcome: 'delivered' }]);
      expect(counts()).toMatchObject({ delivered: 1, suppressed: 0 });
    });
  });

  describe('scenario 4: drain and concurrency', () => {
    it('[N7] a pair that stays empty for 10 min is forgotten, and its next backlog begins anew', async () => {
      const [first] = await bench.stalled();
      await exhaust();
      await bench.endClaim(await bench.claim(first as string), 'completed');
      await bench.pass(30_000);
      await bench.sweep();
      expect(await bench.ledger()).toMatchObject([{ nudges: 5, quiet_since: bench.now }]);
      await bench.pass(10 * MINUTE - 1);
      await bench.sweep();
      expect(await bench.ledger()).toHaveLength(1);
      await bench.pass(1);
      await bench.sweep();
      expect(await bench.ledger()).toEqual([]);
      await bench.todo({ pending_since: bench.now - 3 * MINUTE });
      expect(await bench.sweep()).toBe(1);
      expect(await bench.ledger()).toMatchObject([{ nudges: 1, quiet_since: null }]);
    });

    it('G15: a pair that fills again sooner keeps its 5 min wait, and one that had used all is nudged again', async () => {
      const [first] = await bench.stalled();
      await exhaust();
      const nudgedAt = bench.now;
      await bench.pass(30_000);
      await bench.endClaim(await bench.claim(first as string), 'completed');
      await bench.pass(30_000);
      await bench.sweep();
      expect(await bench.ledger()).toMatchObject([{ quiet_since: bench.now }]);
      await bench.todo({ pending_since: bench.now - 3 * MINUTE });
      await bench.pass(30_000);
      expect(await bench.sweep()).toBe(0);
      expect(await bench.ledger()).toMatchObject([{ nudges: 0, quiet_since: null }]);
      await bench.pass(nudgedAt + 5 * MINUTE - 1 - bench.now);
      expect(await bench.sweep()).toBe(0);
      await bench.pass(1);
      expect(await bench.sweep()).toBe(1);
      expect(await bench.ledger()).toMatchObject([{ nudges: 1 }]);
    });

    it('G3, G15: a queue whose one todo is held is not quiet: claims that are given back win no nudges', async () => {
      const [first] = await bench.stalled();
      await exhaust();
      const claim = await bench.claim(first as string);
      await bench.pass(30_000);
      await bench.sweep();
      expect(await bench.ledger()).toMatchObject([{ nudges: 5, quiet_since: null }]);
      await bench.endClaim(claim, 'released');
      await bench.pass(HOUR);
      expect(await bench.sweep()).toBe(0);
    });

    it('a row whose todos all fail the gate grows quiet, too', async () => {
      const [first] = await bench.stalled();
      await bench.sweep();
      await bench.setTodo(first as string, { gate: 0 });
      await bench.sweep();
      expect(await bench.ledger()).toMatchObject([{ quiet_since: bench.now }]);
    });

    it('[N2] two sweeps that both read before either charges make one charge', async () => {
      await bench.stalled();
      for (const due of ['the first', 'a later']) {
        const charged = await overlapping(2);
        expect([due, charged.toSorted()]).toEqual([due, [0, 1]]);
        await bench.pass(5 * MINUTE);
      }
      expect(await bench.ledger()).toMatchObject([{ nudges: 2 }]);
    });

    /** Sweeps of other processes, none of which charges before all have read. */
    const overlapping = async (processes: number) => {
      let reading = processes;
      let open = () => {};
      const allRead = new Promise<void>((resolve) => {
        open = resolve;
      });
      const stores = await Promise.all(Array.from({ length: processes }, () => bench.database.open({ clock: bench.clock })));
      const sweeps = stores.map((store) => {
        const gated = new Proxy(store, {
          get(target, key) {
            if (key !== 'readRows') {
              const value = Reflect.get(target, key) as unknown;
              return typeof value === 'function' ? value.bind(target) : value;
            }
            return async (...given: Parameters<typeof target.readRows>) => {
              const rows = await target.readRows(...given);
              reading -= 1;
              if (reading === 0) open();
              await allRead;
              return rows;
            };
          },
        });
        return sweeper(gated);
      });
      const charged = await Promise.all(sweeps.map(({ sweep }) => sweep.run(bench.now)));
      expect(sweeps.map(({ wakes }) => wakes.fired.length)).toEqual(charged);
      await Promise.all(stores.map((store) => store.close()));
      return charged;
    };

    it('G8: a wake that is lost after its charge is one wake: the next comes when it is due', async () => {
      await bench.stalled();
      bench.wakes.fireReady = () => {};
      expect(await bench.sweep()).toBe(1);
      const another = sweeper(bench.store);
      await bench.pass(5 * MINUTE - 1);
      expect(await another.sweep.run(bench.now)).toBe(0);
      await bench.pass(1);
      expect([await another.sweep.run(bench.now), another.wakes.fired.length]).toEqual([1, 1]);
    });

    it('fires what was charged although the ledger could not be kept', async () => {
      await bench.stalled();
      await bench.insertLedger({ queue: 'other' });
      const failing = new Proxy(bench.store, {
        get(target, key) {
          const value = Reflect.get(target, key) as unknown;
          if (key === 'write') {
            return (...given: Parameters<typeof target.write>) =>
              given[0].label === 'stall.charge' ? target.write(...given) : Promise.reject(new Error('the disk is full'));
          }
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      const broken = sweeper(failing);
      await expect(broken.sweep.run(bench.now)).rejects.toThrow('the disk is full');
      expect(broken.wakes.fired).toHaveLength(1);
    });
  });

  describe('bounds', () => {
    const backlog = async (endpointId: string, queues: number, since: number) => {
      const names = Array.from({ length: queues }, (_, index) => `q${String(index).padStart(4, '0')}`);
      await bench.endpoint(endpointId, { queues: JSON.stringify(names) });
      await bench.hook(endpointId);
      const rows = names.map((queue, index) =>
        bench.todoRow({ id: `${endpointId}-${queue}`, endpoint_id: endpointId, queue, pending_since: since + index }),
      );
      await bench.store.knex.batchInsert('board_todo', rows as never, 30);
    };

    it('G6: charges 200 pairs at most, the oldest first, round robin over endpoints; the rest next time', async () => {
      await backlog('ep-1', MAX_CHARGES + 5, bench.now - HOUR);
      await backlog('ep-2', 2, bench.now - 10 * MINUTE);
      const first = await bench.swept();
      expect(first).toHaveLength(MAX_CHARGES);
      expect(first).toEqual(expect.arrayContaining(['ep-1-q0000', 'ep-1-q0197', 'ep-2-q0000', 'ep-2-q0001']));
      expect(first).not.toContain('ep-1-q0198');
      await bench.pass(30_000);
      expect(await bench.swept()).toEqual(Array.from({ length: 7 }, (_, index) => `ep-1-q${String(198 + index).padStart(4, '0')}`));
    });

    it('G6: one that is due comes before those that are due again, however old their todos and however many', async () => {
      for (let at = 0; at < MAX_CHARGES + 1; at += 1) await backlog(`old-${String(at).padStart(4, '0')}`, 1, bench.now - HOUR);
      await bench.swept();
      for (const fired of bench.wakes.fired) bench.wakes.end(fired, 'dropped');
      await bench.process.outcomes.settled();
      // Nobody took them: they are due again when the young one is due for the first time.
      await backlog('young', 1, bench.now + 2 * MINUTE);
      await bench.pass(5 * MINUTE);
      const again = await bench.swept();
      expect(again).toHaveLength(MAX_CHARGES);
      expect(again).toContain('young-q0000');
    });

    it('costs one statement where nothing is due, and two with 200 charges', async () => {
      expect(await bench.statementsOf(() => bench.sweep())).toEqual(['stall.read']);
      await backlog('ep-1', MAX_CHARGES, bench.now - HOUR);
      expect(await bench.statementsOf(() => bench.sweep())).toEqual(['stall.read', 'stall.charge']);
      await bench.pass(MINUTE);
      expect(await bench.statementsOf(() => bench.sweep())).toEqual(['stall.read']);
    });

    it('writes down what came of many nudges in few statements', async () => {
      await backlog('ep-1', 50, bench.now - HOUR);
      await bench.sweep();
      const statements = await bench.statementsOf(async () => {
        for (const fired of bench.wakes.fired) bench.wakes.end(fired, 'failed');
        await bench.process.outcomes.settled();
      });
      expect(statements).toEqual(['stall.settle']);
      expect((await bench.ledger()).filter(({ nudges, last_outcome: last }) => nudges === 0 && last === 'failed')).toHaveLength(50);
    });

    it('ends with its signal, before anything is charged', async () => {
      await bench.stalled();
      const stop = new AbortController();
      stop.abort(new Error('stopped'));
      await expect(bench.process.sweep.run(bench.now, stop.signal)).rejects.toThrow('stopped');
      expect(await bench.ledger()).toEqual([]);
      expect(await bench.process.sweep.run(bench.now, new AbortController().signal)).toBe(1);
    });

    it('a row of the ledger goes with its endpoint', async () => {
      await bench.stalled();
      await bench.sweep();
      await bench.store.knex('board_todo').delete();
      await bench.store.knex('board_endpoint').delete();
      // At once where the database cascades, else as any pair that has nothing to claim.
      await bench.sweep();
      await bench.pass(10 * MINUTE);
      await bench.sweep();
      expect(await bench.ledger()).toEqual([]);
    });
  });
});
