// What is refused before anything is mutated.

import assert from 'node:assert/strict';
import { ablate, CHECKOUT, expectEnd, leftovers, type SelfTestCase, snapshot } from './case.js';
import { registry, SOURCE, TinyRepository } from './tiny-repository.js';

/** A refusal leaves the tree exactly as it found it. */
function refused(
  name: string,
  prepare: (repository: TinyRepository) => void,
  args: readonly string[],
  ...says: readonly RegExp[]
): SelfTestCase {
  return {
    name,
    async run(folder) {
      const repository = new TinyRepository(folder, CHECKOUT, registry({}));
      prepare(repository);
      const before = snapshot(repository, SOURCE);
      const end = await ablate(repository, ...args);
      expectEnd(end, 2, ...says);
      assert.doesNotMatch(end.stderr, /test file/, 'tests ran');
      assert.equal(snapshot(repository, SOURCE), before, 'the tree is not as it was');
      assert.deepEqual(leftovers(repository), []);
    },
  };
}

const edit = (repository: TinyRepository): void => repository.write({ [SOURCE]: `${repository.read(SOURCE)}// more\n` });

export const REFUSAL_CASES: readonly SelfTestCase[] = [
  refused('a file with an edit is refused (2)', edit, ['D1'], /src\/delay\.ts has uncommitted changes \(M/),
  refused(
    'a file with a staged edit is refused (2)',
    (repository) => {
      edit(repository);
      repository.git('add', SOURCE);
    },
    ['D1'],
    /src\/delay\.ts has uncommitted changes \(M/,
  ),
  refused(
    'a file that is staged and edited back is refused (2)',
    (repository) => {
      const committed = repository.read(SOURCE);
      edit(repository);
      repository.git('add', SOURCE);
      repository.write({ [SOURCE]: committed });
    },
    ['D1'],
    /src\/delay\.ts has uncommitted changes \(MM/,
  ),
  refused(
    'a file that is not in HEAD is refused (2)',
    (repository) => {
      repository.write({ 'src/more.ts': 'export const more = 1;\n', ...registry({ file: 'src/more.ts', anchor: '1', replacement: '2' }) });
    },
    ['D1'],
    /src\/more\.ts is not in HEAD/,
  ),
  refused(
    'a file outside of the tree is refused (2)',
    (repository) => repository.write(registry({ file: '../outside.ts' })),
    ['D1'],
    /\.\.\/outside\.ts is not a file of this tree/,
  ),
  refused('an unknown id is refused, with the known ones (2)', () => undefined, ['D9'], /Unknown: D9\. Known: D1\./),
  refused('copies of a dirty tree are refused (2)', (repository) => repository.write({ 'more.ts': '' }), ['--all'], /\?\? more\.ts/),
  refused('a flag that would have no effect is refused (2)', () => undefined, ['D1', '--base', 'HEAD'], /--base goes with --changed/),
];
