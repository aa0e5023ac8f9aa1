import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from './open-store.js';

const NOBODY = '65534';

describe.each(['file', 'libsql:file'] as const)('a file that cannot serve as the database, %s', (scheme) => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bellhop-unreadable-'));
    chmodSync(folder, 0o777);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const url = (name: string) => `${scheme}:${join(folder, name)}`;
  async function database(name: string): Promise<void> {
    const store = await openStore({ url: url(name) });
    await store.knex.raw('CREATE TABLE note (id TEXT)');
    await store.close();
  }

  it.each<[string, RegExp, (path: string) => void]>([
    ['text', /not a SQLite database/, (path) => writeFileSync(path, 'these are notes of mine, not a database at all\n'.repeat(50))],
    ['a folder', /is a folder/, (path) => mkdirSync(path)],
  ])('%s', async (_what, text, make) => {
    make(join(folder, 'thing'));
    const error = await openStore({ url: url('thing') }).catch((reason) => reason);
    expect(error).toMatchObject({ name: 'StoreError', code: 'STORE_UNREADABLE', message: expect.stringMatching(text) });
    expect(error.message).toContain(join(folder, 'thing'));
    expect(error.message).not.toContain('\n');
    expect(error.cause).toBeInstanceOf(Error);
  });

  it('in a folder that does not exist', async () => {
    const error = await openStore({ url: url('nowhere/app.db') }).catch((reason) => reason);
    expect(error).toMatchObject({ code: 'STORE_UNREADABLE', message: expect.stringMatching(/folder does not exist.*Create/) });
  });

  it('an empty file is a database with nothing in it (control)', async () => {
    writeFileSync(join(folder, 'thing'), '');
    await database('thing');
  });

  it('names with characters that a URL would read otherwise are files like any other (control)', async () => {
    const odd = 'odd 100%25 #1 é.db';
    const store = await openStore({ url: `${scheme}:${encodeURIComponent(join(folder, odd))}` });
    await store.knex.raw('CREATE TABLE note (id TEXT)');
    await store.close();
    const again = await openStore({ url: `${scheme}:${encodeURIComponent(join(folder, odd))}` });
    expect(await again.knex.schema.hasTable('note')).toBe(true);
    await again.close();
  });

  it.each<[string, (path: string) => void]>([
    ['a file that may be read only', (path) => chmodSync(path, 0o444)],
    ['a file that may not be read', (path) => chmodSync(path, 0o000)],
    ['a folder that may not be written', () => chmodSync(folder, 0o555)],
  ])('%s', async (_what, forbid) => {
    await database('app.db');
    forbid(join(folder, 'app.db'));
    const user = process.getuid?.() === 0 ? NOBODY : '';
    const child = startChild(new URL('./unreadable-file.fixture.ts', import.meta.url), {
      args: [url('app.db'), user],
      env: { WARM_UP: join(mkdtempSync(join(tmpdir(), 'bellhop-warm-up-')), 'x.db') },
    });
    const outcome = await child.line();
    chmodSync(folder, 0o777);
    expect(JSON.parse(outcome)).toMatchObject({
      name: 'StoreError',
      code: 'STORE_UNREADABLE',
      message: expect.stringMatching(/Check that this user may (read and )?write/),
    });
  });
});
