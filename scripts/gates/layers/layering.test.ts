import { describe, expect, it } from 'vitest';
import { isListed, LAYERING, type Layering, narrowingBroken, refusalOf } from './layering.js';

const layering: Layering = {
  rows: [['floor'], ['left', 'right'], ['roof']],
  beside: { kit: ['floor', 'left'], all: 'all' },
  testKits: ['kit'],
  testNeighbours: [{ from: 'right', to: 'left', why: 'it is tested on its tables' }],
  narrowings: [{ from: 'left', to: 'floor', types: ['Clock'], why: 'it runs anywhere' }],
};
const refusal = (from: string, to: string, role: 'product' | 'test' | 'fixture' = 'product') => refusalOf(layering, from, to, role);

describe('the layering', () => {
  it('lets imports go down, over any number of rows', () => {
    expect(refusal('left', 'floor')).toBeUndefined();
    expect(refusal('roof', 'floor')).toBeUndefined();
  });

  it('refuses up and sideways, in tests too', () => {
    for (const role of ['product', 'test', 'fixture'] as const) {
      expect(refusal('floor', 'roof', role)).toBe('floor → roof goes up: floor may import no other package');
      expect(refusal('left', 'right', role)).toBe('left → right goes sideways: left may import floor and nothing else');
    }
  });

  it('gives the test kit to tests and fixtures alone', () => {
    expect(refusal('floor', 'kit')).toBe('kit is for tests and fixtures');
    expect(refusal('floor', 'kit', 'test')).toBeUndefined();
    expect(refusal('floor', 'kit', 'fixture')).toBeUndefined();
  });

  it('lets tests and fixtures import a neighbour that the table names, one way and no product', () => {
    expect([refusal('right', 'left', 'test'), refusal('right', 'left', 'fixture')]).toEqual([undefined, undefined]);
    expect(refusal('right', 'left')).toBe('right → left goes sideways: right may import floor and nothing else');
    expect(refusal('left', 'right', 'test')).toBe('left → right goes sideways: left may import floor and nothing else');
    expect(refusal('right', 'roof', 'test')).toBeDefined();
  });

  it('holds what lies beside the rows to its list', () => {
    expect(refusal('kit', 'left')).toBeUndefined();
    expect(refusal('kit', 'roof')).toBe('kit → roof is beside the layers: kit may import floor, left and nothing else');
    expect(refusal('kit', 'roof', 'test')).toBeDefined();
    expect([refusal('all', 'roof'), refusal('all', 'kit')]).toEqual([undefined, undefined]);
    expect(refusal('roof', 'all')).toContain('beside the layers');
  });

  it('lets only tests import their package by its name', () => {
    expect(refusal('left', 'left')).toBeDefined();
    expect(refusal('left', 'left', 'test')).toBeUndefined();
  });

  it('narrows an import to types of these names', () => {
    const broken = (names: string[], erased: boolean, from = 'left') =>
      narrowingBroken(layering, from, 'floor', { names, erased }) !== undefined;
    expect(broken(['Clock'], true)).toBe(false);
    expect(broken(['Clock'], false)).toBe(true);
    expect(broken(['Clock', 'Kernel'], true)).toBe(true);
    expect(broken(['*'], true)).toBe(true);
    expect(broken(['Kernel'], false, 'right')).toBe(false);
  });
});

describe('the table', () => {
  it('lists each package once', () => {
    const listed = [...LAYERING.rows.flat(), ...Object.keys(LAYERING.beside)];
    expect(listed).toEqual([...new Set(listed)]);
  });

  it('names no package that it does not list', () => {
    const named = [
      ...Object.values(LAYERING.beside).flatMap((names) => (names === 'all' ? [] : names)),
      ...LAYERING.testKits,
      ...LAYERING.testNeighbours.flatMap(({ from, to }) => [from, to]),
      ...LAYERING.narrowings.flatMap(({ from, to }) => [from, to]),
    ];
    expect(named.filter((name) => !isListed(LAYERING, name))).toEqual([]);
  });

  it('names no neighbour that its tests may import anyway', () => {
    const alone = { ...LAYERING, testNeighbours: [] };
    for (const { from, to } of LAYERING.testNeighbours) expect(refusalOf(alone, from, to, 'test')).toBeDefined();
  });

  it('narrows nothing that it forbids anyway', () => {
    for (const { from, to } of LAYERING.narrowings) expect(refusalOf(LAYERING, from, to, 'product')).toBeUndefined();
  });
});
