// Runs a command in a process group of its own, for a bounded time, and leaves nothing of the group behind. Its file descriptor 3 is a pipe that
// closes with this process: what could outlive a kill of this process watches it.

import { spawn } from 'node:child_process';
import { endGroupAtEnd, isEnding, signalGroup } from './interruption.js';

export interface GroupOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly limitMs: number;
}

export interface GroupEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** It was ended because it ran longer than `limitMs`. */
  readonly overdue: boolean;
  /** The end of what it wrote to standard output and standard error. */
  readonly output: string;
}

const KEPT_OUTPUT_CHARS = 8_000;
const GRACE_MS = 2_000;

/** Never settles once this process was told to end: what would come after it must not happen. @throws when it cannot be started. */
export async function runGroup(command: string, args: readonly string[], { cwd, env, limitMs }: GroupOptions): Promise<GroupEnd> {
  if (isEnding()) return new Promise(() => undefined);
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  let output = '';
  const keep = (chunk: unknown): void => {
    output = (output + String(chunk)).slice(-KEPT_OUTPUT_CHARS);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const closed = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const { pid } = child;
  if (pid === undefined) {
    await closed;
    throw new Error(`${command} could not be started.`);
  }
  const forget = endGroupAtEnd(pid, closed);
  // A descendant that outlives the leader would keep its end of the pipe, and `close` would never come.
  child.once('exit', () => signalGroup(pid, 'SIGKILL'));
  let overdue = false;
  let kill: NodeJS.Timeout | undefined;
  const limit = setTimeout(() => {
    overdue = true;
    signalGroup(pid, 'SIGTERM');
    kill = setTimeout(() => signalGroup(pid, 'SIGKILL'), GRACE_MS);
  }, limitMs);
  try {
    const { code, signal } = await closed;
    if (isEnding()) return new Promise(() => undefined);
    return { code, signal, overdue, output };
  } finally {
    clearTimeout(limit);
    clearTimeout(kill);
    forget();
  }
}
