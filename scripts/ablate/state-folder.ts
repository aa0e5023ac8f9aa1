// Where a run keeps what must survive it: a private folder per checkout in the temporary folder, never inside the tree.

import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUpAtEnd } from './interruption.js';

/** @throws when the name is taken by another user's folder, or by something that is no folder. */
export function stateFolder(root: string, parent: string = tmpdir()): string {
  const key = createHash('sha256').update(realpathSync(root)).digest('hex').slice(0, 16);
  return privateFolder(join(parent, `bellhop-ablate-${key}`));
}

/** An empty folder, whatever a killed run left in it; removed when this process ends. */
export function passingFolder(path: string): string {
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  remove();
  cleanUpAtEnd(remove);
  mkdirSync(path, { mode: 0o700 });
  return path;
}

/** Makes the folder, readable by this user alone, unless it is there and is just that. */
export function privateFolder(path: string): string {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const found = lstatSync(path);
  const uid = process.getuid?.();
  if (!found.isDirectory() || (uid !== undefined && (found.uid !== uid || (found.mode & 0o077) !== 0))) {
    throw new Error(`${path} must be a folder of this user with mode 0700: look at what it is, and remove it.`);
  }
  return path;
}
