import { describe, expect, it } from 'vitest';
import { renderCheck, runCommands } from './check-run.js';
import { worstOf } from './exit-codes.js';
import { parseRecord } from './reconciliation.js';

const node = (name: string, code: string) => ({ command: `pnpm gate ${name}`, file: process.execPath, args: ['-e', code] });
const run = (...commands: Parameters<typeof runCommands>[0]) => runCommands(commands, { stdio: 'ignore' });

describe('a check', () => {
  it('tells gates that pass, find, cannot measure, die and do not start', () => {
    const rows = run(
      node('passes', ''),
      node('finds', 'process.exit(1)'),
      node('lacks', 'process.exit(3)'),
      node('crashes', 'process.exit(7)'),
      node('is-killed', 'process.kill(process.pid, "SIGKILL")'),
      { command: 'pnpm gate is-not-there', file: '/nowhere/node', args: [] },
    );
    expect(rows.map(({ verdict }) => verdict)).toEqual(['ok', 'red', 'not measured', 'unrun', 'unrun', 'unrun']);
    expect(rows[4]!.exit).toBe('SIGKILL');
    expect(worstOf(rows.map(({ verdict }) => verdict))).toBe(1);
  });

  it('leaves a record that can be reconciled', () => {
    const text = renderCheck(run(node('passes', ''), node('finds', 'process.exit(1)')));
    expect(parseRecord(text)).toEqual({
      lines: [
        { command: 'pnpm gate passes', code: 0 },
        { command: 'pnpm gate finds', code: 1 },
      ],
      unreadable: [],
    });
    expect(text.split('\n').at(-1)).toBe('# check: 1 passed, 1 red, 0 not measured, 0 unrun');
  });
});
