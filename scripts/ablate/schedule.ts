// In which order, and on which copy, entries are begun: the ones that take longest first, so that no copy is left with a long one at the end,
// and those over the same test files on the same copy, because a file has to be seen green there before its mutations and after them. Pure.

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

/** Entries not yet begun, handed out to copies. */
export class EntryQueue<T extends Pick<Ablation, 'tests'>> {
  readonly #waiting: T[];
  /** The copies that have run a test file. */
  readonly #seen = new Map<string, Set<number>>();

  /** @param entries in the order in which they are begun where no copy prefers another. */
  constructor(entries: readonly T[]) {
    this.#waiting = [...entries];
  }

  /** The next for this copy: one whose tests it has run, else one whose tests no copy has run, else any. */
  next(copy: number): T | undefined {
    const all = (entry: T, holds: (copies: Set<number> | undefined) => boolean): boolean =>
      entry.tests.every((file) => holds(this.#seen.get(file)));
    const entry =
      this.#waiting.find((one) => all(one, (copies) => copies?.has(copy) ?? false)) ??
      this.#waiting.find((one) => all(one, (copies) => copies === undefined || copies.has(copy))) ??
      this.#waiting[0];
    if (entry === undefined) return undefined;
    this.#waiting.splice(this.#waiting.indexOf(entry), 1);
    for (const file of entry.tests) this.#seen.set(file, (this.#seen.get(file) ?? new Set()).add(copy));
    return entry;
  }

  /** What nobody will begin. */
  giveUp(): T[] {
    return this.#waiting.splice(0);
  }
}
