import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
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
    const meet = `require('net').connect(${await meetingPointOfTwo()}, '127.0.0.1').resume()`;
    const printed: [string, string][] = [];
    const rows = await runCommands(
      [
        // One after the other the first would wait for ever.
        node('first', `console.log('a'); ${meet}.on('close', () => console.error('b'))`),
        node('second', meet),
        node('third', `console.log('c')`),
      ],
      { atOnce: 2, print: (...line) => printed.push(line) },
    );
    expect(rows.map(({ command, verdict }) => `${command} ${verdict}`)).toEqual(
      ['first', 'second', 'third'].map((name) => `pnpm gate ${name} ok`),
    );
    expect(printed.sort()).toEqual([
      // What comes by two pipes has no order.
      ['pnpm gate first', expect.stringMatching(/^(a\nb|b\na)\n$/)],
      ['pnpm gate second', ''],
      ['pnpm gate third', 'c\n'],
    ]);
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

/** A port that keeps whoever comes first until a second one is there. */
async function meetingPointOfTwo(): Promise<number> {
  const here: Socket[] = [];
  const server = createServer((socket) => {
    here.push(socket);
    if (here.length === 2) for (const each of here) each.end();
  });
  onTestFinished(() => {
    for (const each of here) each.destroy();
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}
