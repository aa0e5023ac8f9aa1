// A copy of the tree to mutate: a clone of HEAD, installed from the lockfile without a network. Its links must lead into the copy, or its
// tests would run the sources of the checkout.

import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { NotMeasuredError } from '../gates/framework/refusals.js';
import { type GroupEnd, runGroup } from './child-group.js';
import { gitEnvironment, headCommit } from './git.js';

const LIMIT_MS = 300_000;

/** @param to a path that does not exist, outside of the checkout. @returns the copy's path without links. @throws NotMeasuredError when it is not a true copy. */
export async function copyTree(root: string, to: string, storeFolder: string): Promise<string> {
  await must('git clone', 'git', ['clone', '--quiet', '--no-tags', root, to], root);
  const copy = realpathSync(to);
  if (headCommit(copy) !== headCommit(root))
    throw new NotMeasuredError(`The copy ${copy} is at ${headCommit(copy)}, the checkout at ${headCommit(root)}.`);
  await must('pnpm install', pnpm(root), ['install', '--offline', '--frozen-lockfile', `--store-dir=${storeFolder}`], copy);
  checkLinks(copy);
  return copy;
}

/** Where the checkout's packages come from. A copy on another disk would look for a store there. */
export async function packageStore(root: string): Promise<string> {
  const { output } = await must('pnpm store path', pnpm(root), ['store', 'path'], root);
  const path = output.trim().split('\n').at(-1) ?? '';
  if (!existsSync(path))
    throw new NotMeasuredError(`pnpm keeps its packages in ${JSON.stringify(path)}, which does not exist: run pnpm install in ${root}.`);
  return path;
}

/** Every link of a workspace package to another. @throws when one leads out of the copy, or there is none. */
export function checkLinks(copy: string): void {
  const packages = readdirSync(join(copy, 'packages')).map((name) => join(copy, 'packages', name));
  const names = packages.map((folder) => join(folder, 'package.json')).filter((path) => existsSync(path));
  const links = [copy, ...packages].flatMap((folder) =>
    names
      .map((path) => (JSON.parse(readFileSync(path, 'utf8')) as { name: string }).name)
      .map((name) => join(folder, 'node_modules', name))
      .filter((link) => existsSync(link)),
  );
  if (links.length === 0)
    throw new NotMeasuredError(`No package of ${copy} is linked to another: the install is not that of this workspace.`);
  for (const link of links) checkInside(copy, link);
}

/** @throws when the path, with its links followed, lies outside of the copy. */
export function checkInside(copy: string, path: string): void {
  const target = realpathSync(path);
  if (!target.startsWith(copy + sep))
    throw new NotMeasuredError(`${path} leads to ${target}, out of the copy ${copy}: a mutation there would not be seen.`);
}

function pnpm(root: string): string {
  return join(root, 'node_modules/.bin/pnpm');
}

async function must(what: string, command: string, args: readonly string[], cwd: string): Promise<GroupEnd> {
  const end = await runGroup(command, args, { cwd, env: { ...gitEnvironment(), CI: '1' }, limitMs: LIMIT_MS });
  if (end.code !== 0)
    throw new NotMeasuredError(`${what} failed in ${cwd} (${end.overdue ? 'too slow' : (end.code ?? end.signal)}): ${end.output.trim()}`);
  return end;
}
