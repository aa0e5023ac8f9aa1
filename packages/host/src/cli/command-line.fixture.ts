/** The command line as a process of its own, from source, in a temporary folder. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Child, startNode } from '@bellhop/testing';
import { commandBundle } from './command-bundle.fixture.js';

const PROGRAM = await commandBundle();

/** What the surroundings of the test must not decide. */
const CLEAN = {
  BELLHOP_DATABASE_URL: undefined,
  BELLHOP_DATABASE_AUTH_TOKEN: undefined,
  BELLHOP_API_KEY: undefined,
  PORT: '0',
  HOST: undefined,
  NODE_OPTIONS: undefined,
};

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class CommandLine {
  readonly folder = mkdtempSync(join(tmpdir(), 'bellhop-host-'));
  readonly #children: Child[] = [];

  write(name: string, text: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, text);
    return file;
  }

  spawn(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): Child {
    const child = startNode([PROGRAM], { args, env: { ...CLEAN, BELLHOP_TEST_FOLDER: this.folder, ...env } });
    this.#children.push(child);
    return child;
  }

  /** Runs a command to its end. */
  async run(args: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): Promise<Ended> {
    const child = this.spawn(args, env);
    const { code } = await child.exited;
    const lines: string[] = [];
    for (;;) {
      const line = await child.line().catch(() => undefined);
      if (line === undefined) break;
      lines.push(line);
    }
    return { code, stdout: lines.join('\n'), stderr: child.stderr };
  }

  /** Starts the host and waits until it listens. */
  async start(
    args: readonly string[] = [],
    env: Readonly<Record<string, string | undefined>> = {},
  ): Promise<{ child: Child; url: string }> {
    const child = this.spawn(['start', ...args], env);
    const line = await child.line(/^Bellhop listens on /);
    return { child, url: /http:\/\/\S+/.exec(line)?.[0] ?? '' };
  }

  async end(): Promise<void> {
    for (const child of this.#children) await child.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** What a user does with a printed line. @returns its standard output. */
export async function paste(line: string, env: Readonly<Record<string, string>> = {}, folder?: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', line], {
    env: { ...process.env, ...env },
    ...(folder === undefined ? {} : { cwd: folder }),
  });
  return stdout;
}
