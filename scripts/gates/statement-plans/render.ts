// The margins as a table: a line for each statement and family, with its closest world. A gate that passes shows by how much.
import { type Margin, marginOf, ownLimit } from './judge.js';
import { LARGE, SMALL } from './limits.js';
import type { Measurement } from './measure.js';

export function renderMargins(measurements: readonly Measurement[]): string[] {
  const closest = new Map<string, { measurement: Measurement; margin: Margin; runs: number }>();
  for (const measurement of measurements) {
    const { hot, family, few, many } = measurement;
    if (typeof few === 'string' || typeof many === 'string') continue;
    const margin = marginOf(measurement, few, many);
    const key = `${family} ${hot.title}`;
    const known = closest.get(key);
    const runs = (known?.runs ?? 0) + 1;
    closest.set(key, known && use(known.margin) >= use(margin) ? { ...known, runs } : { measurement, margin, runs });
  }
  if (closest.size === 0) return [];
  const rows = [...closest.values()].map(({ measurement: { hot, family, world, mode }, margin, runs }) => [
    family,
    hot.title,
    ...[margin.few, margin.visited, margin.limit].map((figure) => String(Math.round(figure))),
    margin.unit,
    `${world}, ${mode}${ownLimit(hot, world) ? ', its own limit' : ''}`,
    `${runs} runs`,
  ]);
  const table = [
    ['', 'statement', `among ${SMALL}`, `among ${LARGE}`, 'limit', '', 'in the world that comes closest to the limit', 'of'],
    ...rows,
  ];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  return table.map((row) => {
    const cells = row.map((cell, column) => (FIGURES.has(column) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)));
    return `  ${cells.join('  ').trimEnd()}`;
  });
}

/** The columns of numbers. */
const FIGURES = new Set([2, 3, 4]);

function use({ visited, limit }: Margin): number {
  return visited / limit;
}
