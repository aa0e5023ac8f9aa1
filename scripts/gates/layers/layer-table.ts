// Which package may import which: the layering of the workspace as data, and nothing else. A rule that needs an `if` belongs into the judge.
// Names are folders of packages/. A folder may be listed before it exists; one that exists and is not listed is a finding.

/** Bottom first. A package imports packages of the rows below its own: never a row above, never one of its own row. */
export const ROWS: readonly (readonly string[])[] = [
  ['kernel'],
  ['contracts', 'loop'],
  ['store', 'outbound', 'reaper'],
  // Plugins meet in the kernel, through the tokens of contracts.
  ['service-messaging', 'service-queue', 'switchboard', 'switchboard-stall'],
  ['host'],
];

/** Packages beside the rows. No product source of the rows imports them. */
export const BESIDE: Readonly<Record<string, readonly string[] | 'all'>> = {
  testing: ['kernel', 'contracts', 'loop', 'store'],
  bench: 'all',
};

/** What tests and fixtures may import besides what their package may. */
export const TEST_KITS: readonly string[] = ['testing'];

export interface TestNeighbour {
  readonly from: string;
  readonly to: string;
  readonly why: string;
}

/** Packages whose tests and fixtures, and no product source, may import the face of one more. */
export const TEST_NEIGHBOURS: readonly TestNeighbour[] = [
  { from: 'switchboard-stall', to: 'switchboard', why: 'it requires the board, names its tables in SQL, and is tested on them' },
];

export interface Narrowing {
  readonly from: string;
  readonly to: string;
  /** The names that product sources may import, as types. */
  readonly types: readonly string[];
  readonly why: string;
}

/** Where less is allowed than the rows say. */
export const NARROWINGS: readonly Narrowing[] = [
  { from: 'loop', to: 'kernel', types: ['Clock', 'Random', 'Timer'], why: 'the loop runs on any clock and knows no kernel' },
];

export interface InsideReader {
  /** A folder of scripts. */
  readonly folder: string;
  readonly why: string;
}

/** Scripts that import from the inside of packages, where others are held to the faces. */
export const INSIDE_READERS: readonly InsideReader[] = [
  { folder: 'scripts/gates/statement-plans', why: 'it measures statements as they are, and no face exports them' },
];
