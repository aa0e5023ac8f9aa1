// Runs `pnpm ablate`'s command line on a tree, and waits for what it says, never for a time.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { gitEnvironment } from '../git.js';
import { endGroupAtEnd, signalGroup } from '../interruption.js';

export const CLI = join(import.meta.dirname, '..', 'cli.ts');
// The loader that runs this process runs the command, too.
const DIRECTLY = [process.execPath, ...process.execArgv, CLI] as const;

export interface Ended {
  /** The exit code, or the name of the signal. */
  readonly exit: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd: string;
  /** Its temporary folder. */
  readonly temporary: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What runs the arguments; default: this process's node, with its loader, on the command line's source. */
  readonly via?: readonly [command: string, ...args: string[]] | undefined;
}

export class Command {
  readonly ended: Promise<Ended>;
  /** The process that was started is gone; what it started may still run, and `ended` waits for that. */
  readonly exited: Promise<unknown>;
  readonly #child: ChildProcess;

  constructor(args: readonly string[], { cwd, temporary, env = {}, via = DIRECTLY }: CommandOptions) {
    const [command, ...first] = via;
    const child = spawn(command, [...first, ...args], {
      cwd,
      env: { ...gitEnvironment(), TMPDIR: temporary, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk);
    });
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    this.#child = child;
    this.exited = once(child, 'exit');
    this.ended = once(child, 'close').then(([code, signal]) => ({ exit: (code as number | null) ?? String(signal), stdout, stderr }));
    const forget = endGroupAtEnd(child.pid!, this.ended);
    void this.ended.then(forget);
  }

  kill(signal: NodeJS.Signals): Promise<Ended> {
    this.#child.kill(signal);
    return this.ended;
  }

  /** What it started, too. */
  killGroup(): Promise<Ended> {
    signalGroup(this.#child.pid!, 'SIGKILL');
    return this.ended;
  }
}

/** A socket that a test connects to: so it says that it runs, and so its death is seen. */
export class Beacon {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async listen(): Promise<Beacon> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Beacon(server);
  }

  get env(): Record<string, string> {
    return { BEACON: String((this.#server.address() as AddressInfo).port) };
  }

  /** @returns once a test has connected; `gone` resolves when its process has ended. Rejects when the command ends before. */
  async lit(command: Command): Promise<{ readonly gone: Promise<unknown> }> {
    const early = command.ended.then(({ exit, stdout, stderr }) => {
      throw new Error(`the command ended with ${exit} before its test ran:\n${stdout}${stderr}`);
    });
    const [socket] = (await Promise.race([once(this.#server, 'connection'), early])) as [Socket];
    early.catch(() => undefined);
    // A killed process may reset the connection.
    socket.on('error', () => undefined).resume();
    return { gone: new Promise((resolve) => socket.once('close', resolve)) };
  }

  close(): void {
    this.#server.close();
  }
}
