// Holds what was run against what had to be run. A gate that is not in the record, or ended in a way that is no answer, is UNRUN: the difference
// between "green" and "nobody looked".
import { type ExitCode, type Verdict, verdictOf, worstOf } from './exit-codes.js';

/** One line of a record: `command :: exit N`, or `command :: NOT-MEASURED reason`. */
export interface Recorded {
  readonly command: string;
  readonly code: number;
  readonly reason?: string;
}

export interface Reconciled {
  readonly command: string;
  readonly verdict: Verdict;
  /** Why, where it is not plain success. */
  readonly note?: string;
}

export interface Record {
  readonly lines: readonly Recorded[];
  /** Lines that say nothing this can read, with their numbers. */
  readonly unreadable: readonly string[];
}

/** Reads a record. Empty lines and those that begin with `#` say nothing; any other that does not fit is reported, never skipped. */
export function parseRecord(text: string): Record {
  const lines: Recorded[] = [];
  const unreadable: string[] = [];
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.replace(/\s+#.*$/, '').trim();
    if (line === '' || line.startsWith('#')) continue;
    const exit = /^(\S.*?)\s+::\s+exit\s+(\d+)$/.exec(line);
    const unmeasured = /^(\S.*?)\s+::\s+NOT-MEASURED\s+(\S.*)$/.exec(line);
    if (exit) lines.push({ command: exit[1]!, code: Number(exit[2]) });
    else if (unmeasured) lines.push({ command: unmeasured[1]!, code: 3, reason: unmeasured[2]! });
    else unreadable.push(`line ${index + 1}: ${JSON.stringify(raw)} is neither "command :: exit N" nor "command :: NOT-MEASURED reason"`);
  }
  return { lines, unreadable };
}

/** Every derived command with its verdict. A command that was run more than once counts as it ended last. */
export function reconcile(derived: readonly string[], recorded: readonly Recorded[]): Reconciled[] {
  return derived.map((command) => {
    const last = recorded.filter((line) => sameCommand(line.command, command)).at(-1);
    if (last === undefined) return { command, verdict: 'unrun', note: 'not in the record' };
    const verdict = verdictOf(last.code);
    if (verdict === 'ok') return { command, verdict };
    return { command, verdict, note: last.reason ?? `exit ${last.code}${meaning(last.code)}` };
  });
}

export function exitOf({ unreadable }: Pick<Record, 'unreadable'>, reconciled: readonly Reconciled[]): ExitCode {
  return worstOf([...reconciled.map(({ verdict }) => verdict), ...unreadable.map(() => 'unrun' as const)]);
}

/** A gate may have been given its base; its self-test is not the gate. */
function sameCommand(recorded: string, derived: string): boolean {
  if (/\s--(?:self-test|help|write)\b/.test(recorded)) return false;
  return recorded === derived || recorded.startsWith(`${derived} `);
}

function meaning(code: number): string {
  if (code === 124) return ', timed out';
  if (code === 137) return ', killed';
  if (code === 143) return ', terminated';
  return '';
}
