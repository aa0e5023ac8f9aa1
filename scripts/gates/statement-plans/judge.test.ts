import { describe, expect, it } from 'vitest';
import type { Definition } from './definitions.js';
import type { HotStatement, PluginStatements } from './hot-statement.js';
import { judgeMeasurement, judgeRegistry } from './judge.js';
import type { Measurement } from './measure.js';
import { renderMargins } from './render.js';

const statement = { label: 'x.claim', operation: 'update', table: 'x', sql: { sqlite: '', postgres: '' } } as const;
const hot: HotStatement = { definition: 'packages/x/src/a.ts#claim', title: 'claim', statement, params: {}, returns: 5 };
const plugin = (change: Partial<PluginStatements> = {}): PluginStatements => ({
  file: 'scripts/x.ts',
  migrations: [],
  wanted: async () => {},
  worlds: [{ name: 'full', table: 'x', seed: async () => {} }],
  hot: [hot],
  cold: [],
  ...change,
});
const definition: Definition = { name: hot.definition, file: 'packages/x/src/a.ts', line: 3, label: 'x.claim' };
const figure = (visited: number, returned = 5) => ({ visited, returned, plan: ['SEARCH x'] });
const measured = (change: Partial<Measurement> = {}): Measurement => ({
  plugin: plugin(),
  hot,
  world: 'full',
  family: 'sqlite',
  mode: 'analysed',
  few: figure(100),
  many: figure(200),
  ...change,
});
const judged = (change: Partial<Measurement> = {}) => judgeMeasurement(measured(change), [definition]);

describe('a measurement', () => {
  it('on SQLite may take twice the steps that it takes among few, and no more', () => {
    expect(judged()).toEqual([]);
    expect(judged({ many: figure(201) })).toMatchObject([{ file: 'packages/x/src/a.ts', line: 3 }]);
  });

  it('on Postgres may visit ten rows for each it gives and a hundred for nothing, and no more', () => {
    expect(judged({ family: 'postgres', few: figure(1), many: figure(150) })).toEqual([]);
    const [finding] = judged({ family: 'postgres', few: figure(1), many: figure(151) });
    expect(finding?.what).toMatch(/world "full": visits 151 rows among 100000; at most 150 are allowed\. Its plan:\n {6}SEARCH x/);
  });

  it('on Postgres may read as many pages as rows, whatever rows it shows', () => {
    const pages = (many: number, change: Partial<Measurement> = {}) =>
      judged({ family: 'postgres', few: figure(1), many: { ...figure(5), pages: many }, ...change });
    expect(pages(150)).toEqual([]);
    expect(pages(151)[0]?.what).toContain('visits 151 pages among 100000; at most 150 are allowed');
    expect(pages(151, { hot: { ...hot, own: { reason: 'r', rows: () => 200 } } })).toEqual([]);
    expect(pages(151, { hot: { ...hot, own: { reason: 'r', rows: () => 200, pages: () => 150 } } })).toHaveLength(1);
  });

  it('is held to a limit of its own only in the worlds that the limit names', () => {
    const own = { reason: 'r', worlds: ['full'], growth: 3 };
    expect(judged({ hot: { ...hot, own }, many: figure(300) })).toEqual([]);
    expect(judged({ hot: { ...hot, own }, many: figure(301) })).toHaveLength(1);
    expect(judged({ hot: { ...hot, own: { ...own, worlds: ['other'] } }, many: figure(300) })).toHaveLength(1);
  });

  it('proves nothing with other rows than it must find, at either scale', () => {
    expect(judged({ few: figure(1, 4) })[0]?.what).toContain('finds 4 rows of 5 among 1000');
    expect(judged({ many: figure(1, 0) })[0]?.what).toContain('finds 0 rows of 5 among 100000');
    const growing = { ...hot, returns: (scale: number) => scale };
    expect(judged({ hot: growing, few: figure(1, 1_000), many: figure(1, 100_000) })).toEqual([]);
  });

  it('of a statement that fails is a finding with its words', () => {
    expect(judged({ many: 'no such table: x' })[0]?.what).toContain('fails: no such table: x');
    expect(judged({ few: 'no such table: x', many: 'later' })[0]?.what).toContain('no such table: x');
  });
});

describe('the registry', () => {
  const faults = (plugins: readonly PluginStatements[], definitions: readonly Definition[] = [definition]) =>
    judgeRegistry(definitions, plugins).map(({ what }) => what);

  it('names every definition, as hot or as cold', () => {
    expect(faults([plugin()])).toEqual([]);
    expect(faults([plugin({ hot: [], cold: [{ definition: hot.definition, reason: 'r' }] })])).toEqual([]);
    expect(faults([plugin({ hot: [] })])).toEqual([expect.stringContaining('nobody measures')]);
  });

  it('names nothing else', () => {
    expect(faults([plugin()], [])).toEqual([expect.stringContaining('there is no statement')]);
    expect(faults([plugin({ cold: [{ definition: 'packages/x/src/a.ts#gone', reason: 'r' }] })])).toHaveLength(1);
  });

  it('measures what it names', () => {
    expect(faults([plugin()], [{ ...definition, label: 'x.other' }])).toEqual([
      expect.stringContaining('nobody measures'),
      expect.stringContaining('is labelled x.other'),
    ]);
    expect(faults([plugin()], [{ ...definition, label: undefined }])).toEqual([]);
  });

  it('stands for each statement of a declaration that makes several', () => {
    const other = { ...definition, line: 9, label: 'x.other' };
    expect(faults([plugin()], [definition, other])).toEqual([
      expect.stringContaining('#claim (x.other) is a statement that nobody measures'),
    ]);
    expect(faults([plugin({ hot: [], cold: [{ definition: hot.definition, reason: 'r' }] })], [definition, other])).toEqual([]);
  });

  it('runs each entry somewhere, and shows it under a title of its own', () => {
    expect(faults([plugin({ worlds: [{ name: 'full', table: 'y', seed: async () => {} }] })])).toEqual([
      expect.stringContaining('is run in no world: none fills x'),
    ]);
    expect(faults([plugin({ hot: [hot, hot] })])).toEqual([expect.stringContaining('claim is the title of two entries')]);
  });

  it('decides between hot and cold, and knows its worlds', () => {
    expect(faults([plugin({ cold: [{ definition: hot.definition, reason: 'r' }] })])).toEqual([
      expect.stringContaining('as cold and as hot'),
    ]);
    expect(faults([plugin({ hot: [{ ...hot, worlds: ['gone'] }] })])).toEqual([expect.stringContaining('no world gone')]);
    expect(faults([plugin({ hot: [{ ...hot, own: { reason: 'r', worlds: ['gone'] } }] })])).toEqual([
      expect.stringContaining('no world gone'),
    ]);
  });
});

it('the table shows the world that comes closest to the limit', () => {
  const lines = renderMargins([
    measured({ world: 'easy', many: figure(100) }),
    measured({ world: 'hard', many: figure(190) }),
    measured({ world: 'broken', many: 'no such table' }),
  ]);
  expect(lines.map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['statement', 'among 1000', 'among 100000', 'limit', 'in the world that comes closest to the limit', 'of'],
    ['sqlite', 'claim', '100', '190', '200', 'steps', 'hard, analysed', '2 runs'],
  ]);
  const own = measured({ hot: { ...hot, own: { reason: 'r' } } });
  expect(renderMargins([own])[1]).toMatch(/full, analysed, its own limit/);
  expect(renderMargins([])).toEqual([]);
});
