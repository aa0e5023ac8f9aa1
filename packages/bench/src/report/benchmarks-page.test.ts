import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { latestResults, type StoredResult, storeResult } from '../results.js';
import { budgets } from '../workloads/budgets.js';
import { idle } from '../workloads/idle.js';
import { barChart } from './bar-chart.js';
import { benchmarksPage } from './benchmarks-page.js';

const run = (at: string, overrides: Partial<StoredResult> = {}): StoredResult => ({
  workload: 'idle',
  at,
  machine: { cores: 2, cpu: 'test', node: '20' },
  versions: { knex: '3' },
  settings: { stores: ['sqlite'], partitions: '8', capabilities: 'all', quick: false },
  result: { ticks: 24, statements: 24, statementsPerIdleTick: 1, writes: 0 },
  ...overrides,
});

describe('results', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bellhop-results-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('keep the newest run of each setting', () => {
    const older = run('2026-01-01T00:00:00.000Z', { result: { statements: 99 } });
    const newer = run('2026-01-02T00:00:00.000Z');
    const other = run('2026-01-01T12:00:00.000Z', { settings: { ...older.settings, capabilities: 'reap' } });
    for (const result of [newer, older, other]) storeResult(result, folder);
    expect(latestResults(folder)).toEqual([other, newer]);
  });

  it('refuse a file that is none, and are none in an empty folder', () => {
    expect(latestResults(join(folder, 'missing'))).toEqual([]);
    writeFileSync(join(folder, 'x.json'), '{}');
    expect(() => latestResults(folder)).toThrow('x.json');
  });
});

describe('the benchmarks page', () => {
  it('shows each workload’s figures and chart, and says which was not run', () => {
    const [page, chart] = benchmarksPage([idle, budgets], [run('2026-01-02T00:00:00.000Z')]);
    expect(page?.content).toContain('| sqlite, 8 partitions, one survey | 24 | 24 | 1 | 0 |');
    expect(page?.content).toContain('![Statements in ten idle minutes](benchmarks/idle.svg)');
    expect(page?.content).toMatch(/## budgets\n\n.*\n\nNot run yet\./);
    expect(chart).toMatchObject({ path: 'benchmarks/idle.svg', content: expect.stringContaining('<rect') });
  });

  it('leaves quick runs out', () => {
    const quick = run('2026-01-02T00:00:00.000Z', { settings: { ...run('').settings, quick: true } });
    expect(benchmarksPage([idle], [quick])[0]?.content).toContain('Not run yet.');
  });
});

it('a bar chart writes out its values and escapes its labels', () => {
  const svg = barChart('a < b', [{ label: '"x" & y', value: 3 }]);
  expect(svg).toContain('a &lt; b. &quot;x&quot; &amp; y: 3');
});
