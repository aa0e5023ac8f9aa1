// Runs commands, each in a process of its own, and says how each ended: one that dies is told from one that passes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
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

export interface RunOptions {
  /** Called with all that a command wrote once it has ended, so that no two are mixed. */
  readonly print: (command: string, output: string) => void;
  /** Commands at a time. Default: the processors. */
  readonly atOnce?: number;
}

/** They start in the order given. @returns their rows in that order. */
export async function runCommands(
  commands: readonly CheckCommand[],
  { print, atOnce = availableParallelism() }: RunOptions,
): Promise<CheckRow[]> {
  const rows: CheckRow[] = [];
  const waiting = [...commands.entries()];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [at, command] = next;
      const { row, output } = await runToEnd(command);
      print(command.command, output);
      rows[at] = row;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return rows;
}

async function runToEnd({ command, file, args }: CheckCommand): Promise<{ row: CheckRow; output: string }> {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  try {
    const [code, signal] = (await once(child, 'close')) as [number, null] | [null, string];
    return { row: { command, exit: code ?? signal, verdict: verdictOf(code) }, output };
  } catch (error) {
    return { row: { command, exit: (error as Error).message, verdict: verdictOf(null) }, output };
  }
}

/** The record of a check, in the lines that `gates:reconcile` reads, and the totals last. */
export function renderCheck(rows: readonly CheckRow[]): string {
  const count = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length;
  return [
    ...rows.map(({ command, exit, verdict }) => `${command} :: exit ${exit}${verdict === 'ok' ? '' : `   # ${verdict.toUpperCase()}`}`),
    `# check: ${count('ok')} passed, ${count('red')} red, ${count('not measured')} not measured, ${count('unrun')} unrun`,
  ].join('\n');
}
