import { describe, expect, it } from 'vitest';
import { inSlices } from './row-slices.js';

/** Numbers from 0, which note where they were asked for and that they were let go. */
function numbers(most: number) {
  const state = { ended: false };
  function* rows() {
    try {
      for (let row = 0; row < most; row += 1) yield row;
    } finally {
      state.ended = true;
    }
  }
  return { rows, state };
}

/** The turns of the event loop that `work` takes. */
async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let running = true;
  const next = () => {
    turns += 1;
    if (running) setImmediate(next);
  };
  setImmediate(next);
  await work();
  running = false;
  return turns;
}

const stopped = { monotonic: () => 0 };

describe('slices', () => {
  it('end after five hundred rows, on a clock that stands (control: fewer rows take the first turn only)', async () => {
    expect(await turnsOf(() => inSlices(numbers(499).rows(), () => {}, { clock: stopped }))).toBe(1);
    expect(await turnsOf(() => inSlices(numbers(1_600).rows(), () => {}, { clock: stopped }))).toBe(4);
  });

  it('end after the row in which ten milliseconds are over', async () => {
    let now = 0;
    const slow = (ms: number) => () => {
      now += ms;
    };
    const clock = { monotonic: () => now };
    expect(await turnsOf(() => inSlices(numbers(8).rows(), slow(5), { clock }))).toBe(5);
    expect(await turnsOf(() => inSlices(numbers(8).rows(), slow(1), { clock }))).toBe(1);
  });

  it('let the rows go when a row is refused, and when they are aborted between two slices', async () => {
    const refused = numbers(10);
    const refuse = (row: number) => {
      if (row === 3) throw new Error('no');
    };
    await expect(inSlices(refused.rows(), refuse)).rejects.toThrow('no');
    expect(refused.state.ended).toBe(true);
    const aborted = numbers(1_000);
    const abort = new AbortController();
    let seen = 0;
    const slices = inSlices(
      aborted.rows(),
      () => {
        seen += 1;
        if (seen === 500) queueMicrotask(() => abort.abort(new Error('stop')));
      },
      { signal: abort.signal, clock: stopped },
    );
    await expect(slices).rejects.toThrow('stop');
    expect([seen, aborted.state.ended]).toEqual([500, true]);
  });
});
