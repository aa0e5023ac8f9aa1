// The margins as a table: a line for each statement and family, with its closest world. A gate that passes shows by how much.
import { marginOf } from './judge.js';
import { LARGE } from './limits.js';
import type { Measurement } from './measure.js';

export function renderMargins(measurements: readonly Measurement[]): string[] {
  const closest = new Map<
    string,
    { title: string; family: string; world: string; mode: string; visited: number; limit: number; worlds: number }
  >();
  for (const measurement of measurements) {
    const { hot, family, world, mode, few, many } = measurement;
    if (typeof few === 'string' || typeof many === 'string') continue;
    const { visited, limit } = marginOf(measurement, few, many);
    const key = `${family} ${hot.title}`;
    const known = closest.get(key);
    const worlds = (known?.worlds ?? 0) + 1;
    if (known && known.visited / known.limit >= visited / limit) closest.set(key, { ...known, worlds });
    else closest.set(key, { title: hot.title, family, world, mode, visited, limit, worlds });
  }
  const rows = [...closest.values()].map(({ title, family, world, mode, visited, limit, worlds }) => [
    family,
    title,
    `${visited} of ${limit} ${family === 'postgres' ? 'rows' : 'steps'}`,
    `${world}, ${mode}`,
    `${worlds} runs`,
  ]);
  if (rows.length === 0) return [];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return [
    `visited among ${LARGE} rows, in the world that comes closest to the limit:`,
    ...rows.map(
      (row) =>
        `  ${row
          .map((cell, column) => cell.padEnd(widths[column]!))
          .join('  ')
          .trimEnd()}`,
    ),
  ];
}
