import { InputError } from '@bellhop/kernel';
import { describe, expect, it } from 'vitest';
import { checkPageLimit, decodeCursor, encodeCursor, toPage } from './page-cursor.js';

describe('cursors', () => {
  it('come back as the position they were made of', () => {
    const position = { createdAt: 1_764_000_000_123, id: 'ä|"[]' };
    expect(decodeCursor(encodeCursor(position))).toEqual(position);
  });

  it.each([
    '',
    'garbage',
    '%%%',
    Buffer.from('[1]').toString('base64url'),
    Buffer.from('["1","a"]').toString('base64url'),
    Buffer.from('[1,"\\u0000"]').toString('base64url'),
    7 as unknown as string,
  ])('that no page gave are refused: %s', (cursor) => {
    expect(() => decodeCursor(cursor)).toThrow(InputError);
  });
});

describe('page limits', () => {
  it('default to 50 and go from 1 to 200', () => {
    expect(checkPageLimit(undefined)).toBe(50);
    expect(checkPageLimit(1)).toBe(1);
    expect(checkPageLimit(200)).toBe(200);
    for (const bad of [0, 201, -1, 1.5, Number.NaN]) expect(() => checkPageLimit(bad)).toThrow(/an integer from 1 to 200/);
  });
});

describe('toPage', () => {
  const rows = [3, 2, 1].map((createdAt) => ({ createdAt, id: `row-${createdAt}` }));

  it('has a cursor only when there is more', () => {
    expect(toPage(rows, 3)).toEqual({ items: rows, nextCursor: null });
    const page = toPage(rows, 2);
    expect(page.items).toEqual(rows.slice(0, 2));
    expect(decodeCursor(page.nextCursor as string)).toEqual({ createdAt: 2, id: 'row-2' });
    expect(toPage([], 2)).toEqual({ items: [], nextCursor: null });
  });
});
