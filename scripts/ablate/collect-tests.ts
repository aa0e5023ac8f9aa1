// Every test of a tree by its full name, as vitest collects them: titles made at run time included, which no reading of the code would find.

import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runGroup } from './child-group.js';
import type { CollectedTest } from './registry-checks.js';
import { vitestEnvironment, vitestPath } from './vitest-run.js';

const LIMIT_MS = 600_000;

/** @param scratch an empty folder outside of the tree. @throws when a test file does not load: its tests would be missed. */
export async function collectTests(root: string, scratch: string): Promise<CollectedTest[]> {
  const json = join(scratch, 'tests.json');
  const end = await runGroup(process.execPath, [vitestPath(root), 'list', `--json=${json}`, '--allowOnly=false'], {
    cwd: root,
    env: vitestEnvironment(),
    limitMs: LIMIT_MS,
  });
  if (end.overdue) throw new Error(`Collecting the tests took more than ${LIMIT_MS / 1000} s.`);
  if (end.code !== 0) throw new Error(`vitest list exited with ${end.code ?? end.signal}: ${end.output.trim().slice(-2_000)}`);
  const listed = JSON.parse(readFileSync(json, 'utf8')) as { name: string; file: string }[];
  if (listed.length === 0) throw new Error('vitest list found no test.');
  return listed.map(({ name, file }) => ({ name, file: relative(root, file) }));
}
