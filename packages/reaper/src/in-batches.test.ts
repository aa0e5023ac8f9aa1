import { describe, expect, test } from 'vitest';
import { inBatches, SWEEP_BATCH, SWEEP_BATCHES } from './in-batches.js';

/** A table of so many rows. `found`: what a sweep finds at most, as if another process were at the others. */
function table(rows: number, found = SWEEP_BATCH) {
  const state = { rows, sweeps: 0, asked: 0 };
  return {
    state,
    sweep: async () => {
      const some = Math.min(found, state.rows);
      state.sweeps += 1;
      state.rows -= some;
      return some;
    },
    isMore: async () => {
      state.asked += 1;
      return state.rows > 0;
    },
  };
}

const running = () => new AbortController().signal;

describe('a sweep in batches', () => {
  test('goes on until nothing is left, and asks only after a batch that is not full', async () => {
    const { sweep, isMore, state } = table(2_500);
    expect(await inBatches(running(), sweep, isMore)).toBe(2_500);
    expect(state).toEqual({ rows: 0, sweeps: 3, asked: 1 });
  });

  test('goes on after a short batch where there is more', async () => {
    const { sweep, isMore, state } = table(10, 4);
    expect(await inBatches(running(), sweep, isMore)).toBe(10);
    expect(state).toEqual({ rows: 0, sweeps: 3, asked: 3 });
  });

  test('leaves what is more than one run may take', async () => {
    const { sweep, isMore, state } = table(SWEEP_BATCH * SWEEP_BATCHES + 1);
    expect(await inBatches(running(), sweep, isMore)).toBe(SWEEP_BATCH * SWEEP_BATCHES);
    expect(state).toEqual({ rows: 1, sweeps: SWEEP_BATCHES, asked: 0 });
  });

  test('keeps to the limits that it is given', async () => {
    const { sweep, isMore, state } = table(25, 10);
    expect(await inBatches(running(), sweep, isMore, { batch: 10, batches: 2 })).toBe(20);
    expect(await inBatches(running(), sweep, isMore, { batch: 10, batches: 2 })).toBe(5);
    expect(state).toEqual({ rows: 0, sweeps: 3, asked: 1 });
  });

  test('ends after the batch in which it is aborted (control: the next run takes the rest)', async () => {
    const { sweep, isMore, state } = table(5_000);
    const stop = new AbortController();
    const stopping = async () => {
      if (state.sweeps === 1) stop.abort();
      return sweep();
    };
    expect(await inBatches(stop.signal, stopping, isMore)).toBe(2_000);
    expect(await inBatches(running(), sweep, isMore)).toBe(3_000);
  });

  test('gives everything else its turn between two batches', async () => {
    const { sweep, isMore, state } = table(5_000);
    let sweepsAtTurn = 0;
    setImmediate(() => {
      sweepsAtTurn = state.sweeps;
    });
    await inBatches(running(), sweep, isMore);
    expect(sweepsAtTurn).toBe(1);
  });

  test('fails with its statement, and refuses limits that are none', async () => {
    const failing = async () => {
      throw new Error('locked');
    };
    const { sweep, isMore, state } = table(5);
    await expect(inBatches(running(), failing, isMore)).rejects.toThrow('locked');
    await expect(inBatches(running(), sweep, isMore, { batch: 0 })).rejects.toThrow(/^batch: 0 given/);
    await expect(inBatches(running(), sweep, isMore, { batches: 1.5 })).rejects.toThrow(/^batches: 1.5 given/);
    expect(state.sweeps).toBe(0);
  });
});
