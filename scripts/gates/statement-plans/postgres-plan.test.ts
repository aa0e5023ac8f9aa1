import { describe, expect, it } from 'vitest';
import { outline, type PlanNode, readPlan, returnedRows, visitedRows } from './postgres-plan.js';

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
  expect(readPlan([{ Plan: scan() }])).toEqual(scan());
});

it('the outline tells what each node threw away, and by what', () => {
  const of = scan({ 'Index Name': 'i', 'Relation Name': 't', 'Rows Removed by Filter': 9, 'Actual Loops': 2, Filter: '(a = 1)' });
  expect(outline(limit(of))).toEqual(['Limit: 10 rows', '  Index Scan by i of t: 10 rows and 9 thrown away × 2 by (a = 1)']);
});
