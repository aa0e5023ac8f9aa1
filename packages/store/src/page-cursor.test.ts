import { InputError } from '@bellhop/kernel';
import { describe, expect, it } from 'vitest';
import { checkPageLimit, decodeCursor, encodeCursor, isOlder, toPage } from './page-cursor.js';

describe('cursors', () => {
  it('come back as the position they were made of', () => {
    const position = { time: 1_764_000_000_123, id: 'ä|"[]' };
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

describe('isOlder', () => {
  it.each([
    [{ time: 1, id: 'b' }, { time: 2, id: 'a' }, true],
    [{ time: 2, id: 'a' }, { time: 1, id: 'b' }, false],
    [{ time: 1, id: 'a' }, { time: 1, id: 'b' }, true],
    [{ time: 1, id: 'b' }, { time: 1, id: 'a' }, false],
    [{ time: 1, id: 'a' }, { time: 1, id: 'a' }, false],
  ])('goes by time, then id: %j, %j', (row, than, older) => {
    expect(isOlder(row, than)).toBe(older);
  });
});

describe('toPage', () => {
  const rows = [3, 2, 1].map((createdAt) => ({ createdAt, id: `row-${createdAt}` }));
  const timeOf = (row: { createdAt: number }) => row.createdAt;

  it('has a cursor only when there is more', () => {
    expect(toPage(rows, 3, timeOf)).toEqual({ items: rows, nextCursor: null });
    const page = toPage(rows, 2, timeOf);
    expect(page.items).toEqual(rows.slice(0, 2));
    expect(decodeCursor(page.nextCursor as string)).toEqual({ time: 2, id: 'row-2' });
    expect(toPage([], 2, timeOf)).toEqual({ items: [], nextCursor: null });
  });
});
