/** The faults of a database file: a lock held elsewhere, and a disk that is full. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startChild } from '../child-process.js';
import { busyHolder } from './busy-holder.js';
import { canFillDisk, fullDisk } from './full-disk.js';

let folder: string;
let db: Database.Database;

function open(where: string): Database.Database {
  const opened = new Database(join(where, 'data.db'), { timeout: 0 });
  opened.pragma('journal_mode = WAL');
  opened.exec('CREATE TABLE IF NOT EXISTS item (data BLOB)');
  return opened;
}

const write = (): unknown => db.prepare('INSERT INTO item VALUES (randomblob(20000))').run();
const count = (): unknown => db.prepare('SELECT count(*) FROM item').pluck().get();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bellhop-faults-'));
  db = open(folder);
});

afterEach(() => {
  db.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('busyHolder', () => {
  it('keeps writers out until released, and readers in', async () => {
    write();
    const holder = await busyHolder(db.name);
    expect(write).toThrow(expect.objectContaining({ code: 'SQLITE_BUSY' }));
    expect(count()).toBe(1);
    await holder.release();
    await holder.release();
    write();
    expect(count()).toBe(2);
  });

  it('frees the lock when killed', async () => {
    const holder = await busyHolder(db.name, { mode: 'exclusive' });
    expect(write).toThrow(expect.objectContaining({ code: 'SQLITE_BUSY' }));
    await holder.kill();
    write();
    await holder.release();
  });

  it('says why the lock cannot be had', async () => {
    await expect(busyHolder(join(folder, 'none', 'data.db'))).rejects.toThrow('directory does not exist');
  });
});

describe.skipIf(!canFillDisk())('fullDisk', () => {
  it('fails writes with SQLITE_FULL while full, keeps what was committed, and works on when freed', async () => {
    const disk = await fullDisk(2_048);
    const onFolder = db;
    try {
      db = open(disk.folder);
      write();
      disk.fill();
      expect(() => {
        for (let i = 0; i < 100; i += 1) write();
      }).toThrow(expect.objectContaining({ code: 'SQLITE_FULL' }));
      const kept = count();
      disk.free();
      write();
      expect(count()).toBe(Number(kept) + 1);
      expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
      db.close();
    } finally {
      db = onFolder;
      await disk.close();
      await disk.close();
    }
    expect(() => open(disk.folder)).toThrow('directory does not exist');
  });

  it('is unmounted when its owner is killed', async () => {
    const owner = startChild(new URL('./full-disk.fixture.ts', import.meta.url));
    const mounted = await owner.line();
    expect(existsSync(mounted)).toBe(true);
    await owner.kill();
    await vi.waitFor(() => expect(existsSync(mounted)).toBe(false), 5_000);
  });

  it('refuses a size out of bounds', async () => {
    await expect(fullDisk(1)).rejects.toMatchObject({ code: 'INVALID_INPUT', message: /256 to 65536/ });
  });
});
