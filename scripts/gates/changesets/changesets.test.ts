import { describe, expect, it } from 'vitest';
import type { Tree } from '../framework/diff.js';
import { pendingChangesets, preReleaseOf } from './changesets.js';
import { nextMajor, packagesOf } from './packages.js';

const tree = (files: Record<string, string>): Tree => ({ files: () => Object.keys(files), read: (path) => files[path] });
const one = "---\n'@bellhop/store': minor\n---\n\nOne.\n";

describe('what waits for a release', () => {
  it('is every changeset that no pre-release took', () => {
    const files = { '.changeset/README.md': '', '.changeset/a.md': one, '.changeset/b.md': one, '.changeset/config.json': '{}' };
    expect(pendingChangesets(tree(files)).map(({ path }) => path)).toEqual(['.changeset/a.md', '.changeset/b.md']);
    const pre = { ...files, '.changeset/pre.json': '{ "mode": "pre", "changesets": ["a"] }' };
    expect(pendingChangesets(tree(pre)).map(({ path }) => path)).toEqual(['.changeset/b.md']);
  });

  it.each(['{', 'null', '{}', '{ "mode": "post", "changesets": [] }', '{ "mode": "pre" }'])('is unknown after %j', (text) => {
    expect(() => preReleaseOf(tree({ '.changeset/pre.json': text }))).toThrow(/\.changeset\/pre\.json/);
  });

  it('is a pre-release only in mode pre', () => {
    const active = (text: string) => preReleaseOf(tree({ '.changeset/pre.json': text })).active;
    expect(active('{ "mode": "pre", "changesets": [] }')).toBe(true);
    expect(active('{ "mode": "exit", "changesets": [] }')).toBe(false);
    expect(preReleaseOf(tree({})).active).toBe(false);
  });
});

describe('packages', () => {
  it('are the folders of the workspace that have a package.json', () => {
    const files = {
      'package.json': '{ "name": "root" }',
      'packages/a/package.json': '{ "name": "a", "version": "1.0.0", "private": true }',
      'packages/a/b/package.json': '{}',
    };
    expect(packagesOf(tree(files))).toMatchObject([{ name: 'a', folder: 'packages/a', version: '1.0.0', isPrivate: true }]);
    expect(() => packagesOf(tree({ 'packages/a/package.json': '{' }))).toThrow(/packages\/a\/package\.json is no JSON/);
    expect(() => packagesOf(tree({ 'packages/a/package.json': '{ "name": "a" }' }))).toThrow(/a name and a version/);
  });

  it.each([
    ['0.0.0', 1],
    ['0.9.1', 1],
    ['1.4.2', 2],
    ['2.0.0-beta.1', 2],
    ['2.1.0-beta.1', 3],
  ])('at %s reach major %s', (version, major) => expect(nextMajor(version)).toBe(major));

  it('at no version reach none', () => expect(() => nextMajor('1.x')).toThrow(/"1\.x" is no version/));
});
