import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { privateFolder, stateFolder } from './state-folder.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ablate-state-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('the state of a checkout', () => {
  it('lies in one private folder, by whatever path the checkout is reached', () => {
    const [one, other] = ['one', 'other'].map((name) => join(folder, name));
    mkdirSync(one!);
    mkdirSync(other!);
    symlinkSync(one!, join(folder, 'link'));
    const state = stateFolder(one!, folder);
    expect(statSync(state).mode & 0o777).toBe(0o700);
    expect(stateFolder(join(folder, 'link'), folder)).toBe(state);
    expect(stateFolder(other!, folder)).not.toBe(state);
  });

  it('is refused where others could write, or where something else is', () => {
    const path = join(folder, 'state');
    privateFolder(path);
    chmodSync(path, 0o755);
    expect(() => privateFolder(path)).toThrow(/must be a folder of this user with mode 0700/);
    writeFileSync(join(folder, 'file'), '');
    expect(() => privateFolder(join(folder, 'file'))).toThrow(/must be a folder/);
    symlinkSync(tmpdir(), join(folder, 'link'));
    expect(() => privateFolder(join(folder, 'link'))).toThrow(/must be a folder/);
  });
});
