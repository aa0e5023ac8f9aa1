// In which order entries are begun: the ones that take longest first, so that no worker is left with a long one at the end. Pure.

import type { Ablation } from './ablation.js';

/** Databases and child processes take most of the time; the rest of it goes with what there is to run. */
const INTEGRATION_WEIGHT = 4;

/** @param sizeOf the size of a test file. */
export function longestFirst<T extends { readonly entry: Pick<Ablation, 'id' | 'tests'> }>(
  registered: readonly T[],
  sizeOf: (file: string) => number,
): T[] {
  const weight = (file: string): number => sizeOf(file) * (file.includes('.integration.') ? INTEGRATION_WEIGHT : 1);
  const cost = new Map(registered.map((one) => [one, one.entry.tests.reduce((sum, file) => sum + weight(file), 0)]));
  return [...registered].sort((a, b) => cost.get(b)! - cost.get(a)! || a.entry.id.localeCompare(b.entry.id));
}
