// What must happen when this process is told to end, or ends in any way short of SIGKILL: mutated files are restored first, at once and
// synchronously; then the process groups it started are ended; then what else it made is removed. State of the process, since signals are.

import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** What a group gets to end in order (test servers remove their folders) before it is killed. */
const GRACE_MS = 2_000;
export const RESTORE_UNPROVEN = 4;

const restorers = new Set<() => void>();
const cleanups = new Set<() => void>();
const groups = new Map<number, Promise<unknown>>();
let installed = false;
let ending = false;

/** True from the first signal on: whoever waits for a child must not go on. */
export function isEnding(): boolean {
  return ending;
}

/** Calls it synchronously when the process ends. @returns takes it back. */
export function restoreAtEnd(restore: () => void): () => void {
  install();
  restorers.add(restore);
  return () => void restorers.delete(restore);
}

/** As {@link restoreAtEnd}, after everything is restored and every group has ended. */
export function cleanUpAtEnd(cleanUp: () => void): () => void {
  install();
  cleanups.add(cleanUp);
  return () => void cleanups.delete(cleanUp);
}

/** Ends the group with this process. @param exited settles when its leader has ended. */
export function endGroupAtEnd(pid: number, exited: Promise<unknown>): () => void {
  install();
  groups.set(pid, exited);
  return () => void groups.delete(pid);
}

/** Every process of the group; one that has none any more is no error. */
export function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function install(): void {
  if (installed) return;
  installed = true;
  for (const signal of SIGNALS) process.on(signal, () => void end(signal));
  process.on('exit', () => {
    if (!restoreAll()) process.exitCode = RESTORE_UNPROVEN;
    killGroups();
    cleanUpAll();
  });
}

async function end(signal: (typeof SIGNALS)[number]): Promise<void> {
  const second = ending;
  ending = true;
  const code = restoreAll() ? 128 + constants.signals[signal] : RESTORE_UNPROVEN;
  if (!second) {
    for (const pid of groups.keys()) signalGroup(pid, 'SIGTERM');
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise((resolve) => {
      timer = setTimeout(resolve, GRACE_MS);
    });
    await Promise.race([Promise.allSettled(groups.values()), grace]);
    clearTimeout(timer);
  }
  process.exit(code);
}

/** @returns whether every file was restored. */
function restoreAll(): boolean {
  let proven = true;
  for (const restore of restorers) {
    restorers.delete(restore);
    try {
      restore();
    } catch (error) {
      proven = false;
      console.error(error instanceof Error ? error.message : error);
    }
  }
  return proven;
}

function killGroups(): void {
  for (const pid of groups.keys()) signalGroup(pid, 'SIGKILL');
  groups.clear();
}

function cleanUpAll(): void {
  for (const cleanUp of cleanups) {
    cleanups.delete(cleanUp);
    try {
      cleanUp();
    } catch (error) {
      console.error(`Cleaning up failed: ${error instanceof Error ? error.message : error}`);
    }
  }
}
