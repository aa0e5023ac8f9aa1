import { describe, expect, test } from 'vitest';
import { lasting, scriptedLoop } from './scripted-loop.fixture.js';

/** Ticks at 0, 1 000, 3 000 and 7 000 have found nothing: the next is at 15 000. */
async function backedOff() {
  const scripted = scriptedLoop();
  scripted.loop.start();
  await scripted.clock.advance(7_000);
  expect(scripted.times()).toEqual([0, 1_000, 3_000, 7_000]);
  return scripted;
}

describe('due times', () => {
  test('[L4] a known due time caps the delay to the millisecond and leaves the idle level alone', async () => {
    const { loop, clock, ticks, next, wall } = scriptedLoop();
    next({ claimed: 0 }, { claimed: 0 }, { claimed: 0, nextDueAt: wall(4_321) }, { claimed: 0 });
    loop.start();
    await clock.advance(15_000);
    expect(ticks.slice(2)).toEqual([
      { at: 3_000, hint: 'timer' },
      { at: 4_321, hint: 'due' }, // instead of 7 000
      { at: 12_321, hint: 'timer' }, // 8 s on, as the fourth idle tick in a row
    ]);
  });

  test('[L4] a due time beyond the next interval tick stays known until a survey replaces it', async () => {
    const { loop, clock, ticks, next, wall } = scriptedLoop();
    next({ claimed: 0, nextDueAt: wall(6_500) }, { claimed: 0 }, { claimed: 0 });
    loop.start();
    await clock.advance(6_500);
    expect(ticks.at(-1)).toEqual({ at: 6_500, hint: 'due' });
  });

  test('[L4] a survey replaces it, by a later one or by none', async () => {
    for (const nextDueAt of [null, 1_006_900]) {
      const { loop, clock, times, next, wall } = scriptedLoop();
      next({ claimed: 0, nextDueAt: wall(6_500) }, { claimed: 0, nextDueAt });
      loop.start();
      await clock.advance(7_000);
      expect(times()).toEqual(nextDueAt === null ? [0, 1_000, 3_000, 7_000] : [0, 1_000, 3_000, 6_900]);
    }
  });

  test('[L4] a survey that names an earlier time leaves the later ones known', async () => {
    const { loop, clock, times, next, wall } = scriptedLoop();
    next({ claimed: 0, nextDueAt: wall(900) }, { claimed: 0 }, { claimed: 0 });
    loop.due(wall(950)); // before start: control, not known
    loop.start();
    loop.due(wall(980));
    await clock.advance(990);
    expect(times()).toEqual([0, 900, 980]);
  });

  test('[L4a] a due time that passed while the tick ran is followed at once', async () => {
    const { loop, clock, ticks, next, wall } = scriptedLoop();
    next(() => lasting(clock, 300, { claimed: 0, nextDueAt: wall(200) }));
    loop.start();
    await clock.advance(300);
    expect(ticks).toEqual([
      { at: 0, hint: 'start' },
      { at: 300, hint: 'due' },
    ]);
  });

  test('[L4b] contended: next tick after one interval, idle level kept, no spin', async () => {
    const { loop, clock, gaps, next } = scriptedLoop();
    next({ claimed: 0 }, { claimed: 0 }, { claimed: 0, contended: true }, { claimed: 0, contended: true }, { claimed: 0 });
    loop.start();
    await clock.advance(12_000);
    expect(gaps()).toEqual([1_000, 2_000, 500, 500, 4_000]);
  });

  test('[L4b] a next due time that had passed when the tick began is contended, too', async () => {
    const { loop, clock, gaps, next, wall } = scriptedLoop();
    next({ claimed: 0, nextDueAt: wall(0) }, { claimed: 0, nextDueAt: wall(-5) });
    loop.start();
    await clock.advance(2_000);
    expect(gaps()).toEqual([500, 500, 1_000]);
  });

  test('[L7] due lowers the armed timer without ticking', async () => {
    const { loop, clock, ticks, wall } = await backedOff();
    loop.due(wall(9_000));
    loop.due(wall(12_000));
    await clock.advance(1_999);
    expect(ticks).toHaveLength(4);
    await clock.advance(1);
    expect(ticks.slice(4)).toEqual([{ at: 9_000, hint: 'due' }]);
  });

  test('[L7] a due time beyond the interval tick changes nothing, and is kept for later', async () => {
    const { loop, clock, times, wall } = await backedOff();
    loop.due(wall(16_000));
    await clock.advance(9_000);
    expect(times().slice(4)).toEqual([15_000, 16_000]);
  });

  test('[L7] a due time that has passed ticks by timer', async () => {
    const { loop, clock, times, wall } = await backedOff();
    loop.due(wall(6_000));
    await clock.advance(0);
    expect(times().slice(4)).toEqual([7_000]);
  });

  test('[L7] a due time announced while a tick surveys is not lost to what that survey found', async () => {
    const { loop, clock, times, next, wall } = scriptedLoop();
    next(() => {
      loop.due(wall(700));
      return { claimed: 0, nextDueAt: null };
    });
    loop.start();
    await clock.advance(1_000);
    expect(times()).toEqual([0, 700]);
  });

  test('[L7] due does nothing on a loop that does not run, and refuses what is no time', async () => {
    const { loop, clock, wall } = scriptedLoop();
    loop.due(wall(10));
    expect(clock.nextTimerAt()).toBeNull();
    expect(() => loop.due(Number.NaN)).toThrow('due(NaN): epoch milliseconds are needed.');
  });
});
