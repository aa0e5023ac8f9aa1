import { describe, expect, it } from 'vitest';
import { GroupCommit } from './group-commit.js';

const store = { assertOutsideTransaction() {} };

/** A transaction that ends when the test says so. */
function controlledCommit() {
  const groups: { calls: readonly string[]; finish: () => void; fail: (error: unknown) => void }[] = [];
  const arrived: (() => void)[] = [];
  return {
    groups,
    commit: (calls: readonly string[]) =>
      new Promise<string[]>((resolve, reject) => {
        groups.push({ calls, finish: () => resolve(calls.map((call) => `${call}!`)), fail: reject });
        arrived.shift()?.();
      }),
    next: () => new Promise<void>((resolve) => arrived.push(resolve)),
  };
}

describe('group commit', () => {
  it('[group-commit] shares a transaction among the calls of one turn, continuations included', async () => {
    const groups: (readonly string[])[] = [];
    const group = new GroupCommit<string, string>({
      store,
      commit: async (calls) => {
        groups.push(calls);
        return calls.map((call) => `${call}!`);
      },
    });
    const later = async (call: string) => {
      await null;
      await null;
      return group.submit(call);
    };
    expect(await Promise.all([group.submit('a'), group.submit('b'), later('c')])).toEqual(['a!', 'b!', 'c!']);
    expect(groups).toEqual([['a', 'b', 'c']]);
  });

  it('[group-commit-durability] settles a call only after its commit, and gathers the next group meanwhile', async () => {
    const { groups, commit, next } = controlledCommit();
    const group = new GroupCommit<string, string>({ store, commit });
    const settled: string[] = [];
    const arrival = next();
    const first = group.submit('a').then((result) => settled.push(result));
    await arrival;
    const second = [group.submit('b'), group.submit('c')];
    await new Promise((resolve) => setImmediate(resolve));
    expect(settled).toEqual([]);
    expect(groups.map(({ calls }) => calls)).toEqual([['a']]);
    const secondArrival = next();
    groups[0]?.finish();
    await first;
    expect(settled).toEqual(['a!']);
    await secondArrival;
    expect(groups.map(({ calls }) => calls)).toEqual([['a'], ['b', 'c']]);
    groups[1]?.finish();
    expect(await Promise.all(second)).toEqual(['b!', 'c!']);
  });

  it('[group-commit] retries a failed group call by call, so that a bad one fails alone', async () => {
    const groups: (readonly string[])[] = [];
    const group = new GroupCommit<string, string>({
      store,
      commit: async (calls) => {
        groups.push(calls);
        if (calls.includes('bad')) throw new Error('constraint');
        return [...calls];
      },
    });
    const outcomes = await Promise.allSettled([group.submit('a'), group.submit('bad'), group.submit('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(groups).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
  });

  it('[group-commit] fails all calls at once when the store cannot be reached: retrying each would take as many time-outs', async () => {
    let commits = 0;
    const group = new GroupCommit<string, string>({
      store,
      commit: async () => {
        commits += 1;
        throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
      },
    });
    const outcomes = await Promise.allSettled([group.submit('a'), group.submit('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(commits).toBe(1);
  });

  it('[group-commit] cuts a turn at the row limit, and never a call', async () => {
    const groups: (readonly number[])[] = [];
    const group = new GroupCommit<number, number>({
      store,
      commit: async (calls) => {
        groups.push(calls);
        return [...calls];
      },
      weigh: (rows) => rows,
      maxRows: 10,
    });
    await Promise.all([4, 4, 4, 25, 1].map((rows) => group.submit(rows)));
    expect(groups).toEqual([[4, 4], [4], [25], [1]]);
  });

  it('gives the event loop a turn between two groups, though the driver is synchronous', async () => {
    const order: string[] = [];
    const group = new GroupCommit<string, string>({
      store,
      maxRows: 1,
      commit: async (calls) => {
        order.push(...calls);
        return [...calls];
      },
    });
    const all = Promise.all(['a', 'b', 'c'].map((call) => group.submit(call)));
    setImmediate(() => order.push('others'));
    await all;
    expect(order.indexOf('others')).toBeGreaterThan(0);
    expect(order.indexOf('others')).toBeLessThan(3);
  });

  it('runs groups side by side where it may, so that one that waits for a lock holds up no other (control: it does, one at a time)', async () => {
    for (const [concurrency, expected] of [
      [2, ['b!']],
      [1, []],
    ] as const) {
      const { groups, commit, next } = controlledCommit();
      const group = new GroupCommit<string, string>({ store, commit, concurrency });
      const settled: string[] = [];
      const waiting = next();
      const first = group.submit('a');
      await waiting;
      void group.submit('b').then((result) => settled.push(result));
      await new Promise((resolve) => setImmediate(resolve));
      groups[1]?.finish();
      await new Promise((resolve) => setImmediate(resolve));
      expect(settled).toEqual(expected);
      groups[0]?.finish();
      await first;
    }
  });
});
