// Where a run keeps what must survive it: a private folder per checkout in the temporary folder, never inside the tree.

import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @throws when the name is taken by another user's folder, or by something that is no folder. */
export function stateFolder(root: string, parent: string = tmpdir()): string {
  const key = createHash('sha256').update(realpathSync(root)).digest('hex').slice(0, 16);
  return privateFolder(join(parent, `bellhop-ablate-${key}`));
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
