/**
 * One run of the Postgres server under a watchdog: a shell that waits on a pipe from this process. When the pipe closes, because it is
 * told to or because this process died in whatever way, the shell ends the server and removes its folder.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type PostgresInstallation, unavailable } from './postgres-installation.js';

// $1: the server's folder; the rest: its command. A line on stdin names the signal to end with and means: keep the folder.
const WATCHDOG = `folder=$1; shift
"$@" </dev/null & server=$!
read -r signal || signal=
kill "-\${signal:-QUIT}" "$server" 2>/dev/null
wait "$server"
[ -n "$signal" ] || rm -rf "$folder"`;

const READY = 'database system is ready to accept connections';
const KEPT_LOG_CHARS = 4_000;

export interface PostgresProcessOptions {
  readonly installation: PostgresInstallation;
  /** Holds `data`; owned by the user the server runs as. */
  readonly folder: string;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
}

type WatchdogProcess = ChildProcess & { readonly stdin: Writable; readonly stderr: Readable };

export class PostgresProcess {
  readonly #child: ChildProcess & { stdin: Writable; stderr: Readable };
  #log = '';

  private constructor(child: WatchdogProcess) {
    this.#child = child;
    child.stderr.on('data', (chunk) => {
      this.#log = (this.#log + String(chunk)).slice(-KEPT_LOG_CHARS);
    });
    child.stdin.on('error', () => undefined); // The watchdog is gone already.
  }

  /** Resolves when the server takes connections. @throws BellhopError `STORE_UNAVAILABLE` with the end of its log. */
  static async start({ installation, folder, port, settings }: PostgresProcessOptions): Promise<PostgresProcess> {
    const command = [join(installation.binFolder, 'postgres'), '-D', join(folder, 'data'), '-p', String(port)];
    for (const [name, value] of Object.entries(settings)) command.push('-c', `${name}=${value}`);
    const child = spawn('sh', ['-c', WATCHDOG, 'bellhop-postgres', folder, ...command], {
      ...installation.runAs,
      cwd: folder,
      // A group of its own: Ctrl-C in the terminal is for the tests, which then end the server in order.
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    }) as WatchdogProcess;
    const process = new PostgresProcess(child);
    await process.#ready();
    // From here on the server does not keep its owner alive: an owner that ends closes the pipe.
    child.unref();
    for (const stream of [child.stdin, child.stderr]) (stream as unknown as { unref(): void }).unref();
    return process;
  }

  /** Ends the server and keeps its folder. `SIGINT`: in order. `SIGQUIT`: as in a crash. */
  async stopKeeping(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    await this.#end(`${signal.slice(3)}\n`);
  }

  /** Ends the server and removes its folder. */
  async stopRemoving(): Promise<void> {
    await this.#end('');
  }

  async #end(line: string): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.ref();
    const exited = once(this.#child, 'exit');
    this.#child.stdin.end(line);
    await exited;
  }

  #ready(): Promise<void> {
    const { stderr } = this.#child;
    return new Promise((resolve, reject) => {
      const settle = (then: () => void): void => {
        stderr.off('data', look);
        stderr.off('close', ended);
        this.#child.off('error', failed);
        then();
      };
      const look = (): void => {
        if (this.#log.includes(READY)) settle(resolve);
        else if (startFailed(this.#log)) ended();
      };
      const ended = (): void => settle(() => reject(unavailable(`the server ended at once: ${this.#log.trim()}`)));
      const failed = (error: Error): void =>
        settle(() => reject(unavailable(`its watchdog could not be started: ${error.message}`, error)));
      stderr.on('data', look);
      stderr.on('close', ended);
      this.#child.on('error', failed);
    });
  }
}

/** @param log of a server that starts. A client that connects too early, such as a pool that waits for the server, is refused as `FATAL`, too. */
export function startFailed(log: string): boolean {
  return /FATAL:(?!\s*the database system is )/.test(log);
}
