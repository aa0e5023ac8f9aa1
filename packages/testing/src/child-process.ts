/**
 * A second process for tests that need one: to kill it with -9, to hold a lock, to commit from outside. It runs TypeScript from source,
 * talks by lines and messages, and never outlives the test: it ends when this process ends, in whatever way.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Mailbox } from './mailbox.js';

export interface ChildOptions {
  readonly args?: readonly string[];
  /** Over this process's environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Child {
  readonly pid: number;
  /** The last 8 000 characters of its standard error. */
  readonly stderr: string;
  /** The next line of standard output that matches and was not taken yet. Lines before it stay for others. Rejects when the child ends first. */
  line(match?: RegExp): Promise<string>;
  /** As `line`, for what the child sends with `process.send`. */
  message<T = unknown>(match?: (message: unknown) => boolean): Promise<T>;
  /** Sends to the child's `process.on('message')`. */
  send(message: unknown): void;
  /** Sends the signal (default `SIGKILL`) and waits for the end. Safe when it has ended. */
  kill(signal?: NodeJS.Signals): Promise<ChildExit>;
  readonly exited: Promise<ChildExit>;
}

/** Fd 4 of the child is a pipe that closes with this process: the child then kills itself. IPC's own `disconnect` would keep it alive. */
const LIFELINE = `data:text/javascript,${encodeURIComponent(`
import { Socket } from 'node:net';
const lifeline = new Socket({ fd: 4, readable: true });
lifeline.on('close', () => process.kill(process.pid, 'SIGKILL')).on('error', () => {}).resume();
lifeline.unref();
`)}`;

const KEPT_STDERR_CHARS = 8_000;

/** A child in a loop that never yields does not see its lifeline; at an orderly end of this process it goes by signal. */
const running = new Set<ChildProcess>();
let watchingExit = false;

function endRunning(): void {
  for (const child of running) child.kill('SIGKILL');
}

/**
 * Runs a TypeScript (or JavaScript) module with the workspace's packages from source, through tsx.
 *
 * @param file a path, or `new URL('./worker.fixture.ts', import.meta.url)`.
 */
export function startChild(file: string | URL, options: ChildOptions = {}): Child {
  const path = typeof file === 'string' ? file : fileURLToPath(file);
  // tsx as a loader in the process itself: its command line would start a process of its own, which survives kill -9 of the outer.
  return startNode(['--conditions=bellhop-source', '--import', import.meta.resolve('tsx'), path], options);
}

/** Runs Node with these arguments: `startNode(['--eval', script])` starts faster than a TypeScript file. */
export function startNode(nodeArgs: readonly string[], { args = [], env = {} }: ChildOptions = {}): Child {
  const child = spawn(process.execPath, ['--import', LIFELINE, ...nodeArgs, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
  });
  running.add(child);
  if (!watchingExit) process.once('exit', endRunning);
  watchingExit = true;
  return new RunningChild(child);
}

class RunningChild implements Child {
  readonly exited: Promise<ChildExit>;
  stderr = '';
  readonly #process: ChildProcess;
  readonly #lines = new Mailbox<string>();
  readonly #messages = new Mailbox<unknown>();

  constructor(child: ChildProcess) {
    this.#process = child;
    if (child.stdout) createInterface({ input: child.stdout }).on('line', (line) => this.#lines.deliver(line));
    child.stderr?.on('data', (chunk) => {
      this.stderr = (this.stderr + String(chunk)).slice(-KEPT_STDERR_CHARS);
    });
    child.on('message', (message) => this.#messages.deliver(message));
    this.exited = new Promise((resolve) => {
      // `close`, not `exit`: everything the child wrote has been read by then.
      child.once('close', (code, signal) => {
        running.delete(child);
        const reason = () =>
          new Error(`The child process ended (code ${code}, signal ${signal}). Its standard error: ${this.stderr.trim()}`);
        this.#lines.close(reason);
        this.#messages.close(reason);
        resolve({ code, signal });
      });
    });
  }

  get pid(): number {
    return this.#process.pid ?? -1;
  }

  line(match?: RegExp): Promise<string> {
    return this.#lines.take(match ? (line) => match.test(line) : undefined);
  }

  message<T>(match?: (message: unknown) => boolean): Promise<T> {
    return this.#messages.take(match) as Promise<T>;
  }

  send(message: unknown): void {
    this.#process.send(message as string);
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<ChildExit> {
    this.#process.kill(signal);
    return this.exited;
  }
}
