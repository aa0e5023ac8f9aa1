// Runs on copies of the tree: the checkout is never touched, and no copy outlives its run. Installed as the checkout is, from its lockfile.

import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Files } from '../../gates/framework/temporary-repository.js';
import { git } from '../git.js';
import { packageStore } from '../tree-copy.js';
import { CHECKOUT, expectEnd, expectTotals, leftovers, type SelfTestCase, snapshot, start } from './case.js';
import { Beacon } from './command.js';
import { DOUBLES, registry, SOURCE, TinyRepository } from './tiny-repository.js';

/** What an install reads. */
const MANIFESTS = ['package.json', 'packages/*/package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', '.npmrc'];

const DOUBLED = { id: 'D1:doubles', anchor: '2 ** level', replacement: '3 ** level', red: [DOUBLES] };

function installable(folder: string, files: Files): TinyRepository {
  const manifests = git(CHECKOUT, ['ls-files', '-z', '--', ...MANIFESTS])
    .split('\0')
    .filter(Boolean);
  return new TinyRepository(folder, CHECKOUT, {
    ...Object.fromEntries(manifests.map((path) => [path, readFileSync(join(CHECKOUT, path), 'utf8')])),
    ...files,
  });
}

/** The store of this checkout, wherever the temporary folder lies. */
async function store(): Promise<Record<string, string>> {
  return { npm_config_store_dir: await packageStore(CHECKOUT) };
}

/** Changes with every write, whatever was written. */
function touched(repository: TinyRepository): string {
  const { ino, mtimeMs, ctimeMs } = statSync(join(repository.root, SOURCE));
  return JSON.stringify([ino, mtimeMs, ctimeMs]);
}

export const COPY_CASES: readonly SelfTestCase[] = [
  {
    name: '--all proves each entry on a copy, and writes nothing to the checkout (0)',
    async run(folder) {
      const repository = installable(folder, registry({}, DOUBLED));
      const before = [snapshot(repository, SOURCE), touched(repository)];
      const end = await start(repository, ['--all', '--workers', '2'], await store()).ended;
      expectEnd(end, 0, /^2 copies of HEAD/m, /^proved {4}D1 /m, /^proved {4}D1:doubles /m);
      expectTotals(end, '2 proved, 0 refuted');
      assert.deepEqual([snapshot(repository, SOURCE), touched(repository)], before, 'the checkout was written to');
      assert.deepEqual(leftovers(repository), []);
    },
  },
  {
    name: '--changed runs the entries that differ from the base, and no others (0)',
    async run(folder) {
      const other = { id: 'D2', file: 'src/other.ts', anchor: '1', replacement: '2', tests: ['src/other.test.ts'], red: ['is one'] };
      const second = registry(other)['scripts/ablate/registry/tiny.ts']!;
      const repository = installable(folder, {
        'src/other.ts': 'export const one = 1;\n',
        'src/other.test.ts':
          "import { expect, it } from 'vitest';\nimport { one } from './other.js';\nit('is one', () => expect(one).toBe(1));\n",
        'scripts/ablate/registry/other.ts': second,
        ...registry({}),
      });
      repository.git('tag', 'base');
      repository.commit({ 'src/other.ts': 'export const one = 1; // the one\n' });
      const end = await start(repository, ['--changed', '--base', 'base'], await store()).ended;
      expectEnd(end, 0, /^1 of 2 ablations differ from/m, /^proved {4}D2 /m);
      expectTotals(end, '1 proved, 0 refuted');
      repository.commit({ 'README.md': 'more\n' });
      const none = await start(repository, ['--changed', '--base', 'HEAD~1'], await store()).ended;
      expectEnd(none, 0, /^0 of 2 ablations differ from/m);
      expectTotals(none, '0 proved, 0 refuted');
    },
  },
  {
    name: 'SIGTERM in the middle of --all removes the copies, and leaves no process (143)',
    async run(folder) {
      const repository = installable(folder, registry({ id: 'hold', anchor: 'HOLD = false', replacement: 'HOLD = true' }));
      const before = [snapshot(repository, SOURCE), touched(repository)];
      const beacon = await Beacon.listen();
      const command = start(repository, ['--all', '--workers', '1'], { ...(await store()), ...beacon.env });
      try {
        const { gone } = await beacon.lit(command);
        // The control: there is a copy, and it is that which holds the mutant.
        assert.ok(leftovers(repository).some((path) => path.endsWith(`copies/1/tree/${SOURCE}`)));
        assert.deepEqual([snapshot(repository, SOURCE), touched(repository)], before);
        expectEnd(await command.kill('SIGTERM'), 143);
        await gone;
        assert.deepEqual(leftovers(repository), []);
      } finally {
        await command.kill('SIGKILL');
        beacon.close();
      }
    },
  },
];
