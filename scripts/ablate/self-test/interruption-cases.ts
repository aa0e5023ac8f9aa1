// Runs that are ended from outside, or whose restore is sabotaged, while the tree holds a mutant.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Files } from '../../gates/framework/temporary-repository.js';
import { ablate, CHECKOUT, expectEnd, expectTotals, leftovers, type SelfTestCase, snapshot, start } from './case.js';
import { Beacon, CLI, type Command } from './command.js';
import { registry, SOURCE, TESTS, TinyRepository } from './tiny-repository.js';

/** Its mutant makes a test wait for its end. */
const HOLD = { id: 'hold', anchor: 'HOLD = false', replacement: 'HOLD = true' };

const PNPM = join(CHECKOUT, 'node_modules/.bin/pnpm');

interface Held {
  readonly repository: TinyRepository;
  readonly command: Command;
  /** Resolves when the process that ran the mutant's test has ended. */
  readonly gone: Promise<unknown>;
  readonly before: string;
}

/** @param end what happens while a test of the mutant runs. @param through pnpm, or the command itself. */
function midway(name: string, end: (held: Held) => Promise<void>, through: 'pnpm' | 'nothing' = 'nothing'): SelfTestCase {
  return {
    name,
    async run(folder) {
      const repository = new TinyRepository(folder, CHECKOUT, { ...registry({}, HOLD), ...(through === 'pnpm' ? pnpmScript() : {}) });
      const before = snapshot(repository, SOURCE);
      const beacon = await Beacon.listen();
      const command = start(repository, ['hold'], beacon.env, through === 'pnpm' ? [PNPM, '-s', 'ablate'] : undefined);
      try {
        const { gone } = await beacon.lit(command);
        // The control: there is something to undo.
        assert.match(repository.read(SOURCE), /HOLD = true/);
        assert.ok(leftovers(repository).some((path) => path === 'journal.json'));
        await end({ repository, command, gone, before });
      } finally {
        await command.killGroup();
        beacon.close();
      }
    },
  };
}

/** The script by which this checkout runs the command, for a repository that does not hold its source. */
function pnpmScript(): Files {
  const { scripts } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8')) as { scripts: { ablate: string } };
  const ablate = scripts.ablate.replace('scripts/ablate/cli.ts', () => JSON.stringify(CLI));
  return { 'package.json': JSON.stringify({ name: 'tiny', private: true, type: 'module', scripts: { ablate } }) };
}

/** Where the runs of this repository keep what must survive them. */
function stateFile(repository: TinyRepository, name: string): string {
  const [folder] = readdirSync(repository.temporary).filter((each) => each.startsWith('bellhop-ablate-'));
  return join(repository.temporary, String(folder), name);
}

const SIGNALLED = (['SIGTERM', 'SIGINT', 'SIGHUP'] as const).map((signal) =>
  midway(
    `${signal} in mid-run restores the tree, and leaves no journal and no process (128 + n)`,
    async ({ repository, command, gone, before }) => {
      expectEnd(await command.kill(signal), { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }[signal]);
      await gone;
      assert.equal(snapshot(repository, SOURCE), before, 'the tree is not as it was');
      assert.deepEqual(leftovers(repository), []);
    },
  ),
);

// A time limit or a supervisor knows the pid of pnpm alone. It passes on SIGTERM, to the shell that it starts: which must not be in between.
const THROUGH_PNPM = midway(
  'SIGTERM to pnpm alone restores the tree before pnpm ends',
  async ({ repository, command, gone, before }) => {
    void command.kill('SIGTERM');
    await command.exited;
    assert.equal(snapshot(repository, SOURCE), before, 'the tree is not as it was');
    assert.deepEqual(leftovers(repository), []);
    await gone;
  },
  'pnpm',
);

const KILLED: readonly SelfTestCase[] = [
  midway(
    'SIGKILL in mid-run ends the tests, and the next run restores the tree and says so (0)',
    async ({ repository, command, gone, before }) => {
      expectEnd(await command.kill('SIGKILL'), 'SIGKILL');
      await gone;
      assert.notEqual(snapshot(repository, SOURCE), before, 'nothing was left to restore');
      const next = await ablate(repository, 'D1');
      expectEnd(next, 0, /A killed run left ablation hold in src\/delay\.ts: restored\./);
      expectTotals(next, '1 proved, 0 refuted');
      assert.equal(snapshot(repository, SOURCE), before, 'the tree is not as it was');
      assert.deepEqual(leftovers(repository), []);
    },
  ),
  midway('a file that was edited after a kill is left alone, until it is in order (4)', async ({ repository, command, before }) => {
    const clean = (JSON.parse(before) as string[])[2]!;
    await command.kill('SIGKILL');
    const edited = `${repository.read(SOURCE)}// an edit\n`;
    repository.write({ [SOURCE]: edited });
    const preImage = stateFile(repository, 'pre-image');
    expectEnd(await ablate(repository, 'D1'), 4, /was changed after ablation hold/, new RegExp(preImage));
    assert.equal(repository.read(SOURCE), edited);
    assert.equal(readFileSync(preImage, 'utf8'), clean);
    repository.write({ [SOURCE]: clean });
    expectEnd(await ablate(repository, 'D1'), 0, /left the journal of ablation hold/);
  }),
  midway('a damaged pre-image is written to no file (4)', async ({ repository, command }) => {
    await command.kill('SIGKILL');
    const mutant = repository.read(SOURCE);
    writeFileSync(stateFile(repository, 'pre-image'), 'something else');
    expectEnd(await ablate(repository, 'D1'), 4, /pre-image.*damaged/);
    assert.equal(repository.read(SOURCE), mutant);
  }),
  midway('a second run on the same tree is refused while one runs (2)', async ({ repository, command, before }) => {
    expectEnd(await ablate(repository, 'D1'), 2, /Another ablation runs on this checkout \(pid \d+/);
    assert.match(repository.read(SOURCE), /HOLD = true/);
    await command.kill('SIGTERM');
    assert.equal(snapshot(repository, SOURCE), before, 'the tree is not as it was');
  }),
];

/** @param saboteur a test that spoils the restore when it runs on the mutant. @param check what must hold after. */
function sabotaged(name: string, saboteur: string, says: RegExp, check: (repository: TinyRepository) => void): SelfTestCase {
  const files: Files = {
    [TESTS]: `import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { HOLD } from './delay.js';
it('spoils', () => {
  if (!HOLD) return;
  ${saboteur}
  expect.fail('as expected');
});
`,
    ...registry({ ...HOLD, red: ['spoils'] }, { id: 'hold:next', red: ['spoils'] }),
  };
  return {
    name,
    async run(folder) {
      const repository = new TinyRepository(folder, CHECKOUT, files);
      const end = await ablate(repository, 'hold');
      expectEnd(end, 4, /^restore unproven {2}hold /m, says, /^not measured {2}hold:next /m);
      expectTotals(end, '0 proved, 0 refuted');
      check(repository);
    },
  };
}

const SABOTAGED: readonly SelfTestCase[] = [
  sabotaged(
    'a restore that would lose an edit is not done (4)',
    `appendFileSync('${SOURCE}', '// an edit\\n');`,
    /was changed after ablation hold.*pre-image/,
    (repository) => {
      assert.match(repository.read(SOURCE), /HOLD = true;[\s\S]*\/\/ an edit\n$/);
      assert.match(readFileSync(stateFile(repository, 'pre-image'), 'utf8'), /HOLD = false/);
    },
  ),
  sabotaged(
    'a mutant that tests have staged is no proven restore (4)',
    `execFileSync('git', ['add', '${SOURCE}']);`,
    /not as it was before ablation hold: appeared: MM src\/delay\.ts/,
    (repository) => assert.match(repository.read(SOURCE), /HOLD = false/),
  ),
  sabotaged(
    'another file that tests have changed is no proven restore (4)',
    "appendFileSync('package.json', ' ');",
    /not as it was before ablation hold: appeared: {2}M package\.json/,
    (repository) => assert.match(repository.read(SOURCE), /HOLD = false/),
  ),
];

export const INTERRUPTION_CASES: readonly SelfTestCase[] = [...SIGNALLED, THROUGH_PNPM, ...KILLED, ...SABOTAGED];
