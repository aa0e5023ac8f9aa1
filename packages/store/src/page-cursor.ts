import { checkName, checkText } from './input-limits.js';
import { checkWhole } from './input-numbers.js';
import { refuse } from './refuse-input.js';

/** Where a page ended: lists run by a time (of creation, of the end), then id, newest first. */
export interface PagePosition {
  /** Epoch milliseconds. */
  readonly time: number;
  readonly id: string;
}

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;

/** The opaque text of a position. It names a row, not an offset, so rows that arrive meanwhile neither repeat nor hide any. */
export function encodeCursor(position: PagePosition): string {
  return Buffer.from(JSON.stringify([position.time, position.id])).toString('base64url');
}

/** @throws InputError `INVALID_INPUT` when `cursor` is not one that a page gave. */
export function decodeCursor(cursor: string): PagePosition {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(checkText(cursor, 'cursor'), 'base64url').toString());
    if (Array.isArray(decoded) && decoded.length === 2) {
      const [time, id] = decoded as unknown[];
      if (Number.isSafeInteger(time)) return { time: time as number, id: checkName(id, 'cursor') };
    }
  } catch {
    // No base64url of JSON, or no name in it: refused below with the rest.
  }
  refuse('cursor', 'not a cursor of this list. Pass the `nextCursor` of a page, or leave it out for the first page');
}

/** @returns the limit to use: 1 to 200, default 50. @throws InputError `INVALID_INPUT` outside of that. */
export function checkPageLimit(limit: number | undefined): number {
  return limit === undefined ? PAGE_LIMIT_DEFAULT : checkWhole(limit, 'limit', { least: 1, most: PAGE_LIMIT_MAX });
}

/** Whether a row comes after `than` in a list, whose newest is first. */
export function isOlder(row: PagePosition, than: PagePosition): boolean {
  return row.time < than.time || (row.time === than.time && row.id < than.id);
}

/**
 * Cuts `rows`, of which one more than `limit` was asked for, into a page and the cursor of the next.
 *
 * @param timeOf the time the list runs by.
 */
export function toPage<Row extends { readonly id: string }>(
  rows: readonly Row[],
  limit: number,
  timeOf: (row: Row) => number,
): { items: Row[]; nextCursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? encodeCursor({ time: timeOf(last), id: last.id }) : null };
}
