/**
 * A disk that is really full: a small tmpfs that the test fills and frees. SQLite then meets ENOSPC from the kernel, on the database, its
 * log and its shared memory alike, and answers `SQLITE_FULL`. (`PRAGMA max_page_count` would bound only the one connection it is set on,
 * and never the log.) Mounting needs root on Linux; elsewhere tests skip by `canFillDisk()`.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { BellhopError } from '@bellhop/kernel';

export interface FullDisk {
  /** The mounted folder: put the database here. */
  readonly folder: string;
  /** Takes all the space that is left. */
  fill(): void;
  /** Gives back what `fill` took. */
  free(): void;
  /** Unmounts; close what is open in the folder first. Happens by itself when this process ends in whatever way. */
  close(): Promise<void>;
}

// The shell waits on a pipe from this process and unmounts when it closes.
const KEEPER = `mount -t tmpfs -o "size=$2,mode=0700" bellhop-full-disk "$1" || exit 1
echo mounted
read -r _
umount -l "$1"
rmdir "$1"`;

let mountable: boolean | undefined;

/** Whether `fullDisk` works here: Linux, root, and a sandbox that allows mounts. Tries once, really. */
export function canFillDisk(): boolean {
  mountable ??= platform() === 'linux' && process.getuid?.() === 0 && tryMount();
  return mountable;
}

function tryMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'bellhop-full-disk', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

/**
 * @param sizeKiB 256 to 65 536 KiB, default 4 096.
 * @throws BellhopError `INVALID_INPUT` for another size, and where `canFillDisk()` is false.
 */
export async function fullDisk(sizeKiB = 4_096): Promise<FullDisk> {
  if (!(sizeKiB >= 256 && sizeKiB <= 65_536)) {
    throw new BellhopError('INVALID_INPUT', `fullDisk(${sizeKiB}): allowed are 256 to 65536 KiB.`);
  }
  if (!canFillDisk()) {
    throw new BellhopError('INVALID_INPUT', 'fullDisk() mounts a tmpfs, which needs root on Linux: skip the test unless canFillDisk().');
  }
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-full-disk-'));
  const keeper = spawn('sh', ['-c', KEEPER, 'bellhop-full-disk', folder, `${sizeKiB}k`], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  });
  const mounted = await new Promise<boolean>((resolve) => {
    keeper.stdout.once('data', () => resolve(true));
    keeper.once('close', () => resolve(false));
  });
  if (!mounted) {
    rmdirSync(folder);
    throw new BellhopError(
      'INVALID_INPUT',
      `fullDisk() could not mount ${sizeKiB} KiB on ${folder}, though it could before: is memory short?`,
    );
  }
  // The disk does not keep its owner alive: an owner that ends closes the pipe.
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stdout]) (stream as unknown as { unref(): void }).unref();
  return new MountedDisk(folder, keeper);
}

class MountedDisk implements FullDisk {
  readonly folder: string;
  readonly #keeper: ChildProcess;
  readonly #ballast: string;

  constructor(folder: string, keeper: ChildProcess) {
    this.folder = folder;
    this.#keeper = keeper;
    this.#ballast = join(folder, 'ballast');
  }

  fill(): void {
    const file = openSync(this.#ballast, 'a');
    try {
      // Large steps first, then pages, so that not one page is left.
      for (const step of [64 * 1024, 4096, 1]) writeUntilFull(file, Buffer.alloc(step));
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  async close(): Promise<void> {
    if (this.#keeper.exitCode !== null) return;
    this.#keeper.ref();
    const exited = once(this.#keeper, 'exit');
    this.#keeper.stdin?.end();
    await exited;
  }
}

function writeUntilFull(file: number, chunk: Buffer): void {
  for (;;) {
    try {
      if (writeSync(file, chunk) < chunk.length) return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return;
      throw error;
    }
  }
}
