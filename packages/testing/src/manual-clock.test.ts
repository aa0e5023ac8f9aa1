import { expect, test } from 'vitest';
import { ManualClock } from './manual-clock.js';

function recorder(clock: ManualClock) {
  const fired: [string, number][] = [];
  return { fired, at: (name: string, delayMs: number) => clock.setTimeout(() => fired.push([name, clock.monotonic()]), delayMs) };
}

test('timers fire in order of time, then of arming, each at its own time', async () => {
  const clock = new ManualClock();
  const { fired, at } = recorder(clock);
  at('late', 30);
  at('first', 10);
  at('second', 10);
  at('never', 31);
  at('cancelled', 5).cancel();
  await clock.advance(30);
  expect(fired).toEqual([
    ['first', 10],
    ['second', 10],
    ['late', 30],
  ]);
  expect(clock.nextTimerAt()).toBe(31);
});

test('promises and immediates settle between two timers, and timers they arm fire on the way', async () => {
  const clock = new ManualClock();
  const seen: string[] = [];
  clock.setTimeout(async () => {
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    seen.push('settled');
    clock.setTimeout(() => seen.push('armed on the way'), 5);
  }, 10);
  clock.setTimeout(() => seen.push('second'), 11);
  await clock.advance(20);
  expect(seen).toEqual(['settled', 'second', 'armed on the way']);
  expect(clock.monotonic()).toBe(20);
});

test('what was set off before the first timer settles before time moves', async () => {
  const clock = new ManualClock();
  let startedAt = -1;
  setImmediate(() => {
    startedAt = clock.monotonic();
  });
  await clock.advance(1_000);
  expect(startedAt).toBe(0);
});

test('runFor waits for settle after each timer, so really asynchronous work stays at its instant', async () => {
  const drive = async (settled: boolean) => {
    const clock = new ManualClock();
    let pending = Promise.resolve();
    const finished: number[] = [];
    const every = () => {
      clock.setTimeout(every, 10);
      pending = new Promise<void>((resolve) => setTimeout(resolve, 5)).then(() => void finished.push(clock.monotonic()));
    };
    clock.setTimeout(every, 10);
    await clock.runFor(30, settled ? { settle: () => pending } : {});
    await pending;
    return finished;
  };
  expect(await drive(true)).toEqual([10, 20, 30]);
  expect(await drive(false)).not.toEqual([10, 20, 30]); // control: without settle, time runs ahead of the work
});

test('a jump of the wall clock moves no timer and not the monotonic time', async () => {
  const clock = new ManualClock({ now: 5_000 });
  const { fired, at } = recorder(clock);
  at('timer', 100);
  clock.jumpWall(3_600_000);
  await clock.advance(99);
  expect(fired).toEqual([]);
  await clock.advance(1);
  expect(fired).toEqual([['timer', 100]]);
  clock.jumpWall(-3_600_000);
  expect([clock.now(), clock.monotonic()]).toEqual([5_100, 100]);
});

test('after a sleep an overdue timer fires once, and one that is not overdue waits its rest', async () => {
  const clock = new ManualClock({ now: 0 });
  const ticks: number[] = [];
  const every = () => {
    ticks.push(clock.monotonic());
    clock.setTimeout(every, 100);
  };
  clock.setTimeout(every, 100);
  await clock.sleep(1_000, { monotonicMs: 1_000 });
  expect(ticks).toEqual([1_000]);
  await clock.sleep(1_000);
  expect([clock.now(), clock.monotonic()]).toEqual([2_000, 1_000]);
  await clock.advance(100);
  expect(ticks).toEqual([1_000, 1_100]);
});

test('bad input and endless re-arming are errors that say so', async () => {
  const clock = new ManualClock();
  expect(() => clock.setTimeout(() => {}, 2_147_483_648)).toThrow('chunk a longer wait');
  await expect(clock.advance(-1)).rejects.toThrow('use jumpWall');
  const moving = clock.advance(1);
  await expect(clock.advance(1)).rejects.toThrow('being moved already');
  await moving;
});
