/**
 * Another process that holds a SQLite file's write lock, as a backup tool, a migration or a second node does. A process of its own, so
 * that it can be killed, and so that a driver that waits without yielding cannot keep it from letting go.
 */
import { createRequire } from 'node:module';
import { startNode } from '../child-process.js';

export interface BusyHolderOptions {
  /** `immediate` (default): the write lock; readers go on. `exclusive`: outside WAL mode readers are locked out too. */
  readonly mode?: 'immediate' | 'exclusive';
}

export interface BusyHolder {
  /** Gives the lock back, having written nothing, and waits until it is given back. Safe to call twice. */
  release(): Promise<void>;
  /** Kills the holder with -9: SQLite frees the lock of a dead process. */
  kill(): Promise<void>;
}

const SCRIPT = `
const Database = require(process.argv[1]);
const db = new Database(process.argv[2], { timeout: 10_000 });
db.exec('BEGIN ' + process.argv[3]);
process.on('message', () => {
  db.exec('ROLLBACK');
  db.close();
  process.disconnect();
});
process.send('held');
`;

/** Resolves when the lock is held. Rejects with the reason when it cannot be had within 10 s. */
export async function busyHolder(file: string, { mode = 'immediate' }: BusyHolderOptions = {}): Promise<BusyHolder> {
  const driver = createRequire(import.meta.url).resolve('better-sqlite3');
  const child = startNode(['--eval', SCRIPT], { args: [driver, file, mode] });
  await child.message();
  let released = false;
  return {
    async release() {
      if (!released) child.send('release');
      released = true;
      await child.exited;
    },
    async kill() {
      released = true;
      await child.kill();
    },
  };
}
