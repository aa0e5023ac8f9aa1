import { type LogFields, StoreError, silentLogger } from '@bellhop/kernel';
import { ManualClock } from '@bellhop/testing/manual-clock';
import { describe, expect, test } from 'vitest';
import { Reaper, type ReaperOptions } from './reaper.js';
import { askedDuty, hanging, type Script, sqlDuty } from './scripted-duty.fixture.js';

const failing: Script = async () => {
  throw new Error('broken');
};

/** A reaper on a clock moved by hand, which draws no jitter. */
function bench(options: Omit<ReaperOptions, 'clock' | 'random'>) {
  const clock = new ManualClock();
  return { clock, reaper: new Reaper({ ...options, clock, random: () => 0 }) };
}

/** A store that answers each statement by what `answer` makes of its columns, and counts. */
function answering(answer: (columns: number) => unknown) {
  const asked: number[] = [];
  const store = {
    async read<Row>({ sql }: { readonly sql: { readonly sqlite: string } }): Promise<Row[]> {
      const columns = sql.sqlite.match(/ AS d\d+/g)?.length ?? 0;
      asked.push(columns);
      const row = await answer(columns);
      return [row as Row];
    },
  };
  return { store, asked };
}

const all = (value: number) => (columns: number) => Object.fromEntries(Array.from({ length: columns }, (_, i) => [`d${i}`, value]));

describe('a tick', () => {
  test('begins the duties that have work, in their order, and says what they did', async () => {
    const runs: string[] = [];
    const { reaper } = bench({
      duties: [
        askedDuty('last', { runs, order: 200 }).duty,
        askedDuty('idle', { runs, work: false }).duty,
        askedDuty('first', { runs, order: 1, script: async () => 7 }).duty,
        askedDuty('middle', { runs }).duty,
      ],
    });
    expect(await reaper.tick()).toEqual([
      { duty: 'first', outcome: 'done', count: 7 },
      { duty: 'middle', outcome: 'done', count: 1 },
      { duty: 'last', outcome: 'done', count: 1 },
    ]);
    expect(runs).toEqual(['first', 'middle', 'last']);
  });

  test('comes at once, then each interval, and none after a stop (control: the one before it)', async () => {
    const { duty, state } = askedDuty('idle', { work: false });
    const { reaper, clock } = bench({ duties: [duty] });
    reaper.start();
    await clock.advance(0);
    expect(state.asked).toBe(1);
    await clock.advance(29_999);
    expect(state.asked).toBe(1);
    await clock.advance(1);
    expect(state.asked).toBe(2);
    await clock.advance(300_000);
    expect(state.asked).toBe(12);
    await reaper.stop();
    await clock.advance(300_000);
    expect(state.asked).toBe(12);
  });

  test('is drawn up to a tenth later, so that processes do not ask in step', async () => {
    const clock = new ManualClock();
    const { duty, state } = askedDuty('idle', { work: false });
    const reaper = new Reaper({ duties: [duty], clock, random: () => 0.5 });
    reaper.start();
    await clock.advance(31_499);
    expect(state.asked).toBe(1);
    await clock.advance(1);
    expect(state.asked).toBe(2);
    await reaper.stop();
  });

  test('asks nothing where there are no duties in SQL', async () => {
    const { store, asked } = answering(all(1));
    const { reaper } = bench({ duties: [askedDuty('asked').duty], store });
    await reaper.tick();
    expect(asked).toEqual([]);
  });

  test('asks all duties in SQL in one statement, prepared once', async () => {
    const statements = new Set<unknown>();
    const { store, asked } = answering(all(0));
    const noting = {
      read(statement: never) {
        statements.add(statement);
        return store.read(statement);
      },
    } as never;
    const { reaper } = bench({ duties: ['a', 'b', 'c'].map((name) => sqlDuty(name, '1')), store: noting });
    expect(await reaper.tick()).toEqual([]);
    expect(await reaper.tick()).toEqual([]);
    expect(asked).toEqual([3, 3]);
    expect(statements.size).toBe(1);
  });
});

describe('the log', () => {
  test('tells at info what was done, in the words of the duty where it has some, and nothing where it was nothing', async () => {
    const lines: [LogFields, string][] = [];
    const logger = { ...silentLogger, info: (fields: LogFields, message: string) => lines.push([fields, message]) };
    const { reaper } = bench({
      duties: [
        askedDuty('plain', { script: async () => 2 }).duty,
        { ...askedDuty('worded', { script: async () => 3 }).duty, doneMessage: 'old notes are gone' },
        { ...askedDuty('vain', { script: async () => 0 }).duty, doneMessage: 'never said' },
      ],
      logger,
    });
    await reaper.tick();
    expect(lines).toEqual([
      [{ duty: 'plain', count: 2 }, 'a duty is done'],
      [{ duty: 'worded', count: 3 }, 'old notes are gone'],
    ]);
  });
});

describe('clocks', () => {
  test('that jump neither bring a tick nor keep one away; a duty is told the time that it is', async () => {
    const times: number[] = [];
    const script: Script = async ({ now }) => times.push(now);
    const { reaper, clock } = bench({ duties: [askedDuty('timed', { script }).duty] });
    const start = clock.now();
    reaper.start();
    await clock.advance(0);
    for (const jump of [86_400_000, -2 * 86_400_000]) {
      clock.jumpWall(jump);
      await clock.advance(29_999);
      const before = times.length;
      await clock.advance(1);
      expect(times.length - before).toBe(1);
    }
    expect(times).toEqual([start, start + 86_430_000, start - 86_340_000]);
    // A machine that slept a day owes one tick, not a day's worth.
    await clock.sleep(86_400_000, { monotonicMs: 86_400_000 });
    expect(times).toHaveLength(4);
    await reaper.stop();
  });
});

describe('what is asked for at once', () => {
  test('by hand and by the timer never runs a duty beside itself (control: another one)', async () => {
    const runs: string[] = [];
    const { state, script } = hanging();
    const { reaper, clock } = bench({ duties: [askedDuty('slow', { runs, script }).duty, askedDuty('other', { runs }).duty] });
    const ticks = [reaper.tick(), reaper.tick(), reaper.tick()];
    await clock.advance(0);
    reaper.start();
    await clock.advance(30_000);
    expect(runs.filter((name) => name === 'slow')).toHaveLength(1);
    expect(runs.filter((name) => name === 'other').length).toBeGreaterThan(1);
    state.end(5);
    await Promise.all(ticks);
    await reaper.stop();
    expect(reaper.dutyCounters()[0]).toEqual({ duty: 'slow', done: 1, failed: 0, late: 0, count: 5, running: false });
  });
});

describe('a duty that throws', () => {
  test.each<[string, Partial<Parameters<typeof askedDuty>[1]>]>([
    ['in its run', { script: failing }],
    [
      'at once',
      {
        script: () => {
          throw new Error('broken');
        },
      },
    ],
  ])('%s holds up no other, and is tried again at the next tick', async (_, how) => {
    const runs: string[] = [];
    const { reaper } = bench({ duties: [askedDuty('bad', { runs, ...how }).duty, askedDuty('good', { runs }).duty] });
    expect(await reaper.tick()).toMatchObject([{ outcome: 'failed' }, { duty: 'good', outcome: 'done' }]);
    expect(reaper.health()).toMatchObject({ status: 'degraded', reason: 'bad: broken' });
    await reaper.tick();
    expect(runs).toEqual(['bad', 'good', 'bad', 'good']);
    expect(reaper.dutyCounters()).toEqual([
      { duty: 'bad', done: 0, failed: 2, late: 0, count: 0, running: false },
      { duty: 'good', done: 2, failed: 0, late: 0, count: 2, running: false },
    ]);
  });

  test('in what asks it counts as failed, and is well again after a success', async () => {
    const { duty, state } = askedDuty('bad', { work: false });
    const moody = {
      ...duty,
      hasWork() {
        if (state.asked === 0) {
          state.asked = 1;
          throw new Error('cannot tell');
        }
        return false;
      },
    };
    const { reaper } = bench({ duties: [moody] });
    expect(await reaper.tick()).toMatchObject([{ duty: 'bad', outcome: 'failed' }]);
    expect(reaper.health()).toMatchObject({ status: 'degraded', reason: 'bad: cannot tell' });
    expect(await reaper.tick()).toEqual([]);
    expect(reaper.health().status).toBe('ok');
  });
});

describe('a duty that hangs', () => {
  test('holds up no other, is told to end when its time is up, and is not begun again before it ends', async () => {
    const runs: string[] = [];
    const { state, script } = hanging();
    const { reaper, clock } = bench({
      duties: [askedDuty('hanging', { runs, script }).duty, askedDuty('good', { runs }).duty],
      dutyTimeoutMs: 45_000,
    });
    reaper.start();
    await clock.advance(30_000);
    expect(runs).toEqual(['hanging', 'good', 'good']);
    await clock.advance(14_999);
    expect([state.heard, reaper.health().status]).toEqual([false, 'ok']);
    await clock.advance(1);
    expect(state.heard).toBe(true);
    expect(reaper.health()).toMatchObject({ status: 'degraded', reason: 'hanging: it took longer than 45000 ms, and has not ended' });
    await clock.advance(60_000);
    expect(runs.filter((name) => name === 'hanging')).toHaveLength(1);
    expect(reaper.counters().running).toBe(1);
    state.end(0);
    await clock.advance(30_000);
    expect(runs.filter((name) => name === 'hanging')).toHaveLength(2);
    const stopping = reaper.stop({ deadlineMs: 0 });
    await clock.advance(0);
    await stopping;
  });

  test('is reported as late to whoever ticks by hand', async () => {
    const { reaper, clock } = bench({ duties: [askedDuty('hanging', { script: hanging().script }).duty, askedDuty('good').duty] });
    const ticked = reaper.tick();
    await clock.advance(60_000);
    expect(await ticked).toEqual([
      { duty: 'hanging', outcome: 'late' },
      { duty: 'good', outcome: 'done', count: 1 },
    ]);
  });

  test('in what asks it is bound as well', async () => {
    const asking = { ...askedDuty('asking').duty, hasWork: () => new Promise<boolean>(() => {}) };
    const { reaper, clock } = bench({ duties: [asking, askedDuty('good').duty], dutyTimeoutMs: 1_000 });
    const ticked = reaper.tick();
    await clock.advance(1_000);
    expect(await ticked).toMatchObject([{ duty: 'asking', outcome: 'late' }, { duty: 'good' }]);
  });
});

describe('the question', () => {
  test('of one duty that spoils the statement for all is asked by itself until it succeeds', async () => {
    const runs: string[] = [];
    let broken = true;
    const { store, asked } = answering((columns) => {
      if (broken && (columns === 3 || asked.length === 3)) throw new Error('no such table: gone');
      return all(1)(columns);
    });
    const { reaper } = bench({ duties: ['a', 'bad', 'c'].map((name) => sqlDuty(name, '1', { runs })), store });
    expect(await reaper.tick()).toMatchObject([
      { duty: 'a', outcome: 'done' },
      { duty: 'bad', outcome: 'failed' },
      { duty: 'c', outcome: 'done' },
    ]);
    // All together, then each by itself.
    expect(asked).toEqual([3, 1, 1, 1]);
    expect(reaper.health()).toMatchObject({ status: 'degraded', reason: 'bad: no such table: gone' });
    broken = false;
    asked.length = 0;
    await reaper.tick();
    expect(asked).toEqual([2, 1]);
    asked.length = 0;
    await reaper.tick();
    expect(asked).toEqual([3]);
    expect(reaper.health().status).toBe('ok');
    expect(runs.filter((name) => name === 'bad')).toHaveLength(2);
  });

  test('of a duty that failed is forgotten once there is nothing for it to do: another process did it', async () => {
    let work = 1;
    const { store } = answering((columns) => all(work)(columns));
    const { reaper } = bench({ duties: [sqlDuty('bad', '1', { script: failing })], store });
    await reaper.tick();
    expect(reaper.health()).toMatchObject({ status: 'degraded', reason: 'bad: broken' });
    await reaper.tick();
    expect(reaper.health().status).toBe('degraded');
    work = 0;
    await reaper.tick();
    expect(reaper.health().status).toBe('ok');
  });

  test('that the store cannot take fails the tick, and no duty is blamed for it', async () => {
    const runs: string[] = [];
    let down = true;
    const { store, asked } = answering((columns) => {
      if (down) throw new StoreError('STORE_UNAVAILABLE', 'nobody there');
      return all(1)(columns);
    });
    const { reaper, clock } = bench({ duties: [sqlDuty('sql', '1', { runs }), askedDuty('other', { runs }).duty], store });
    await expect(reaper.tick()).rejects.toThrow('nobody there');
    expect(runs).toEqual(['other']);
    expect(reaper.health()).toMatchObject({ status: 'degraded', reason: '1 failed ticks in a row, the last with: nobody there' });
    reaper.start();
    await clock.advance(90_000);
    expect(reaper.health().status).toBe('failing');
    down = false;
    await clock.advance(30_000);
    expect(reaper.health().status).toBe('ok');
    expect(runs).toContain('sql');
    expect(new Set(asked)).toEqual(new Set([1]));
    await reaper.stop();
  });

  test('that is never answered holds up the other duties for ten seconds, no longer', async () => {
    const runs: string[] = [];
    const { store } = answering(() => new Promise(() => {}));
    const { reaper, clock } = bench({ duties: [sqlDuty('sql', '1', { runs }), askedDuty('other', { runs }).duty], store });
    reaper.start();
    await clock.advance(9_999);
    expect(runs).toEqual([]);
    await clock.advance(1);
    expect(runs).toEqual(['other']);
    await clock.advance(30_000);
    expect(runs).toEqual(['other', 'other']);
    const stopping = reaper.stop();
    await clock.advance(5_000);
    await stopping;
  });
});

describe('stop', () => {
  test('tells what runs to end, and waits for it', async () => {
    const ended: string[] = [];
    const script: Script = ({ signal }) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          ended.push(String((signal.reason as Error).message));
          resolve(3);
        }),
      );
    const { reaper, clock } = bench({ duties: [askedDuty('long', { script }).duty] });
    reaper.start();
    await clock.advance(0);
    expect(reaper.counters().running).toBe(1);
    await reaper.stop();
    expect(ended).toEqual(['The reaper stops.']);
    expect(reaper.counters().running).toBe(0);
  });

  test('ends within its bound, whatever hangs, and what fails by it is no trouble', async () => {
    const heeding: Script = ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { reaper, clock } = bench({
      duties: [askedDuty('hanging', { script: hanging().script }).duty, askedDuty('heeding', { script: heeding }).duty],
    });
    reaper.start();
    await clock.advance(0);
    let stopped = false;
    const stopping = reaper.stop({ deadlineMs: 2_000 }).then(() => {
      stopped = true;
    });
    await clock.advance(1_999);
    expect(stopped).toBe(false);
    await clock.advance(1);
    await stopping;
    expect(reaper.health().status).toBe('ok');
  });

  test('that comes while it asks begins nothing (control: the answer is work)', async () => {
    const runs: string[] = [];
    let answer: (row: unknown) => void = () => {};
    const { store } = answering(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const { reaper, clock } = bench({ duties: [sqlDuty('sql', '1', { runs })], store });
    reaper.start();
    await clock.advance(0);
    const stopping = reaper.stop();
    answer({ d0: 1 });
    await stopping;
    await clock.advance(0);
    expect(runs).toEqual([]);
    reaper.start();
    await clock.advance(0);
    answer({ d0: 1 });
    await reaper.settled();
    expect(runs).toEqual(['sql']);
    await reaper.stop();
  });
});

test('refuses two duties of one name, a question without a store, and options out of their bounds', () => {
  const twice = [askedDuty('same').duty, askedDuty('same').duty];
  expect(() => new Reaper({ duties: twice })).toThrow('Two duties are named "same"');
  expect(() => new Reaper({ duties: [sqlDuty('sql', '1')] })).toThrow('No store answers the questions of sql');
  expect(() => new Reaper({ duties: [], dutyTimeoutMs: 0 })).toThrow(/^dutyTimeoutMs: 0 given/);
  expect(() => new Reaper({ duties: [], intervalMs: 0 })).toThrow(/^intervalMs: 0 given/);
});
