// `pnpm ablate --list`: the registry, one line per entry, and what is wrong with it. Mutates nothing, runs no test.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderFinding } from '../gates/framework/finding.js';
import { ruleOf } from './ablation.js';
import { collectTests } from './collect-tests.js';
import type { Registered } from './registry.js';
import { type CollectedTest, checkRegistry, entryLine } from './registry-checks.js';

/** @returns the exit code: 0, or 1 with faults or with tests that cannot be collected. */
export async function list(
  root: string,
  registered: readonly Registered[],
  scratch: string,
  print: (line: string) => void,
): Promise<number> {
  const read = (file: string): Buffer | undefined => {
    try {
      return readFileSync(join(root, file));
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
      throw error;
    }
  };
  for (const one of registered) {
    const { entry } = one;
    const green = entry.green?.length ?? 0;
    print(
      `${entry.id}  ${entry.file}  ${entry.red.length} red${green > 0 ? `, ${green} green` : ''}  ${one.source}:${entryLine(one, read)}`,
    );
  }
  let tests: CollectedTest[];
  try {
    tests = await collectTests(root, scratch);
  } catch (error) {
    print(`The registry cannot be held against the tests: ${error instanceof Error ? error.message : error}`);
    return 1;
  }
  const faults = checkRegistry({ registered, tests, read });
  for (const fault of faults) print(renderFinding(fault));
  const rules = new Set(registered.map(({ entry }) => ruleOf(entry))).size;
  print(`${registered.length} ablations of ${rules} rules, ${faults.length} faults`);
  return faults.length === 0 ? 0 : 1;
}
