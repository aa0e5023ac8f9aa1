import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readDiff } from './diff.js';
import { EMPTY_TREE, resolveBase } from './diff-base.js';
import { NotMeasuredError, UsageError } from './refusals.js';
import { Repository } from './repository.js';
import { TemporaryRepository } from './temporary-repository.js';

let folder: string;
let made: TemporaryRepository;
let repository: Repository;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'diff-base-'));
  made = new TemporaryRepository(folder);
  repository = new Repository(folder);
  made.commit({ 'first.txt': '1\n' }, 'first');
  made.git('tag', 'first');
  made.commit({ 'second.txt': '2\n' }, 'second');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const commit = (name: string) => repository.commit(name)!;
const base = (base?: string, ciBase?: string) =>
  resolveBase(repository, { base, environment: ciBase === undefined ? {} : { CI_BASE: ciBase } });

describe('the base of a diff', () => {
  it('is the one that was named, before CI_BASE', () => {
    expect(base('first', 'HEAD~0')).toMatchObject({ start: commit('first'), explicit: true });
    expect(base(undefined, 'first')).toMatchObject({ start: commit('first'), explicit: true });
  });

  it('is the newest release tag that is not the head, then the empty tree', () => {
    expect(base()).toMatchObject({ start: EMPTY_TREE, explicit: false });
    made.git('tag', 'nightly', 'first');
    expect(base()).toMatchObject({ start: EMPTY_TREE });
    made.git('tag', '@bellhop/kernel@1.0.0', 'first');
    made.git('tag', 'v1.1.0', 'HEAD');
    expect(base()).toMatchObject({ start: commit('first'), explicit: false });
  });

  it('is never the head: a flag is refused, CI_BASE passed over', () => {
    expect(() => base('main')).toThrow(UsageError);
    expect(base(undefined, 'main')).toMatchObject({ start: EMPTY_TREE });
  });

  it('is refused when it names nothing here', () => {
    expect(() => base('nowhere')).toThrow(/"nowhere" names no commit here/);
    expect(() => base(undefined, 'nowhere')).toThrow(/CI_BASE/);
    expect(() => base('--output=x')).toThrow(UsageError);
  });

  it('is refused when it shares no history with the head', () => {
    made.git('checkout', '-q', '--orphan', 'other');
    made.commit({ 'other.txt': 'o\n' }, 'other');
    expect(() => base('first')).toThrow(/shares no history/);
  });

  it('is where the change left it, not where it has moved to', () => {
    made.git('checkout', '-q', '-b', 'topic', 'first');
    made.commit({ 'topic.txt': 't\n' }, 'topic');
    expect(base('main').start).toBe(commit('first'));
    expect(readDiff(repository, { base: 'main' }).changes).toEqual([{ kind: 'added', path: 'topic.txt' }]);
  });

  it('of a merged change is the tip it was merged into', () => {
    made.git('checkout', '-q', '-b', 'topic', 'first');
    made.commit({ 'topic.txt': 't\n' }, 'topic');
    made.git('checkout', '-q', '--detach', 'main');
    made.git('merge', '-q', '--no-ff', '-m', 'merge', 'topic');
    expect(readDiff(repository, { base: 'main' }).changes).toEqual([{ kind: 'added', path: 'topic.txt' }]);
  });
});

describe('a diff', () => {
  it('reads a renamed file at its earlier path, and sees what is not committed yet', () => {
    made.commit({ 'second.txt': null, 'moved.txt': '2\n', 'first.txt': null }, 'move');
    made.write({ 'untracked.txt': 'u\n', 'moved.txt': '2\n2\n' });
    const diff = readDiff(repository, { base: 'HEAD~1' });
    const seen = diff.changes.map((change) => [change.kind, change.path, diff.before(change), diff.after(change)]);
    expect(seen).toEqual([
      ['deleted', 'first.txt', '1\n', undefined],
      ['renamed', 'moved.txt', '2\n', '2\n2\n'],
      ['added', 'untracked.txt', undefined, 'u\n'],
    ]);
  });

  it('to a named head leaves the working tree out', () => {
    made.write({ 'untracked.txt': 'u\n', 'second.txt': 'changed\n' });
    const diff = readDiff(repository, { base: 'first', head: 'main' });
    expect(diff.changes).toEqual([{ kind: 'added', path: 'second.txt' }]);
    expect(diff.after(diff.changes[0]!)).toBe('2\n');
    expect(diff.head.files()).toEqual(['first.txt', 'second.txt']);
    expect(diff.head.read('untracked.txt')).toBeUndefined();
  });

  it('shows what lies beside the change, in the working tree where no head is named', () => {
    made.write({ 'untracked.txt': 'u\n', 'first.txt': null });
    const { head } = readDiff(repository, { base: 'first' });
    expect(head.files()).toEqual(['second.txt', 'untracked.txt']);
    expect([head.read('second.txt'), head.read('untracked.txt'), head.read('first.txt')]).toEqual(['2\n', 'u\n', undefined]);
  });

  it('from the empty tree is the whole tree', () => {
    expect(readDiff(repository, { environment: {} }).changes.map(({ path }) => path)).toEqual(['first.txt', 'second.txt']);
  });

  it('that is empty is not measured, unless its base was named', () => {
    made.git('rm', '-q', '-r', '.');
    made.git('commit', '-q', '-m', 'empty');
    expect(() => readDiff(repository, { environment: {} })).toThrow(NotMeasuredError);
    made.git('commit', '-q', '--allow-empty', '-m', 'still empty');
    expect(readDiff(repository, { base: 'HEAD~1' }).changes).toEqual([]);
  });
});
