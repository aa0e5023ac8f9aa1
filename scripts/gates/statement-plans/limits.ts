// How much a hot statement may visit, and what breaks that. Pure: it is given figures and gives findings.
import type { OwnLimit } from './hot-statement.js';

/** Rows of an adversity, and the few against which SQLite's steps are held. */
export const LARGE = 100_000;
export const SMALL = 1_000;

/** Postgres: rows visited, and pages read by scans, per row returned; and those that a statement may visit for nothing. */
const PER_ROW = 10;
const FOR_NOTHING = 100;

/** SQLite: times the steps among few rows that a statement may take among many. */
const GROWTH = 2;

export function rowLimit(returned: number, own?: OwnLimit): number {
  return own?.rows?.({ returned, scale: LARGE }) ?? PER_ROW * returned + FOR_NOTHING;
}

/** As many as rows: to seek one takes two to four pages, so a statement within its rows is well within its pages. */
export function pageLimit(returned: number, own?: OwnLimit): number {
  return own?.pages?.({ returned, scale: LARGE }) ?? rowLimit(returned, own);
}

export function stepLimit(stepsAmongFew: number, own?: OwnLimit): number {
  return (own?.growth ?? GROWTH) * stepsAmongFew;
}
