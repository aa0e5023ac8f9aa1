import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NotMeasuredError } from '../gates/framework/refusals.js';
import { Repository } from '../gates/framework/repository.js';
import { TemporaryRepository } from '../gates/framework/temporary-repository.js';
import { allProvedAt, changeBase, RECORD, recordAllProved } from './all-proved.js';

let made: TemporaryRepository;
let repository: Repository;
beforeEach(() => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'ablate-proved-')));
  made = new TemporaryRepository(root);
  repository = new Repository(root);
  made.commit({ 'scripts/ablate/entry.ts': 'one\n' }, 'one');
});
afterEach(() => rmSync(made.root, { recursive: true, force: true }));

it('is the recorded commit as soon as another follows it', () => {
  const proved = repository.commit('HEAD');
  recordAllProved(repository);
  made.commit({}, 'record');
  expect(allProvedAt(repository)).toBe(proved);
  expect(changeBase(repository, undefined, {})).toBe(proved);
});

it('gives way to a base that somebody named', () => {
  recordAllProved(repository);
  made.commit({}, 'record');
  expect(changeBase(repository, 'main', {})).toBe('main');
  // Which the diff reads by itself.
  expect(changeBase(repository, undefined, { CI_BASE: 'main' })).toBeUndefined();
});

it('is nothing without a record, and at the recorded commit itself', () => {
  expect(allProvedAt(repository)).toBeUndefined();
  recordAllProved(repository);
  expect(allProvedAt(repository)).toBeUndefined();
});

it('is nothing where the commit is unknown, or is no part of the history', () => {
  made.write({ [RECORD]: `${'a'.repeat(40)}\n` });
  expect(allProvedAt(repository)).toBeUndefined();
  made.commit({ 'scripts/ablate/entry.ts': 'two\n' }, 'two');
  recordAllProved(repository);
  made.git('reset', '--quiet', '--soft', 'HEAD~1');
  made.commit({}, 'another two');
  expect(allProvedAt(repository)).toBeUndefined();
});

it('refuses a record that is no commit', () => {
  made.write({ [RECORD]: 'main\n' });
  expect(() => allProvedAt(repository)).toThrow(NotMeasuredError);
});
