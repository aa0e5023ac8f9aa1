import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Gate } from './gate.js';
import { NotMeasuredError, UsageError } from './refusals.js';
import { runGate } from './run-gate.js';
import { repositoryCase, TemporaryRepository } from './temporary-repository.js';

let folder: string;
let printed: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-gate-'));
  printed = [];
  const made = new TemporaryRepository(folder);
  made.commit({ 'a.txt': 'a\n' }, 'first');
  made.commit({ 'b.txt': 'bad\n' }, 'second');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Red when an added file says bad. */
const badFiles: Gate = {
  name: 'bad-files',
  about: 'a file that is added says bad.',
  watches: [/./],
  measure: (context) => {
    const diff = context.diff();
    const bad = diff.changes.filter((change) => diff.after(change)?.includes('bad'));
    return {
      summary: `${diff.changes.length} files`,
      findings: bad.map(({ path }) => ({ file: path, line: 1, what: 'says bad', mend: 'say good' })),
    };
  },
  selfTest: [
    repositoryCase({ name: 'bad', expect: 1, base: {}, change: { 'x.txt': 'bad\n' }, shape: ['A\tx.txt'], says: /x\.txt:1: says bad/ }),
    repositoryCase({ name: 'good', expect: 0, base: { 'y.txt': 'bad\n' }, change: { 'x.txt': 'good\n' }, shape: ['A\tx.txt'] }),
    repositoryCase({
      name: 'bad landed meanwhile',
      expect: 0,
      as: 'behind',
      base: {},
      change: { 'x.txt': 'good\n' },
      meanwhile: { 'y.txt': 'bad\n' },
      shape: ['A\tx.txt'],
    }),
    repositoryCase({
      name: 'bad, not committed',
      expect: 1,
      as: 'uncommitted',
      base: {},
      change: { 'x.txt': 'bad\n' },
      shape: ['A\tx.txt'],
    }),
  ],
};
const run = (gate: Gate, ...args: string[]) => runGate(gate, { root: folder, args, environment: {}, print: (line) => printed.push(line) });
const throwing = (error: Error): Gate => ({
  ...badFiles,
  measure: () => {
    throw error;
  },
});

describe('the command line of a gate', () => {
  it('prints where the diff starts, then findings with file, line, fault and remedy', async () => {
    expect(await run(badFiles, '--base', 'HEAD~1')).toBe(1);
    expect(printed.join('\n')).toMatch(/starts at [0-9a-f]{12} .*\nb\.txt:1: says bad\n {4}→ say good\nbad-files: 1 files; 1 found/);
  });

  it('is 0 where nothing is wrong', async () => {
    expect(await run({ ...badFiles, measure: () => ({ findings: [], summary: 'all' }) })).toBe(0);
  });

  it('is 2 for what it does not know', async () => {
    expect(await run(badFiles, '--bse', 'main')).toBe(2);
    expect(await run(badFiles, '--base', 'HEAD~1', '--head', 'HEAD~1')).toBe(2);
    expect(await run(badFiles, 'main')).toBe(2);
    expect(await run(badFiles, '--write')).toBe(2);
    expect(await run(throwing(new UsageError('no')))).toBe(2);
  });

  it('is 3 where a prerequisite is missing, and 1 where input cannot be read', async () => {
    expect(await run(throwing(new NotMeasuredError('no server')))).toBe(3);
    expect(printed.join('\n')).toContain('NOT MEASURED: no server');
    expect(await run(throwing(new SyntaxError('half a file')))).toBe(1);
    expect(printed.join('\n')).toContain('half a file');
  });

  it('lets advice pass, unless it is strict', async () => {
    expect(await run({ ...badFiles, advisory: true }, '--base', 'HEAD~1')).toBe(0);
    expect(await run({ ...badFiles, advisory: true }, '--base', 'HEAD~1', '--strict')).toBe(1);
  });
});

describe('a self-test', () => {
  it('passes a gate that goes red and stays green where it must', async () => {
    expect(await run(badFiles, '--self-test'), printed.join('\n')).toBe(0);
    expect(printed.at(-1)).toBe('bad-files: self-test, 4 of 4 cases as they must be');
  });

  it('fails a gate that never goes red, one that always does, and one that shows one direction only', async () => {
    expect(await run({ ...badFiles, measure: () => ({ findings: [], summary: '' }) }, '--self-test')).toBe(1);
    expect(
      await run(
        { ...badFiles, measure: () => ({ findings: [{ file: 'x.txt', line: 1, what: 'says bad', mend: '' }], summary: '' }) },
        '--self-test',
      ),
    ).toBe(1);
    expect(await run({ ...badFiles, selfTest: badFiles.selfTest.filter(({ expect }) => expect === 0) }, '--self-test')).toBe(1);
    expect(await run({ ...badFiles, selfTest: badFiles.selfTest.filter(({ expect }) => expect === 1) }, '--self-test')).toBe(1);
  });

  it('can start from the real sources of the checkout, with what git ignores beside them', async () => {
    const real = repositoryCase({
      name: 'a real file goes bad',
      expect: 1,
      base: (checkout) => ({ '.gitignore': 'ignored\n', 'a.txt': checkout.read('a.txt') ?? null }),
      setUp: (at, checkout) => writeFileSync(join(at, 'ignored'), checkout.root),
      change: (checkout) => ({ 'a.txt': `${checkout.read('a.txt')}bad\n` }),
      shape: ['M\ta.txt'],
    });
    let seen = '';
    const measuring: Gate = {
      ...badFiles,
      measure: (context) => {
        seen += context.repository.read('ignored') ?? '';
        return badFiles.measure(context);
      },
      selfTest: [real, ...badFiles.selfTest],
    };
    expect(await run(measuring, '--self-test'), printed.join('\n')).toBe(0);
    expect(seen).toBe(folder);
  });

  it('fails a case that git does not show in the shape it claims', async () => {
    const wrong = repositoryCase({ name: 'bad', expect: 1, base: {}, change: { 'x.txt': 'bad\n' }, shape: ['R\ty.txt → x.txt'] });
    expect(await run({ ...badFiles, selfTest: [wrong, ...badFiles.selfTest] }, '--self-test')).toBe(1);
    expect(printed.join('\n')).toContain('the case is not what it says');
  });
});
