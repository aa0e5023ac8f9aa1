import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadRegistry, type Registered, select, touchedBy } from './registry.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ablate-registry-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const ENTRY = { id: 'L4', why: 'w', file: 'a.ts', anchor: 'a', replacement: '', expectCount: 1, tests: ['a.test.ts'], red: ['falls'] };

function file(name: string, text: string): void {
  const path = join(root, 'scripts/ablate/registry', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const exporting = (...entries: unknown[]) => `export const ablations = ${JSON.stringify(entries)};`;

describe('the registry', () => {
  it('is every file of its folder', async () => {
    file('b.ts', exporting({ ...ENTRY, id: 'L5' }));
    file('a.ts', exporting(ENTRY));
    file('a.test.ts', 'throw new Error("a test is no registry");');
    expect((await loadRegistry(root)).map(({ entry, source }) => [entry.id, source])).toEqual([
      ['L4', 'scripts/ablate/registry/a.ts'],
      ['L5', 'scripts/ablate/registry/b.ts'],
    ]);
  });

  it.each([
    ['throws', 'throw new Error("no");', /a\.ts does not load: no/],
    ['exports nothing', 'export const other = [];', /must export `ablations`/],
    ['holds no object', exporting('L4'), /entry 0: must be an Ablation/],
    ['holds an entry without an anchor', exporting({ ...ENTRY, anchor: '' }), /entry L4: anchor must be a text/],
    ['holds an entry without a replacement', exporting({ ...ENTRY, replacement: undefined }), /replacement must be a text/],
    ['holds an entry without a count', exporting({ ...ENTRY, expectCount: 0 }), /expectCount must be/],
    ['holds an entry without tests', exporting({ ...ENTRY, tests: [] }), /tests must list/],
    ['holds an entry with a test twice', exporting({ ...ENTRY, red: ['falls', 'falls'] }), /red must list at least one text, each once/],
    ['holds an entry with a green test without a reason', exporting({ ...ENTRY, green: [{ name: 'stays' }] }), /green must list/],
  ])('is refused when a file %s', async (_, text, says) => {
    file('a.ts', text);
    await expect(loadRegistry(root)).rejects.toThrow(says);
  });

  it('is refused when it is not there', async () => {
    await expect(loadRegistry(root)).rejects.toThrow(/There is no scripts\/ablate\/registry/);
  });
});

describe('a choice', () => {
  const registered = ['L8', 'L8:deadline', 'L80', 'L4'].map(
    (id): Registered => ({
      entry: { ...ENTRY, id, file: `${id}.ts`, tests: [`${id}.test.ts`] },
      source: id === 'L4' ? 'r/b.ts' : 'r/a.ts',
    }),
  );
  const chosen = (...ids: string[]) => select(registered, ids).map(({ entry }) => entry.id);

  it('by rule is all entries of the rule; by entry that one; each once', () => {
    expect(chosen('L8')).toEqual(['L8', 'L8:deadline']);
    expect(chosen('L8:deadline')).toEqual(['L8:deadline']);
    expect(chosen('L4', 'L8:deadline', 'L8')).toEqual(['L4', 'L8:deadline', 'L8']);
  });

  it('of an unknown id is refused, with the known ones', () => {
    expect(() => chosen('L8', 'L9', 'L8:soon')).toThrow('Unknown: L9, L8:soon. Known: L8, L8:deadline, L80, L4.');
    expect(() => select([], ['L9'])).toThrow(/none, the registry is empty/);
  });

  it('by paths is what has its source, a test or its registry file among them', () => {
    const touched = (...paths: string[]) => touchedBy(registered, new Set(paths)).map(({ entry }) => entry.id);
    expect(touched('L80.ts', 'other.ts')).toEqual(['L80']);
    expect(touched('L8:deadline.test.ts')).toEqual(['L8:deadline']);
    expect(touched('r/b.ts')).toEqual(['L4']);
    expect(touched('other.ts')).toEqual([]);
  });
});
