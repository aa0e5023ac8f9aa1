import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Journal, RestoreUnproven } from './journal.js';
import { replaceBytes, sparePath } from './source-file.js';

const BEFORE = Buffer.from('before');
const MUTANT = Buffer.from('mutant');

let folder: string;
let file: string;
let journal: Journal;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ablate-journal-'));
  mkdirSync(join(folder, 'state'));
  mkdirSync(join(folder, 'tree'));
  file = join(folder, 'tree/a.ts');
  writeFileSync(file, BEFORE);
  journal = new Journal(join(folder, 'state'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As a run that was killed before it could restore. */
function killed(): void {
  journal.open('L4', file, BEFORE, MUTANT);
  replaceBytes(file, MUTANT);
}

const restore = () => new Journal(join(folder, 'state')).restore(journal.pending()!);

describe('a journal', () => {
  it('is nothing where nothing was mutated', () => expect(journal.pending()).toBeUndefined());

  it('gives back what the file held, mode included, and nothing is left beside it', () => {
    chmodSync(file, 0o750);
    killed();
    expect(readFileSync(file)).toEqual(MUTANT);
    expect(restore()).toBe(true);
    expect(readFileSync(file)).toEqual(BEFORE);
    expect(statSync(file).mode & 0o777).toBe(0o750);
    journal.close();
    expect(journal.pending()).toBeUndefined();
    expect(readdirSync(join(folder, 'tree'))).toEqual(['a.ts']);
    expect(readdirSync(join(folder, 'state'))).toEqual([]);
  });

  it('has nothing to undo when the run was killed before it mutated, halfway written or not', () => {
    journal.open('L4', file, BEFORE, MUTANT);
    writeFileSync(sparePath(file), 'mut');
    expect(restore()).toBe(false);
    expect(readFileSync(file)).toEqual(BEFORE);
    expect(existsSync(sparePath(file))).toBe(false);
  });

  it('does not overwrite what somebody else wrote', () => {
    killed();
    writeFileSync(file, 'an edit');
    expect(restore).toThrow(RestoreUnproven);
    expect(restore).toThrow(new RegExp(`a\\.ts was changed after ablation L4.*${journal.preImagePath}`));
    expect(readFileSync(file, 'utf8')).toBe('an edit');
    expect(readFileSync(journal.preImagePath)).toEqual(BEFORE);
  });

  it('does not bring back what was removed', () => {
    killed();
    rmSync(file);
    expect(restore).toThrow(/a\.ts is gone/);
    expect(existsSync(file)).toBe(false);
  });

  it.each([
    ['damaged', () => writeFileSync(journal.preImagePath, 'bef')],
    ['gone', () => rmSync(journal.preImagePath)],
  ])('writes no pre-image that is %s', (what, spoil) => {
    killed();
    spoil();
    expect(restore).toThrow(new RegExp(`pre-image.* is ${what}`));
    expect(readFileSync(file)).toEqual(MUTANT);
  });

  it('that cannot be read is a restore unproven', () => {
    killed();
    writeFileSync(journal.recordPath, '{');
    expect(() => journal.pending()).toThrow(RestoreUnproven);
  });

  it('of another mutation is not overwritten', () => {
    killed();
    expect(() => journal.open('L5', file, MUTANT, BEFORE)).toThrow(/belongs to another mutation/);
    expect(restore()).toBe(true);
  });
});
