import { describe, expect, it } from 'vitest';
import { outline, type PlanNode, readPlan, returnedRows, scannedPages, visitedRows } from './postgres-plan.js';

const scan = (change: Partial<PlanNode> = {}): PlanNode => ({
  'Node Type': 'Index Scan',
  'Actual Rows': 10,
  'Actual Loops': 1,
  ...change,
});
const limit = (of: PlanNode, rows = 10): PlanNode => ({ 'Node Type': 'Limit', 'Actual Rows': rows, 'Actual Loops': 1, Plans: [of] });

describe('rows that a plan visits', () => {
  it('are those of its scans, not those that are passed on', () => expect(visitedRows(limit(scan()))).toBe(10));

  it('count in every loop', () => expect(visitedRows(limit(scan({ 'Actual Loops': 4 })))).toBe(40));

  it.each(['Rows Removed by Filter', 'Rows Removed by Index Recheck', 'Rows Removed by Join Filter'] as const)('count with %s', (key) =>
    expect(visitedRows(limit(scan({ [key]: 90 })))).toBe(100),
  );
});

describe('pages that a plan reads', () => {
  const pages = (hit: number, read: number) => ({ 'Shared Hit Blocks': hit, 'Shared Read Blocks': read });
  const table = { 'Relation Name': 't' };

  it('are those of its scans of tables, in memory or not', () =>
    expect(scannedPages({ ...limit(scan({ ...table, ...pages(3, 4) })), ...pages(3, 4) })).toBe(7));

  it('count once, though the nodes above hold them too', () => {
    const index = scan({ 'Node Type': 'Bitmap Index Scan', 'Index Name': 'i', ...pages(2, 0) });
    expect(scannedPages(scan({ 'Node Type': 'Bitmap Heap Scan', ...table, ...pages(10, 0), Plans: [index] }))).toBe(10);
  });

  it('are not those of a result that a scan asks for', () => {
    const result = scan({ 'Node Type': 'CTE Scan', 'CTE Name': 'c', 'Subplan Name': 'InitPlan 3', ...pages(50, 0) });
    const of = scan({ ...table, 'Index Cond': '(id = ANY ((InitPlan 3).col1))', ...pages(60, 0) });
    expect(scannedPages(limit({ ...limit(of), Plans: [result, of] }))).toBe(10);
  });

  it('are not those that a write or an intermediate result takes', () => {
    const of = scan({ 'Node Type': 'CTE Scan', 'CTE Name': 'c', ...pages(50, 0) });
    expect(scannedPages({ 'Node Type': 'ModifyTable', 'Actual Rows': 0, 'Actual Loops': 1, ...pages(90, 0), Plans: [of] })).toBe(0);
  });
});

describe('rows that a statement gives', () => {
  it('are those at the top of a read', () => expect(returnedRows(limit(scan(), 3))).toBe(3));

  const write = (change: Partial<PlanNode>): PlanNode => ({ 'Node Type': 'ModifyTable', 'Actual Rows': 0, 'Actual Loops': 1, ...change });

  it('are those that a write returns', () => expect(returnedRows(write({ 'Actual Rows': 5, Plans: [scan()] }))).toBe(5));

  it('are those that reach a write which returns none', () =>
    expect(returnedRows(write({ Plans: [scan({ 'Parent Relationship': 'Outer', 'Actual Rows': 7 })] }))).toBe(7));

  it('are those that an insert with a conflict clause put in', () =>
    expect(returnedRows(write({ 'Conflict Resolution': 'NOTHING', 'Tuples Inserted': 2, Plans: [scan()] }))).toBe(2));
});

it('what EXPLAIN does not give is an error, not an empty plan', () => {
  expect(() => readPlan(undefined)).toThrow(/no plan/);
  expect(() => readPlan([{ Plan: { 'Node Type': 'Result' } }])).toThrow(/no plan/);
  expect(() => readPlan([{ Plan: scan() }])).toThrow(/no plan with actual rows and pages/);
  const counted = scan({ 'Shared Hit Blocks': 0 });
  expect(readPlan([{ Plan: counted }])).toEqual(counted);
});

it('the outline tells what each node threw away, by what, and from where', () => {
  const of = scan({
    'Index Name': 'i',
    'Relation Name': 't',
    'Rows Removed by Filter': 9,
    'Actual Loops': 2,
    Filter: '(a = 1)',
    'Shared Hit Blocks': 5,
  });
  expect(outline(limit(of))).toEqual(['Limit: 10 rows', '  Index Scan by i of t: 10 rows and 9 thrown away × 2 by (a = 1) from 5 pages']);
});
