// The commit at which every ablation was proved, kept in the repository: what changed since is what a check of a change has to prove again.
// Without it a clone that knows no base would have to prove all of them each time.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotMeasuredError } from '../gates/framework/refusals.js';
import type { Repository } from '../gates/framework/repository.js';

export const RECORD = 'scripts/ablate/all-proved-at.txt';

/** Writes that the head is such a commit. */
export function recordAllProved(repository: Repository): void {
  writeFileSync(join(repository.root, RECORD), `${repository.commit('HEAD')}\n`);
}

/** @returns what to measure a change from; a base that somebody named, for this command or for the whole check (`CI_BASE`), comes first. */
export function changeBase(repository: Repository, named: string | undefined, environment = process.env): string | undefined {
  return named ?? (environment.CI_BASE ? undefined : allProvedAt(repository));
}

/**
 * @returns the recorded commit; undefined where there is no record, and where this clone does not hold that commit, or it is the head or no
 *   part of its history: nothing is known then, and the caller proves more.
 * @throws NotMeasuredError when the record cannot be read.
 */
export function allProvedAt(repository: Repository): string | undefined {
  const path = join(repository.root, RECORD);
  if (!existsSync(path)) return undefined;
  const text = readFileSync(path, 'utf8').trim();
  if (!/^[0-9a-f]{40}$/.test(text)) {
    throw new NotMeasuredError(
      `${RECORD} holds ${JSON.stringify(text.slice(0, 80))}, no commit. Write it anew: pnpm -s ablate --all --record.`,
    );
  }
  const recorded = repository.commit(text);
  if (recorded === undefined || recorded === repository.commit('HEAD')) return undefined;
  return isAncestor(repository, recorded) ? recorded : undefined;
}

function isAncestor(repository: Repository, commit: string): boolean {
  try {
    return repository.git('merge-base', commit, 'HEAD').trim() === commit;
  } catch {
    return false;
  }
}
