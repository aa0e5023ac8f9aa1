/** The child of `child-process.test.ts`: does what its first argument says. */
import { spawn } from 'node:child_process';
import { silentLogger } from '@bellhop/kernel';
import { startChild } from './child-process.js';

const forever = (): void => void setInterval(() => undefined, 60_000);

const acts: Record<string, () => void | Promise<void>> = {
  echo: () => void process.on('message', (message) => process.send?.({ echo: message })),
  lines: () => {
    console.log('one');
    console.log('two');
    console.log(typeof silentLogger.info);
  },
  fail: () => {
    throw new Error('as asked');
  },
  forever: () => {
    console.log('running');
    forever();
  },
  // A test process in small: it has a child of its own and is then killed.
  parent: async () => {
    const child = startChild(import.meta.filename, { args: ['forever'] });
    await child.line(/running/);
    console.log(String(child.pid));
    forever();
  },
  // Control: an ordinary child of Node outlives its parent.
  careless: () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore', detached: true });
    console.log(String(child.pid));
    forever();
  },
};

await acts[process.argv[2] ?? '']?.();
