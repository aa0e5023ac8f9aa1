// The table as a question: may a package import another?
import { BESIDE, NARROWINGS, type Narrowing, ROWS, TEST_KITS, TEST_NEIGHBOURS, type TestNeighbour } from './layer-table.js';
import type { SourceFile } from './workspace.js';

export interface Layering {
  readonly rows: readonly (readonly string[])[];
  readonly beside: Readonly<Record<string, readonly string[] | 'all'>>;
  readonly testKits: readonly string[];
  readonly testNeighbours: readonly TestNeighbour[];
  readonly narrowings: readonly Narrowing[];
}

export const LAYERING: Layering = {
  rows: ROWS,
  beside: BESIDE,
  testKits: TEST_KITS,
  testNeighbours: TEST_NEIGHBOURS,
  narrowings: NARROWINGS,
};

export function isListed({ rows, beside }: Layering, folder: string): boolean {
  return rows.flat().includes(folder) || Object.hasOwn(beside, folder);
}

/** What is wrong with it, or undefined where it may. Only for packages that are listed. */
export function refusalOf(layering: Layering, from: string, to: string, role: SourceFile['role']): string | undefined {
  const { rows, beside, testKits, testNeighbours } = layering;
  const isNeighbour = testNeighbours.some((each) => each.from === from && each.to === to);
  if (role !== 'product' && (from === to || testKits.includes(to) || isNeighbour)) return undefined;
  if (from === to) return 'a package does not import itself through its face';
  const own = beside[from];
  if (own === 'all' || own?.includes(to)) return undefined;
  const allowed = own ?? rows.slice(0, rowOf(rows, from)).flat();
  if (allowed.includes(to)) return undefined;
  if (testKits.includes(to)) return `${to} is for tests and fixtures`;
  const allowedText = allowed.length === 0 ? 'no other package' : `${allowed.join(', ')} and nothing else`;
  const direction =
    own || Object.hasOwn(beside, to) ? 'is beside the layers' : rowOf(rows, to) === rowOf(rows, from) ? 'goes sideways' : 'goes up';
  return `${from} → ${to} ${direction}: ${from} may import ${allowedText}`;
}

/** The narrowing that an import of these names breaks, if any. */
export function narrowingBroken(
  { narrowings }: Layering,
  from: string,
  to: string,
  { names, erased }: { readonly names: readonly string[]; readonly erased: boolean },
): Narrowing | undefined {
  return narrowings.find((each) => each.from === from && each.to === to && (!erased || names.some((name) => !each.types.includes(name))));
}

function rowOf(rows: Layering['rows'], folder: string): number {
  return rows.findIndex((row) => row.includes(folder));
}
