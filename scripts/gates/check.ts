// `pnpm check [--base <commit>]`: every gate's self-test and then the gate, each in a process of its own, so that one that dies is told from one
// that passes. Exit: 1 on any finding or gate that gave no answer, else 3 if something was not measured, else 0.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EXIT, type Verdict, verdictOf, worstOf } from './framework/exit-codes.js';
import { GATE_NAMES } from './framework/gates.js';

const cli = join(import.meta.dirname, 'cli.ts');
const base = parsedBase();
const rows: { command: string; exit: number | string; verdict: Verdict }[] = [];

for (const name of GATE_NAMES) {
  for (const args of [['--self-test'], base === undefined ? [] : ['--base', base]]) {
    const command = ['pnpm', 'gate', name, ...args].join(' ');
    console.log(`── ${command}`);
    // The loader that runs this script runs the gates, too.
    const { status, signal } = spawnSync(process.execPath, [...process.execArgv, cli, name, ...args], { stdio: 'inherit' });
    rows.push({ command, exit: status ?? String(signal), verdict: verdictOf(status) });
  }
}

console.log('');
for (const { command, exit, verdict } of rows)
  console.log(`${command} :: exit ${exit}${verdict === 'ok' ? '' : `   ← ${verdict.toUpperCase()}`}`);
const count = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length;
console.log(`check: ${count('ok')} passed, ${count('red')} red, ${count('not measured')} not measured, ${count('unrun')} unrun`);
process.exitCode = worstOf(rows.map(({ verdict }) => verdict));

function parsedBase(): string | undefined {
  try {
    return parseArgs({ options: { base: { type: 'string' } } }).values.base;
  } catch (error) {
    console.error(`pnpm check: ${(error as Error).message} Usage: pnpm check [--base <commit>]`);
    process.exit(EXIT.usage);
  }
}
