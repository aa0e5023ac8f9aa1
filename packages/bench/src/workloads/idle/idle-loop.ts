import type { Store } from '@bellhop/contracts';
import type { ManualClock, TestDatabase } from '@bellhop/testing';

/** What a loop did while there was nothing to do. */
export interface IdleCounts {
  readonly ticks: number;
  readonly statements: number;
  readonly writes: number;
  /** Statements by their label, without the part before the first dot. */
  readonly byLabel: Readonly<Record<string, number>>;
}

/** A loop that the workload can run idle. */
export interface IdleLoop {
  /** Statements that a tick may cost. */
  readonly perTick: number;
  /** Whether it may write nothing. */
  readonly readsOnly: boolean;
  measure(database: TestDatabase, forMs: number): Promise<IdleCounts>;
}

interface RunningLoop {
  start(): void;
  settled(): Promise<void>;
  counters(): { readonly ticks: number };
  stop(): Promise<void>;
}

/** Runs the loop for so long on a clock moved by hand, from its first tick: what came before, migrations too, is not counted. */
export async function countIdle(
  loop: RunningLoop,
  { store, clock, forMs }: { store: Store; clock: ManualClock; forMs: number },
): Promise<IdleCounts> {
  store.meter.reset();
  loop.start();
  await clock.runFor(forMs, { settle: () => loop.settled() });
  const { ticks } = loop.counters();
  const { statements, writes, byLabel } = store.meter.snapshot();
  await loop.stop();
  const counts = Object.entries(byLabel).map(([label, count]) => [label.replace(/^\w+\./, ''), count.statements]);
  return { ticks, statements, writes, byLabel: Object.fromEntries(counts) };
}
