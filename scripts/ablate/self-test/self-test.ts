// `pnpm ablate --self-test`: every way in which an ablation can end, made to happen in real repositories. A tool that is to show whether tests
// can fail must itself be shown to fail.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanUpAtEnd } from '../interruption.js';
import type { SelfTestCase } from './case.js';
import { COPY_CASES } from './copy-cases.js';
import { EVIDENCE_CASES } from './evidence-cases.js';
import { INTERRUPTION_CASES } from './interruption-cases.js';
import { LIST_CASES } from './list-cases.js';
import { REFUSAL_CASES } from './refusal-cases.js';

const CASES = [...EVIDENCE_CASES, ...REFUSAL_CASES, ...INTERRUPTION_CASES, ...COPY_CASES, ...LIST_CASES];

/** @returns the exit code: 0, or 1 when a case is not as it must be. */
export async function selfTest(print: (line: string) => void): Promise<number> {
  const queue = [...CASES];
  let failed = 0;
  const work = async (): Promise<void> => {
    for (let each = queue.shift(); each; each = queue.shift()) {
      const problem = await runCase(each);
      print(`${problem === undefined ? 'ok    ' : 'FAILED'} ${each.name}`);
      if (problem === undefined) continue;
      failed += 1;
      print(problem.replaceAll(/^/gm, '       '));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  print(`ablate: self-test, ${CASES.length - failed} of ${CASES.length} cases as they must be`);
  return failed === 0 ? 0 : 1;
}

async function runCase({ run }: SelfTestCase): Promise<string | undefined> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'ablate-self-test-')));
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  const forget = cleanUpAtEnd(remove);
  try {
    await run(folder);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    remove();
    forget();
  }
}
