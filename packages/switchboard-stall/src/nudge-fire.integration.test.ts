import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StallBench, sweeper } from './stall-bench.fixture.js';

// In a file of its own: without the rule, nudges name no todo, and every test of the ledger falls with it.

describe.each(['sqlite', 'libsql', 'libsql-remote', 'postgres'] as const)('the wake of a nudge on %s', (name) => {
  let bench: StallBench;
  beforeAll(async () => {
    bench = await StallBench.open(name);
  });
  beforeEach(() => bench.clear());
  afterAll(() => bench.drop());

  it('[N8] fires once the charge can be seen by anybody, and not at all where it fails', async () => {
    await bench.stalled();
    const other = await bench.database.open({ clock: bench.clock });
    const seen: Promise<{ nudges: number }[]>[] = [];
    bench.wakes.onFire = () => void seen.push(Promise.resolve(other.knex('queue_stall_nudges').select('nudges')));
    const failing = new Proxy(bench.store, {
      get(target, key) {
        const value = Reflect.get(target, key) as unknown;
        if (key === 'write') return () => Promise.reject(new Error('the disk is full'));
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const broken = sweeper(failing);
    await expect(broken.sweep.run(bench.now)).rejects.toThrow('the disk is full');
    expect(broken.wakes.fired).toEqual([]);
    expect(await bench.sweep()).toBe(1);
    expect(await Promise.all(seen)).toEqual([[{ nudges: 1 }]]);
    await other.close();
  });
});
