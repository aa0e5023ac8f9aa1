import type { WaitSide } from '../measure/wait-report.js';
import { table } from './benchmarks-page.js';

export interface TitledWaits {
  readonly title: string;
  /** A `WaitReport`, as it was stored. */
  readonly report: Readonly<Record<string, unknown>>;
}

/** One row for each contender of each run. */
export function waitTable(runs: readonly TitledWaits[]): string {
  const rows = runs.flatMap(({ title, report }) =>
    (report.sides as readonly WaitSide[]).map(({ product, version, setting, samples, p50Ms, p99Ms }) => [
      title,
      product === 'bellhop' ? product : `${product} ${version}`,
      setting,
      samples,
      p50Ms,
      p99Ms,
    ]),
  );
  return table(['run', 'product', 'setting', 'jobs', 'p50 ms', 'p99 ms'], rows);
}
