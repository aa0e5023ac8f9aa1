// Replaces the bytes of a file in the tree: whole or not at all, with the mode and owner it had.

import { chmodSync, chownSync, closeSync, fsyncSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Where the bytes are written before they take the file's place. The journal names it: a run killed in between leaves it behind. */
export function sparePath(path: string): string {
  return join(dirname(path), `.${basename(path)}.ablate`);
}

export function replaceBytes(path: string, bytes: Uint8Array): void {
  const { mode, uid, gid } = statSync(path);
  const spare = sparePath(path);
  rmSync(spare, { force: true });
  try {
    writeDurably(spare, bytes, mode & 0o7777);
    if (statSync(spare).uid !== uid) chownSync(spare, uid, gid);
    renameSync(spare, path);
  } catch (error) {
    rmSync(spare, { force: true });
    throw error;
  }
}

/** A new file, on the disk before this returns. */
export function writeDurably(path: string, bytes: Uint8Array, mode: number): void {
  const file = openSync(path, 'wx', mode);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  // The mode given to open is cut by the umask.
  chmodSync(path, mode);
}

export function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
