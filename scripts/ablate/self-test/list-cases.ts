// The registry held against the tests that there are.

import { ablate, CHECKOUT, expectEnd, type SelfTestCase } from './case.js';
import { CEILING, DOUBLES, registry, TinyRepository } from './tiny-repository.js';

const DOUBLED = { id: 'D1:doubles', anchor: '2 ** level', replacement: '3 ** level', red: [DOUBLES] };

export const LIST_CASES: readonly SelfTestCase[] = [
  {
    name: '--list finds nothing wrong where every tagged test is named (0)',
    async run(folder) {
      const repository = new TinyRepository(folder, CHECKOUT, registry({}, DOUBLED));
      expectEnd(
        await ablate(repository, '--list'),
        0,
        /^D1 {2}src\/delay\.ts {2}1 red {2}scripts\/ablate\/registry\/tiny\.ts:3$/m,
        /2 ablations of 1 rules, 0 faults/,
      );
    },
  },
  {
    name: '--list finds a tagged test that is neither red nor green, and a tag without an entry (1)',
    async run(folder) {
      const repository = new TinyRepository(folder, CHECKOUT, {
        'src/other.test.ts': "import { it } from 'vitest';\nit('[D7] rests', () => undefined);\n",
        ...registry({}),
      });
      const unnamed = new RegExp(
        `carries \\[D1\\], and is neither red nor green in an ablation of D1:\\n +${DOUBLES.replace(/[[\]]/g, '\\$&')}\\n`,
      );
      expectEnd(await ablate(repository, '--list'), 1, unnamed, /\[D7\], which no ablation has/, /1 ablations of 1 rules, 2 faults/);
      repository.write(registry({ green: [{ name: DOUBLES, why: 'the ceiling has no part in it' }] }, { id: 'D7', red: [CEILING] }));
      expectEnd(await ablate(repository, '--list'), 1, /D7: src\/other\.test\.ts has tests that carry \[D7\], and is not among its tests/);
    },
  },
];
