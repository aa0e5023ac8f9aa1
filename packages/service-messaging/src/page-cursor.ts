import { InputError } from '@bellhop/kernel';
import { checkName, checkText } from '@bellhop/store';

/** Where a page ended: lists run by creation time, then id, newest first. */
export interface PagePosition {
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly id: string;
}

export const PAGE_LIMIT_DEFAULT = 50;
export const PAGE_LIMIT_MAX = 200;

/** The opaque text of a position. It names a row, not an offset, so rows that arrive meanwhile neither repeat nor hide any. */
export function encodeCursor(position: PagePosition): string {
  return Buffer.from(JSON.stringify([position.createdAt, position.id])).toString('base64url');
}

/** @throws InputError `INVALID_INPUT` when `cursor` is not one that a page gave. */
export function decodeCursor(cursor: string): PagePosition {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(checkText(cursor, 'cursor'), 'base64url').toString());
    if (Array.isArray(decoded) && decoded.length === 2) {
      const [createdAt, id] = decoded as unknown[];
      if (Number.isSafeInteger(createdAt)) return { createdAt: createdAt as number, id: checkName(id, 'cursor') };
    }
  } catch {
    // No base64url of JSON, or no name in it: refused below with the rest.
  }
  throw new InputError(
    'INVALID_INPUT',
    'cursor: not a cursor of this list. Pass the `nextCursor` of a page, or leave it out for the first page.',
    {
      path: 'cursor',
    },
  );
}

/** @returns the limit to use: 1 to 200, default 50. @throws InputError `INVALID_INPUT` outside of that. */
export function checkPageLimit(limit: number | undefined): number {
  if (limit === undefined) return PAGE_LIMIT_DEFAULT;
  if (Number.isInteger(limit) && limit >= 1 && limit <= PAGE_LIMIT_MAX) return limit;
  throw new InputError('INVALID_INPUT', `limit: ${String(limit)} given; an integer from 1 to ${PAGE_LIMIT_MAX} is allowed.`, {
    path: 'limit',
  });
}

/** Cuts `rows`, of which one more than `limit` was asked for, into a page and the cursor of the next. */
export function toPage<Row extends PagePosition>(rows: readonly Row[], limit: number): { items: Row[]; nextCursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last ? encodeCursor({ createdAt: last.createdAt, id: last.id }) : null };
}
