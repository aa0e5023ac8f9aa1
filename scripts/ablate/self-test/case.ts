// What a case of the self-test is, and what cases check in common.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandOptions, Ended } from './command.js';
import { Command } from './command.js';
import type { TinyRepository } from './tiny-repository.js';

export interface SelfTestCase {
  /** What is made to happen, and how it must end. */
  readonly name: string;
  /** @param folder empty, removed after the case. @throws when it does not end as it must. */
  run(folder: string): Promise<void>;
}

export const CHECKOUT = join(import.meta.dirname, '..', '..', '..');

export function start(
  repository: TinyRepository,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  via?: CommandOptions['via'],
): Command {
  return new Command(args, { cwd: repository.root, temporary: repository.temporary, env, via });
}

export function ablate(repository: TinyRepository, ...args: readonly string[]): Promise<Ended> {
  return start(repository, args).ended;
}

/** @param says what standard output and standard error together must match. */
export function expectEnd(end: Ended, exit: number | string, ...says: readonly RegExp[]): void {
  const output = `${end.stdout}${end.stderr}`;
  assert.equal(end.exit, exit, `expected exit ${exit}, got ${end.exit}:\n${output}`);
  for (const one of says) assert.match(output, one, `did not say ${one}, but:\n${output}`);
}

/** The totals are the last line of what a program reads. */
export function expectTotals({ stdout }: Ended, totals: string): void {
  assert.equal(stdout.trimEnd().split('\n').at(-1), totals, `the last line must be "${totals}":\n${stdout}`);
}

/** A tree as git knows it, by what status and diff say and what the source holds. */
export function snapshot(repository: TinyRepository, file: string): string {
  return JSON.stringify([repository.git('status', '--porcelain', '-uall'), repository.git('diff', 'HEAD'), repository.read(file)]);
}

/** What runs left outside of the tree, by path. The folder itself stays; other folders there are caches of the loader and of vitest. */
export function leftovers(repository: TinyRepository): string[] {
  return readdirSync(repository.temporary)
    .filter((name) => name.startsWith('bellhop-ablate-'))
    .flatMap((name) => readdirSync(join(repository.temporary, name), { recursive: true, encoding: 'utf8' }));
}
