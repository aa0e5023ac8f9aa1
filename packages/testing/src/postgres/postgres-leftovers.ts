/**
 * Cleans up after runs that were killed together with the watchdogs of their servers. A server's folder carries the pid of the process
 * that started it; once that is gone, nobody needs the server.
 */
import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A server's folder is `<prefix><pid of its owner>-<random>`, with the cluster in `data`. A pid means something on its own host only. */
export const SERVER_FOLDER_PREFIX = `bellhop-postgres-run-${hostname().replaceAll(/[^\w.]/g, '_')}-`;

/** Ends servers whose owner is dead and removes their folders. Leaves what belongs to other users. @returns the folders removed. */
export async function removeLeftovers(): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await readdir(tmpdir())) {
    const owner = name.startsWith(SERVER_FOLDER_PREFIX) ? Number.parseInt(name.slice(SERVER_FOLDER_PREFIX.length), 10) : Number.NaN;
    if (Number.isNaN(owner) || isAlive(owner)) continue;
    const folder = join(tmpdir(), name);
    try {
      await endServer(join(folder, 'data'));
      await rm(folder, { recursive: true, force: true });
      removed.push(folder);
    } catch {
      // Another user's, or another run is removing it at this moment.
    }
  }
  return removed;
}

/** Ends the server that runs on this cluster, if the pid in its pid file still is one: a pid may have been given to a stranger. */
async function endServer(dataFolder: string): Promise<void> {
  const pidFile = await readFile(join(dataFolder, 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(pidFile, 10);
  if (Number.isNaN(pid) || !isAlive(pid)) return;
  const { stdout } = await run('ps', ['-o', 'command=', '-p', String(pid)]);
  if (stdout.includes(dataFolder)) process.kill(pid, 'SIGQUIT');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
