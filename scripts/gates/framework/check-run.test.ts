import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { renderCheck, runCommands } from './check-run.js';
import { worstOf } from './exit-codes.js';
import { parseRecord } from './reconciliation.js';

const node = (name: string, code: string) => ({ command: `pnpm gate ${name}`, file: process.execPath, args: ['-e', code] });
const run = (...commands: Parameters<typeof runCommands>[0]) => runCommands(commands, { print: () => {} });

describe('a check', () => {
  it('tells gates that pass, find, cannot measure, die and do not start', async () => {
    const rows = await run(
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

  it('runs two beside each other, and prints of each all that it wrote, in one piece', async () => {
    // The one that starts first ends when the second has: one after the other they would never end.
    const folder = mkdtempSync(join(tmpdir(), 'check-'));
    const flag = JSON.stringify(join(folder, 'second'));
    const printed: [string, string][] = [];
    const rows = await runCommands(
      [
        node(
          'first',
          `const fs = require('fs'); fs.writeSync(1, 'a'); (function wait() { fs.existsSync(${flag}) ? fs.writeSync(2, 'b') : setTimeout(wait, 5) })()`,
        ),
        node('second', `require('fs').writeFileSync(${flag}, '')`),
        node('third', `console.log('c')`),
      ],
      { atOnce: 2, print: (...line) => printed.push(line) },
    );
    rmSync(folder, { recursive: true });
    expect(rows.map(({ command, verdict }) => `${command} ${verdict}`)).toEqual(
      ['first', 'second', 'third'].map((name) => `pnpm gate ${name} ok`),
    );
    expect(new Map(printed)).toEqual(
      new Map([
        ['pnpm gate first', 'ab'],
        ['pnpm gate second', ''],
        ['pnpm gate third', 'c\n'],
      ]),
    );
  });

  it('leaves a record that can be reconciled', async () => {
    const text = renderCheck(await run(node('passes', ''), node('finds', 'process.exit(1)')));
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
