// Runs commands one after the other, each in a process of its own, and says how each ended: one that dies is told from one that passes.
import { spawnSync } from 'node:child_process';
import { type Verdict, verdictOf } from './exit-codes.js';

export interface CheckCommand {
  /** As its reader would type it. */
  readonly command: string;
  readonly file: string;
  readonly args: readonly string[];
}

export interface CheckRow {
  readonly command: string;
  /** The exit code, or the name of the signal. */
  readonly exit: number | string;
  readonly verdict: Verdict;
}

export function runCommands(commands: readonly CheckCommand[], { stdio = 'inherit' }: { stdio?: 'inherit' | 'ignore' } = {}): CheckRow[] {
  return commands.map(({ command, file, args }) => {
    if (stdio === 'inherit') console.log(`── ${command}`);
    const { status, signal, error } = spawnSync(file, args, { stdio });
    return { command, exit: status ?? signal ?? String(error?.message), verdict: verdictOf(status) };
  });
}

/** The record of a check, in the lines that `gates:reconcile` reads, and the totals last. */
export function renderCheck(rows: readonly CheckRow[]): string {
  const count = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length;
  return [
    ...rows.map(({ command, exit, verdict }) => `${command} :: exit ${exit}${verdict === 'ok' ? '' : `   # ${verdict.toUpperCase()}`}`),
    `# check: ${count('ok')} passed, ${count('red')} red, ${count('not measured')} not measured, ${count('unrun')} unrun`,
  ].join('\n');
}
