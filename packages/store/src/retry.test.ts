import { describe, expect, it } from 'vitest';
import { withRetry } from './retry.js';

const busy = (text: string) => Object.assign(new Error(text), { code: 'SQLITE_BUSY' });

/** A clock that only the pauses move. */
function time() {
  let now = 0;
  const pauses: number[] = [];
  return {
    pauses,
    clock: { monotonic: () => now },
    sleep: async (delayMs: number) => {
      pauses.push(delayMs);
      now += delayMs;
    },
    random: () => 1,
  };
}

describe('[busy-backoff] trying again', () => {
  it('waits 1, 2, 4 … 50 ms', async () => {
    const { pauses, ...ports } = time();
    let tries = 0;
    const result = await withRetry({ on: ['busy'], budgetMs: 10_000, ...ports }, () => {
      tries += 1;
      if (tries <= 8) throw busy('locked');
      return tries;
    });
    expect(result).toBe(9);
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 50, 50]);
  });

  it('jitters a pause between half and whole', async () => {
    const { pauses, ...ports } = time();
    let tries = 0;
    await withRetry({ on: ['busy'], budgetMs: 100, ...ports, random: () => 0 }, () => {
      tries += 1;
      if (tries === 1) throw busy('locked');
    });
    expect(pauses).toEqual([0.5]);
  });

  it('ends with the budget, in the first error', async () => {
    const { pauses, ...ports } = time();
    let tries = 0;
    const trial = withRetry({ on: ['busy'], budgetMs: 10, ...ports }, () => {
      tries += 1;
      throw busy(`try ${tries}`);
    });
    await expect(trial).rejects.toThrow('try 1');
    expect(pauses).toEqual([1, 2, 4, 8]);
  });

  it('tries once on a budget of 0', async () => {
    let tries = 0;
    const trial = withRetry({ on: ['busy'], budgetMs: 0, ...time() }, () => {
      tries += 1;
      throw busy('locked');
    });
    await expect(trial).rejects.toThrow('locked');
    expect(tries).toBe(1);
  });

  it('ends at once in an error of another kind, after others too', async () => {
    let tries = 0;
    const trial = withRetry({ on: ['busy'], budgetMs: 1_000, ...time() }, () => {
      tries += 1;
      throw tries === 1 ? busy('locked') : new Error('constraint');
    });
    await expect(trial).rejects.toThrow('constraint');
    expect(tries).toBe(2);
  });
});
