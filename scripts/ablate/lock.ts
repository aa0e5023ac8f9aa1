// One ablation run per checkout at a time. Each run writes a file named for its pid, then looks for others: whoever sees a living one gives
// way. Two that start in the same instant may both give way; two never both go on. Files of dead processes are taken over.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const SUFFIX = '.lock';

/** @returns the release. @throws when a living process holds the lock; says which. */
export function lock(folder: string): () => void {
  const own = join(folder, `${process.pid}${SUFFIX}`);
  // A pid is given again after a while; together with its start it names one process.
  writeFileSync(own, startOf(process.pid), { mode: 0o600 });
  const release = (): void => rmSync(own, { force: true });
  for (const name of readdirSync(folder)) {
    const pid = name.endsWith(SUFFIX) ? Number.parseInt(name, 10) : process.pid;
    if (pid === process.pid) continue;
    const path = join(folder, name);
    if (isHeld(pid, path)) {
      release();
      throw new Error(`Another ablation runs on this checkout (pid ${pid}, ${path}). Wait for it, or end it.`);
    }
    rmSync(path, { force: true });
  }
  return release;
}

function isHeld(pid: number, path: string): boolean {
  const start = startOf(pid);
  if (start === '') return false;
  let written: string;
  try {
    written = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  // Empty: its process made the file a moment ago and has not written to it yet.
  return written === '' || written === start;
}

/** When the process started, in the system's own words; empty when there is none. */
function startOf(pid: number): string {
  try {
    // The 22nd field; the second is the name in parentheses, which may itself hold spaces and parentheses.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\)/s, '').trim().split(' ');
    return fields[19] ?? '';
  } catch {
    if (existsSync('/proc/self/stat')) return '';
  }
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } }).trim();
  } catch (error) {
    if ((error as { status?: number | null }).status === 1) return '';
    throw error;
  }
}
