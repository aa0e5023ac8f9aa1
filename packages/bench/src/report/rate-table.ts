import type { SideReport } from '../measure/rate-report.js';
import type { StoredResult } from '../results.js';
import type { WorkloadReport } from '../workload.js';
import { barChart } from './bar-chart.js';
import { table } from './benchmarks-page.js';

type Titled = (result: StoredResult) => string;

/** One row for each contender of each run. */
export function rateTable(results: readonly StoredResult[], titleOf: Titled): string {
  const rows = results.flatMap((stored) =>
    sidesOf(stored).map(({ product, version, setting, durability, perSecond, ratio }) => [
      titleOf(stored),
      product === 'bellhop' ? product : `${product} ${version}`,
      setting,
      Object.values(durability).join(', '),
      perSecond,
      ratio === undefined ? '' : `${ratio}×`,
    ]),
  );
  return table(['run', 'product', 'setting', 'durability', 'per second', 'ours ÷ it'], rows);
}

/** One chart for each run. */
export function rateCharts(name: string, title: string, results: readonly StoredResult[], titleOf: Titled): WorkloadReport['charts'] {
  return results.map((stored) => {
    const alt = `${title}: ${titleOf(stored)}`;
    const bars = sidesOf(stored).map(({ product, setting, perSecond }) => ({ label: `${product}, ${setting}`, value: perSecond }));
    const file = [name, ...titleOf(stored).split(/\W+/)].join('-');
    return { name: file, alt, svg: barChart(alt, bars) };
  });
}

function sidesOf({ result }: StoredResult): readonly SideReport[] {
  return result.sides as readonly SideReport[];
}
