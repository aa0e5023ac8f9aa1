/** Consumers that wait: what wakes them, what their waiting costs, and what becomes of claims for those who are gone. */
import { afterEach, describe, expect, it } from 'vitest';
import { pullBench, turns } from './pull-bench.fixture.js';

type Bench = ReturnType<typeof pullBench>;
const benches: Bench[] = [];
function start(...options: Parameters<typeof pullBench>): Bench {
  const bench = pullBench(...options);
  benches.push(bench);
  return bench;
}
afterEach(async () => {
  for (const { pull } of benches.splice(0)) await pull.stop();
});

/** A claim of acme's mail, and what came of it once it has come. */
function waits(
  { pull }: Bench,
  options: { waitMs?: number; limit?: number; leaseMs?: number; organizationId?: string; queue?: string } = {},
) {
  const { queue = 'mail', ...given } = options;
  const gone = new AbortController();
  const wait = { gone, answer: undefined as undefined | unknown[], ids: [] as string[], error: undefined as unknown };
  void pull.claim(queue, { organizationId: 'acme', waitMs: 20_000, signal: gone.signal, ...given }).then(
    (jobs) => {
      wait.answer = jobs.map(({ data }) => data);
      wait.ids = jobs.map(({ id }) => id);
    },
    (error: unknown) => {
      wait.error = error;
    },
  );
  return wait;
}

describe('waiting', () => {
  it('ends at once with what is there, and at its time with nothing', async () => {
    const bench = start();
    await bench.publish('mail', 'here');
    const [served, empty] = [waits(bench), waits(bench)];
    await turns();
    expect(served.answer).toEqual(['here']);
    expect(empty.answer).toBeUndefined();
    await bench.clock.advance(19_999);
    expect(empty.answer).toBeUndefined();
    await bench.clock.advance(1);
    expect(empty.answer).toEqual([]);
    expect(bench.pull.counters().waiting).toBe(0);
  });

  it('does not begin without a time', async () => {
    const bench = start();
    const wait = waits(bench, { waitMs: 0 });
    await turns();
    expect(wait.answer).toEqual([]);
    expect(bench.calls()).toEqual({ claim: 1 });
  });

  it('is woken by a publish, at no other time than its own', async () => {
    const bench = start();
    const [mail, other] = [waits(bench), waits(bench, { queue: 'report' })];
    await bench.clock.advance(3_000);
    await bench.publish('mail', 'new');
    await turns();
    expect([mail.answer, other.answer]).toEqual([['new'], undefined]);
  });

  it('is woken when a job comes due, which nobody has to say', async () => {
    const bench = start();
    await bench.publishSilently('mail', 'later', { delayMs: 7_000 });
    const wait = waits(bench);
    await bench.clock.advance(6_999);
    await turns();
    expect(wait.answer).toBeUndefined();
    await bench.clock.advance(1);
    await turns();
    expect(wait.answer).toEqual(['later']);
  });

  it('finds what nobody announced within an idle interval', async () => {
    const bench = start({ maxIdleIntervalMs: 8_000 });
    const wait = waits(bench);
    await bench.clock.advance(10_000);
    await bench.publishSilently('mail', 'silent');
    await bench.clock.advance(8_000);
    expect(wait.answer).toEqual(['silent']);
  });

  it('serves whoever came first, each up to its limit', async () => {
    const bench = start();
    const [first, second, third] = [waits(bench, { limit: 2 }), waits(bench), waits(bench)];
    await turns();
    await bench.service.publishMany(
      'mail',
      [1, 2, 3].map((data) => ({ data, options: { organizationId: 'acme' } })),
    );
    await turns();
    expect([first.answer, second.answer, third.answer]).toEqual([[1, 2], [3], undefined]);
  });

  it("gives no organization another's jobs", async () => {
    const bench = start();
    const [acme, umbrella] = [waits(bench), waits(bench, { organizationId: 'umbrella' })];
    await turns();
    await bench.publish('mail', 'private', { organizationId: 'umbrella' });
    await turns();
    expect([acme.answer, umbrella.answer]).toEqual([undefined, ['private']]);
  });

  it('goes on in turn over the groups of an organization, claim after claim', async () => {
    const bench = start();
    for (const groupKey of ['a', 'a', 'a', 'b', 'b', 'b']) await bench.publish('mail', groupKey, { groupKey });
    const served: unknown[] = [];
    for (let left = 4; left > 0; left -= 1)
      served.push(...(await bench.pull.claim('mail', { organizationId: 'acme' })).map(({ data }) => data));
    expect(served).toEqual(['a', 'b', 'a', 'b']);
  });

  it('waits for nothing of a paused queue until it is resumed', async () => {
    const bench = start();
    await bench.service.pause('mail');
    await bench.publish('mail', 'held');
    const wait = waits(bench);
    await turns();
    expect(wait.answer).toBeUndefined();
    await bench.service.resume('mail');
    await turns();
    expect(wait.answer).toEqual(['held']);
  });

  it('misses nothing that is announced while its own claim comes back empty', async () => {
    const bench = start();
    const held = holdClaims(bench);
    const wait = waits(bench);
    await turns();
    await bench.publish('mail', 'between');
    await turns();
    expect(wait.answer).toBeUndefined();
    held.release();
    await turns();
    // As far apart as woken looks are kept.
    await bench.clock.advance(10);
    expect(wait.answer).toEqual(['between']);
  });

  it('tells whoever asked of a store that fails, and goes on for the others when it is back', async () => {
    const bench = start();
    const patient = waits(bench);
    await turns();
    bench.faults.fail({ method: 'claim', kind: 'throw' });
    const refused = waits(bench, { queue: 'report' });
    await turns();
    expect([refused.error instanceof Error, patient.answer, patient.error]).toEqual([true, undefined, undefined]);
    bench.faults.fail({ method: 'survey', kind: 'throw', times: 2 });
    await bench.publishSilently('mail', 'late');
    await bench.clock.advance(19_000);
    expect(patient.answer).toEqual(['late']);
  });
});

describe('the cost of waiting', () => {
  it('is one survey per interval for any number of consumers, queues and organizations, and nothing without them', async () => {
    const bench = start();
    await bench.clock.advance(600_000);
    expect(bench.calls()).toEqual({});
    const everybody = Array.from({ length: 120 }, (_, place) =>
      waits(bench, { waitMs: 30_000, queue: `queue-${place % 4}`, organizationId: `org-${place % 3}` }),
    );
    await turns();
    // The first of each queue and organization looks for itself; the others come after it.
    expect(bench.calls()).toEqual({ claim: 12, survey: 1 });
    await bench.clock.advance(29_999);
    const { survey = 0, ...rest } = bench.calls();
    expect(rest).toEqual({ claim: 12 });
    // 1, 2, 4, 8 s and the rest: as any idle loop.
    expect(survey).toBeLessThanOrEqual(7);
    expect(everybody.every(({ answer }) => answer === undefined)).toBe(true);
    await bench.clock.advance(1);
    expect(everybody.every(({ answer }) => answer?.length === 0)).toBe(true);
    const calls = bench.calls();
    await bench.clock.advance(600_000);
    expect(bench.calls()).toEqual(calls);
  });

  it('one claim serves all who are woken together', async () => {
    const bench = start();
    const everybody = Array.from({ length: 50 }, () => waits(bench));
    await turns();
    const before = bench.calls();
    await bench.service.publishMany(
      'mail',
      Array.from({ length: 50 }, (_, data) => ({ data, options: { organizationId: 'acme' } })),
    );
    await turns();
    expect(everybody.flatMap(({ answer }) => answer)).toEqual(Array.from({ length: 50 }, (_, data) => data));
    expect(bench.calls().claim).toBe((before.claim ?? 0) + 1);
  });
});

describe('a consumer that is gone', () => {
  it('waits no longer, and the next one gets the job', async () => {
    const bench = start();
    const [gone, next] = [waits(bench), waits(bench)];
    await turns();
    gone.gone.abort();
    await turns();
    expect([gone.answer, bench.pull.counters().waiting]).toEqual([[], 1]);
    await bench.publish('mail', 'job');
    await turns();
    expect([gone.answer, next.answer]).toEqual([[], ['job']]);
  });

  it('while it is claimed for: the job goes back unburnt, to whoever waits', async () => {
    const bench = start();
    const id = await bench.publish('mail', 'job');
    const held = holdClaims(bench);
    const gone = waits(bench);
    await turns();
    expect(await bench.job(id)).toMatchObject({ status: 'running', attempts: 1 });
    const next = waits(bench);
    gone.gone.abort();
    held.release();
    await turns();
    expect([gone.answer, next.answer]).toEqual([[], ['job']]);
    expect(await bench.job(id)).toMatchObject({ status: 'running', attempts: 1 });
    expect(bench.calls().release).toBe(1);
  });

  it('with nobody else there: the job is pending, its attempt not counted', async () => {
    const bench = start();
    const id = await bench.publish('mail', 'job');
    const held = holdClaims(bench);
    const gone = waits(bench, { waitMs: 0 });
    await turns();
    gone.gone.abort();
    held.release();
    await turns();
    expect(await bench.job(id)).toMatchObject({ status: 'pending', attempts: 0, claimedBy: null });
  });

  it('before it is heard: nothing is claimed for it', async () => {
    const bench = start();
    const id = await bench.publish('mail', 'job');
    expect(await bench.pull.claim('mail', { organizationId: 'acme', signal: AbortSignal.abort() })).toEqual([]);
    expect(bench.calls()).toEqual({});
    expect(await bench.job(id)).toMatchObject({ status: 'pending', attempts: 0 });
  });

  it('when the store does not take the job back: its lease brings it back, and the log says so without its data', async () => {
    const bench = start();
    const id = await bench.publish('mail', 'secret payload');
    bench.faults.fail({ method: 'release', kind: 'throw' });
    const held = holdClaims(bench);
    const gone = waits(bench);
    await turns();
    gone.gone.abort();
    held.release();
    await turns();
    expect(bench.logged.filter((line) => line.startsWith('pulled jobs wait for their leases'))).toHaveLength(1);
    expect(bench.logged.join()).not.toContain('secret payload');
    await bench.clock.advance(30_000);
    await bench.memory.reclaim({ limit: 10 });
    expect(await bench.job(id)).toMatchObject({ status: 'pending', attempts: 1, lastError: 'lease expired' });
  });
});

describe('closing', () => {
  it('answers everybody who waits at once, and lets nobody wait after it; claims go on', async () => {
    const bench = start();
    const wait = waits(bench);
    await turns();
    bench.pull.close();
    await turns();
    expect(wait.answer).toEqual([]);
    const late = waits(bench);
    await turns();
    expect(late.answer).toEqual([]);
    await bench.publish('mail', 'still here');
    const last = waits(bench);
    await turns();
    expect(last.answer).toEqual(['still here']);
  });

  it('hands out what a claim under way brings', async () => {
    const bench = start();
    await bench.publish('mail', 'job');
    const held = holdClaims(bench);
    const wait = waits(bench);
    await turns();
    const stopped = bench.pull.stop();
    held.release();
    await stopped;
    await turns();
    expect(wait.answer).toEqual(['job']);
  });
});

/** Claims take what they find and do not come back until they are released. */
function holdClaims({ memory }: Bench): { release(): void } {
  const claim = memory.claim.bind(memory);
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  memory.claim = async (options) => {
    const claimed = await claim(options);
    await gate;
    return claimed;
  };
  return { release };
}
