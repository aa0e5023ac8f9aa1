import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TemporaryRepository } from '../gates/framework/temporary-repository.js';
import { blobHash, git, headHash, sameState, statusDifference, treeState, uncommitted } from './git.js';

let root: string;
let made: TemporaryRepository;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ablate-git-')));
  made = new TemporaryRepository(root);
  made.commit({ 'packages/a.ts': 'a\n', 'docs/a.md': 'a\n', 'root.json': '{}\n' }, 'first');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

describe('the state of a tree', () => {
  it('is the same until a file is changed, changed further, added or committed', () => {
    const states = [treeState(root)];
    expect(sameState(states[0]!, treeState(root))).toBe(true);
    made.write({ 'packages/a.ts': 'b\n' });
    states.push(treeState(root));
    made.write({ 'packages/a.ts': 'c\n' });
    states.push(treeState(root));
    made.write({ 'packages/b.ts': 'b\n' });
    states.push(treeState(root));
    made.commit({}, 'second');
    states.push(treeState(root));
    const differences = states.slice(1).map((state, index) => {
      expect(sameState(states[index]!, state)).toBe(false);
      return statusDifference(states[index]!, state);
    });
    expect(differences).toEqual([
      'appeared:  M packages/a.ts',
      'a file that was changed already changed further',
      'appeared: ?? packages/b.ts',
      expect.stringMatching(/is gone: {2}M packages\/a\.ts; is gone: \?\? packages\/b\.ts/),
    ]);
  });

  it('is not what a hook of git points to', () => {
    const state = treeState(root);
    vi.stubEnv('GIT_DIR', '/nowhere');
    vi.stubEnv('GIT_INDEX_FILE', '/nowhere/index');
    expect(treeState(root)).toEqual(state);
  });
});

describe('a hash', () => {
  it('of what lies on disk is that of HEAD until it is changed', () => {
    const committed = headHash(root, 'packages/a.ts');
    expect(committed).toMatch(/^[0-9a-f]{40}$/);
    expect(blobHash(root, 'packages/a.ts')).toBe(committed);
    made.write({ 'packages/a.ts': 'b\n' });
    expect(blobHash(root, 'packages/a.ts')).not.toBe(committed);
    expect(headHash(root, 'packages/a.ts')).toBe(committed);
  });

  it('is never empty: of what is not there it is undefined, or an error', () => {
    expect(headHash(root, 'packages/b.ts')).toBeUndefined();
    expect(() => blobHash(root, 'packages/b.ts')).toThrow();
    expect(() => git(root, ['rev-parse', 'nowhere'])).toThrow(/nowhere/);
  });
});

it('copies of HEAD lack what is uncommitted in packages, scripts and the root', () => {
  expect(uncommitted(root)).toEqual([]);
  made.write({ 'docs/a.md': 'b\n', 'docs/b.md': 'b\n' });
  expect(uncommitted(root)).toEqual([]);
  made.write({ 'packages/a.ts': 'b\n', 'scripts/new one.ts': 'b\n', 'root.json': null });
  expect(uncommitted(root)).toEqual([' M packages/a.ts', ' D root.json', '?? scripts/new one.ts']);
});
