// What a wake carries, and its outcome brings back: which nudge of its pair it was. The pair itself is the todo's.

/** @param nudgedAt epoch milliseconds: no two nudges of a pair have the same. */
export function nudgeId(nudgedAt: number): string {
  return `stall.${nudgedAt}`;
}

/** @returns the time of the nudge; undefined for an id that is not of this plugin. */
export function nudgedAtOf(wakeId: string | undefined): number | undefined {
  const found = /^stall\.(\d{1,16})$/.exec(wakeId ?? '');
  return found ? Number(found[1]) : undefined;
}
