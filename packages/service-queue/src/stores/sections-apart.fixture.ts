import type { JobStoreSection } from '@bellhop/testing';

/**
 * Sections of the conformance suite in files of their own, `<store>.<file>.…test.ts`: a remote database takes its time over each, and a file whose
 * tests carry a rule's id is run for each ablation of the rule, so it holds little else.
 */
export const SECTIONS_APART = {
  'state-table': ['state-table'],
  claims: ['claim'],
  lanes: ['lanes'],
  groups: ['group-caps'],
  order: ['order'],
  tokens: ['claim-tokens'],
  promote: ['promote'],
  reclaim: ['reclaim'],
  keys: ['idempotency'],
  inputs: ['enqueue', 'input-limits'],
} as const satisfies Readonly<Record<string, readonly JobStoreSection[]>>;

/** Of these only the SQL store has a file: in memory they take no time, and carry no rule's id. */
const IN_SQL: readonly string[] = ['state-table', 'groups', 'inputs'];

export const FILES_IN_SQL = Object.keys(SECTIONS_APART) as (keyof typeof SECTIONS_APART)[];
export const FILES_IN_MEMORY = FILES_IN_SQL.filter((file) => !IN_SQL.includes(file));
