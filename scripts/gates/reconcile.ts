// `pnpm gates:reconcile FILE [--base <commit>] [--head <commit>]`: holds a record of `command :: exit N` lines against the gates that the change
// can turn red. Exit: 1 if one is red or UNRUN, else 3 if one was not measured, else 0.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { derivedCommands } from './framework/derivation.js';
import { readDiff } from './framework/diff.js';
import { EXIT } from './framework/exit-codes.js';
import { GATE_NAMES, loadGate } from './framework/gates.js';
import { exitOf, parseRecord, reconcile } from './framework/reconciliation.js';
import { NotMeasuredError, UsageError } from './framework/refusals.js';
import { Repository } from './framework/repository.js';

try {
  const { file, base, head } = parsedArguments();
  const record = parseRecord(readRecord(file));
  const diff = readDiff(new Repository(join(import.meta.dirname, '../..')), { base, head });
  const paths = diff.changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  const rows = reconcile(derivedCommands(await Promise.all(GATE_NAMES.map(loadGate)), paths), record.lines);

  console.log(`the change starts at ${diff.base.said}`);
  for (const { command, verdict, note } of rows) if (verdict !== 'ok') console.log(`${label(verdict)} ${command}: ${note}`);
  for (const line of record.unreadable) console.log(`UNREADABLE ${line}`);
  const count = (wanted: string) => rows.filter(({ verdict }) => verdict === wanted).length;
  const run = count('ok') + count('red');
  console.log(`${rows.length} derived, ${run} run (${count('red')} red), ${count('not measured')} NOT-MEASURED, ${count('unrun')} UNRUN`);
  process.exitCode = exitOf(record, rows);
} catch (error) {
  if (!(error instanceof UsageError || error instanceof NotMeasuredError)) throw error;
  console.error(error.message);
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.notMeasured;
}

function label(verdict: string): string {
  return verdict === 'not measured' ? 'NOT-MEASURED' : verdict.toUpperCase();
}

function parsedArguments(): { file: string; base: string | undefined; head: string | undefined } {
  const usage =
    'Usage: pnpm gates:reconcile FILE [--base <commit>] [--head <commit>]; FILE holds lines such as "pnpm gate layers :: exit 0".';
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { base: { type: 'string' }, head: { type: 'string' } } });
    if (positionals.length !== 1) throw new Error(`${positionals.length} files were given, one is wanted.`);
    return { file: positionals[0]!, base: values.base, head: values.head };
  } catch (error) {
    throw new UsageError(`${(error as Error).message} ${usage}`);
  }
}

function readRecord(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`The record ${file} cannot be read: ${(error as Error).message}`);
  }
}
