import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { quoted, sameDatabaseFlags, selfCommand } from './self-command.js';

const CHECKOUT = fileURLToPath(new URL('../../../../', import.meta.url));

describe('how this program is run again', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'bellhop-self-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('in a checkout by its script; from another folder by its path, since the script would change the folder', () => {
    expect(selfCommand(CHECKOUT)).toBe('npm run -s bellhop --');
    expect(selfCommand(folder)).toMatch(/^node --conditions=bellhop-source --import file:\S+ \S+packages\/host\/src\/bin\.ts$/);
    expect(selfCommand(join(CHECKOUT, 'docs'))).toMatch(/^node .*bin\.ts$/);
  });

  it('installed with npx, in the folder that has it and in every one below; elsewhere by its path', () => {
    const built = pathToFileURL(join(folder, 'host/dist/cli/self-command.js')).href;
    const below = join(folder, 'app/deep/er');
    mkdirSync(below, { recursive: true });
    expect(selfCommand(below, built)).toBe(`node ${join(folder, 'host/bin/bellhop.js')}`);
    mkdirSync(join(folder, 'app/node_modules/.bin'), { recursive: true });
    writeFileSync(join(folder, 'app/node_modules/.bin/bellhop'), '');
    expect(selfCommand(below, built)).toBe('npx bellhop');
    expect(selfCommand(join(folder, 'app'), built)).toBe('npx bellhop');
    // Control: beside it nothing is installed.
    expect(selfCommand(folder, built)).toBe(`node ${join(folder, 'host/bin/bellhop.js')}`);
  });
});

describe('what is printed to be pasted', () => {
  it('names the same config and database', () => {
    expect(sameDatabaseFlags({})).toBe('');
    expect(sameDatabaseFlags({ config: 'other.ts', databaseUrl: 'file:app.db', port: '1' })).toBe(
      ' --config other.ts --database-url file:app.db',
    );
  });

  it('keeps the password of a database URL to itself', () => {
    expect(sameDatabaseFlags({ databaseUrl: 'postgres://me:hunter2@db/app' })).toBe(` --database-url '<the same URL>'`);
  });

  it('is one word to a shell', () => {
    expect(quoted('a b')).toBe(`'a b'`);
    expect(quoted(`it's $HOME`)).toBe(`'it'\\''s $HOME'`);
    expect(quoted('/srv/app-1.db')).toBe('/srv/app-1.db');
  });
});
