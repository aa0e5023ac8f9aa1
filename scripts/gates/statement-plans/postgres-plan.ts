// Reads what EXPLAIN (ANALYZE, FORMAT JSON) tells of one statement: how many rows it visited, and how many it gave.

/** A node of the plan, as far as it is read. Numbers are means over the loops. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Function Name'?: string;
  readonly 'CTE Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly 'Parent Relationship'?: string;
  readonly 'Subplan Name'?: string;
  readonly Operation?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly 'Conflict Resolution'?: string;
  readonly 'Tuples Inserted'?: number;
  readonly 'Conflicting Tuples'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The root of the plan in the one row that EXPLAIN gives. Throws where it is anything else. */
export function readPlan(explained: unknown): PlanNode {
  const plan = (explained as [{ readonly Plan?: PlanNode }] | undefined)?.[0]?.Plan;
  if (typeof plan?.['Actual Rows'] !== 'number' || typeof plan['Shared Hit Blocks'] !== 'number') {
    throw new Error(`EXPLAIN gave no plan with actual rows and pages, but ${JSON.stringify(explained)?.slice(0, 200)}`);
  }
  return plan;
}

export function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/**
 * Rows that the plan looked at: what its scans gave, and what they and its joins threw away. An index and the table behind it count apart,
 * as do the rows of a parameter or of an intermediate result each time they are read.
 */
export function visitedRows(plan: PlanNode): number {
  return Math.round(sumOf(nodesOf(plan), visitedBy));
}

/**
 * Pages that the scans of tables and indexes read themselves. A condition that the order of an index does not serve drops entries within the index,
 * where no count of rows shows them.
 */
export function scannedPages(plan: PlanNode): number {
  const nodes = nodesOf(plan);
  return sumOf(nodes, (node) => pagesScannedBy(node, nodes));
}

function pagesScannedBy(node: PlanNode, nodes: readonly PlanNode[]): number {
  if (!isScan(node) || (node['Relation Name'] ?? node['Index Name']) === undefined) return 0;
  // The first that asks for an intermediate result is charged with what it took, wherever in the plan that hangs.
  const asked: readonly string[] = `${node['Index Cond']} ${node.Filter}`.match(/InitPlan \d+/g) ?? [];
  const results = nodes.filter((each) => asked.includes(each['Subplan Name'] ?? ''));
  return Math.max(0, pagesOf(node) - sumOf([...(node.Plans ?? []), ...results], pagesOf));
}

function sumOf<T>(of: readonly T[], value: (each: T) => number): number {
  return of.reduce((sum, each) => sum + value(each), 0);
}

function pagesOf(node: PlanNode): number {
  return (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0);
}

function isScan(node: PlanNode): boolean {
  return node['Node Type'].endsWith(' Scan');
}

function visitedBy(node: PlanNode): number {
  const given = isScan(node) ? node['Actual Rows'] : 0;
  const removed = sumOf(REMOVED, (key) => node[key] ?? 0);
  return (given + removed) * node['Actual Loops'];
}

const REMOVED = ['Rows Removed by Filter', 'Rows Removed by Index Recheck', 'Rows Removed by Join Filter'] as const;

/** Rows that the statement returned; of a write, those it wrote, whether it returns them or not. */
export function returnedRows(plan: PlanNode): number {
  const write = nodesOf(plan).find((node) => node['Node Type'] === 'ModifyTable');
  if (!write) return plan['Actual Rows'] * plan['Actual Loops'];
  if (write['Actual Rows'] > 0) return write['Actual Rows'] * write['Actual Loops'];
  if (write['Conflict Resolution'] !== undefined) return write['Tuples Inserted'] ?? 0;
  // What a write without RETURNING writes shows only in the rows that reach it.
  const source = write.Plans?.find((node) => node['Parent Relationship'] === 'Outer');
  return source ? source['Actual Rows'] * source['Actual Loops'] : 0;
}

/** The plan for a reader: a line a node, with what it visited. */
export function outline(plan: PlanNode): string[] {
  return outlineOf(plan, nodesOf(plan), 0);
}

function outlineOf(plan: PlanNode, nodes: readonly PlanNode[], depth: number): string[] {
  const { 'Actual Rows': rows, 'Actual Loops': loops } = plan;
  const removed = sumOf(REMOVED, (key) => plan[key] ?? 0);
  const pages = pagesScannedBy(plan, nodes);
  const of = plan['Relation Name'] ?? plan['Function Name'] ?? plan['CTE Name'];
  const line = [
    plan.Operation ?? plan['Node Type'],
    ...(plan['Index Name'] ? [`by ${plan['Index Name']}`] : []),
    ...(of ? [`of ${of}`] : []),
    `: ${rows} rows`,
    ...(removed > 0 ? [`and ${removed} thrown away`] : []),
    ...(loops === 1 ? [] : [`× ${loops}`]),
    ...(removed > 0 && plan.Filter ? [`by ${plan.Filter}`] : []),
    ...(pages > 0 ? [`from ${pages} pages`] : []),
  ];
  return [
    `${'  '.repeat(depth)}${line.join(' ').replace(' : ', ': ')}`,
    ...(plan.Plans ?? []).flatMap((node) => outlineOf(node, nodes, depth + 1)),
  ];
}
