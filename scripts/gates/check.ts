// `pnpm check [--base <commit>]`: every gate and its self-test, and the self-test of the ablations, as many at a time as there are processors. Exit:
// 1 on any finding or command that gave no answer, else 3 if something was not measured, else 0.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { renderCheck, runCommands } from './framework/check-run.js';
import { EXIT, worstOf } from './framework/exit-codes.js';
import { GATE_NAMES } from './framework/gates.js';

const cli = join(import.meta.dirname, 'cli.ts');
const base = parsedBase();
const ablate = join(import.meta.dirname, '../ablate/cli.ts');
// The loader that runs this script runs them, too.
const run = (command: string, script: string, args: readonly string[]) => ({
  command: [command, ...args].join(' '),
  file: process.execPath,
  args: [...process.execArgv, script, ...args],
});
// The slow ones first: the quick ones then fill the other processors.
const commands = [
  run('pnpm ablate', ablate, ['--self-test']),
  ...[...GATE_NAMES]
    .reverse()
    .flatMap((name) => [base === undefined ? [] : ['--base', base], ['--self-test']].map((args) => run('pnpm gate', cli, [name, ...args]))),
];
const rows = await runCommands(commands, { print: (command, output) => console.log(`── ${command}\n${output.trimEnd()}`) });
console.log(`\n${renderCheck(rows)}`);
process.exitCode = worstOf(rows.map(({ verdict }) => verdict));

function parsedBase(): string | undefined {
  try {
    return parseArgs({ options: { base: { type: 'string' } } }).values.base;
  } catch (error) {
    console.error(`pnpm check: ${(error as Error).message} Usage: pnpm check [--base <commit>]`);
    process.exit(EXIT.usage);
  }
}
