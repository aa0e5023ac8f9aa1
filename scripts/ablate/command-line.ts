// What the arguments of `pnpm ablate` ask for. Pure. A flag that would have no effect is refused.

import { parseArgs } from 'node:util';
import { UsageError } from '../gates/framework/refusals.js';

export const USAGE = `Usage: pnpm ablate <id>… [--json]
       pnpm ablate --all [--record] [--workers N] [--json]
       pnpm ablate --changed [--base REF] [--workers N] [--json]
       pnpm ablate --list
       pnpm ablate --self-test`;

export const DEFAULT_WORKERS = 2;

export type Command =
  | { readonly mode: 'ids'; readonly ids: readonly string[]; readonly json: boolean }
  | { readonly mode: 'all'; readonly record: boolean; readonly workers: number; readonly json: boolean }
  | { readonly mode: 'changed'; readonly base: string | undefined; readonly workers: number; readonly json: boolean }
  | { readonly mode: 'list' }
  | { readonly mode: 'self-test' };

const OPTIONS = {
  all: { type: 'boolean' },
  changed: { type: 'boolean' },
  list: { type: 'boolean' },
  'self-test': { type: 'boolean' },
  json: { type: 'boolean' },
  record: { type: 'boolean' },
  base: { type: 'string' },
  workers: { type: 'string' },
} as const;

const MODES = ['all', 'changed', 'list', 'self-test'] as const;

/** @throws UsageError */
export function parseCommand(args: readonly string[]): Command {
  const { values, positionals: ids } = parse(args);
  const modes = MODES.filter((mode) => values[mode]);
  if (modes.length + (ids.length > 0 ? 1 : 0) !== 1) {
    throw new UsageError('Give ids, or one of --all, --changed, --list and --self-test.');
  }
  const mode = modes[0] ?? 'ids';
  const inCopies = mode === 'all' || mode === 'changed';
  if (values.base !== undefined && mode !== 'changed') throw new UsageError('--base goes with --changed.');
  if (values.record && mode !== 'all') throw new UsageError('--record goes with --all: it says that all were proved.');
  if (values.workers !== undefined && !inCopies) throw new UsageError('--workers goes with --all and --changed.');
  if (values.json && !inCopies && mode !== 'ids') throw new UsageError(`--json goes with modes that run ablations, not with --${mode}.`);
  const json = values.json ?? false;
  const workers = parseWorkers(values.workers);
  switch (mode) {
    case 'ids':
      return { mode, ids, json };
    case 'all':
      return { mode, record: values.record ?? false, workers, json };
    case 'changed':
      return { mode, base: values.base, workers, json };
    default:
      return { mode };
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function parseWorkers(text: string | undefined): number {
  if (text === undefined) return DEFAULT_WORKERS;
  if (!/^[1-9]\d?$/.test(text)) throw new UsageError(`--workers ${text} is no number from 1 to 99.`);
  return Number(text);
}
