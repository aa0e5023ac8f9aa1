import { type Child, startChild } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MINUTE, StallBench } from './stall-bench.fixture.js';

interface Swept {
  readonly charged: number;
  readonly fired: string[];
}

describe.each(['sqlite', 'postgres'] as const)('processes that sweep one database of %s', (name) => {
  let bench: StallBench;
  const children: Child[] = [];
  beforeAll(async () => {
    bench = await StallBench.open(name);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) await child.kill();
    await bench.clear();
  });
  afterAll(() => bench.drop());

  async function sweeper(fate = ''): Promise<Child> {
    const child = startChild(new URL('./sweep-process.fixture.ts', import.meta.url), {
      args: [bench.database.options.url as string, fate],
    });
    children.push(child);
    await child.message();
    return child;
  }

  it('make one charge and fire one wake, however they overlap', async () => {
    const sweepers = await Promise.all([sweeper(), sweeper()]);
    await bench.stalled();
    for (let round = 1; round <= 5; round += 1) {
      for (const child of sweepers) child.send({ now: bench.now });
      const swept = await Promise.all(sweepers.map((child) => child.message<Swept>()));
      expect(swept.map(({ charged }) => charged).toSorted()).toEqual([0, 1]);
      expect(swept.flatMap(({ fired }) => fired)).toHaveLength(1);
      expect(await bench.ledger()).toMatchObject([{ nudges: round, last_nudged_at: bench.now }]);
      await bench.pass(6 * 60 * MINUTE);
    }
    // The sixth: both looked, and nobody charged.
    for (const child of sweepers) child.send({ now: bench.now });
    expect(await Promise.all(sweepers.map((child) => child.message<Swept>()))).toEqual([
      { charged: 0, fired: [] },
      { charged: 0, fired: [] },
    ]);
  });

  it('G8: lose one wake with a process that is killed between its charge and its fire, and the next one comes when it is due', async () => {
    const [todo] = await bench.stalled();
    const killed = await sweeper('kill');
    killed.send({ now: bench.now });
    expect((await killed.exited).signal).toBe('SIGKILL');
    expect(await bench.ledger()).toMatchObject([{ nudges: 1, last_nudged_at: bench.now }]);
    // Nothing was moved: the todo is where it was.
    expect(await bench.store.knex('board_todo').where({ id: todo }).first()).toMatchObject({ state: 'pending', attempt: 0 });
    const survivor = await sweeper();
    const sweptAt = async (now: number) => {
      survivor.send({ now });
      return survivor.message<Swept>();
    };
    expect(await sweptAt(bench.now + 5 * MINUTE - 1)).toEqual({ charged: 0, fired: [] });
    expect(await sweptAt(bench.now + 5 * MINUTE)).toEqual({ charged: 1, fired: [todo] });
  });
});
