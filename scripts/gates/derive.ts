// `pnpm gates:derive [--base <commit>] [--head <commit>] [path…]`: the commands of the gates that a change can turn red, one a line; of the named
// paths where some are named. What is run of them, `pnpm gates:reconcile` holds against this list.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { derivedCommands } from './framework/derivation.js';
import { readDiff } from './framework/diff.js';
import { EXIT } from './framework/exit-codes.js';
import { GATE_NAMES, loadGate } from './framework/gates.js';
import { NotMeasuredError, UsageError } from './framework/refusals.js';
import { Repository } from './framework/repository.js';

try {
  const { values, positionals } = parsedArguments();
  let paths = positionals;
  if (paths.length === 0) {
    const { base, changes } = readDiff(new Repository(join(import.meta.dirname, '../..')), values);
    console.error(`the change starts at ${base.said}`);
    paths = changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  }
  for (const command of derivedCommands(await Promise.all(GATE_NAMES.map(loadGate)), paths)) console.log(command);
} catch (error) {
  if (!(error instanceof UsageError || error instanceof NotMeasuredError)) throw error;
  console.error(error.message);
  process.exitCode = error instanceof UsageError ? EXIT.usage : EXIT.notMeasured;
}

function parsedArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: { base: { type: 'string' }, head: { type: 'string' } } });
  } catch (error) {
    throw new UsageError(`${(error as Error).message} Usage: pnpm gates:derive [--base <commit>] [--head <commit>] [path…]`);
  }
}
