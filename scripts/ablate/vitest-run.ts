// One vitest run over given test files of a tree, in a fresh process: no result of an earlier run can answer for this one.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { NotMeasuredError } from '../gates/framework/refusals.js';
import { runGroup } from './child-group.js';
import { type Run, readRun } from './evidence.js';

export interface VitestOptions {
  /** Absolute, without links. */
  readonly root: string;
  /** For the reports; outside the tree. */
  readonly scratch: string;
  /** Test files at a time; undefined: as the tree's configuration says. */
  readonly maxWorkers?: number | undefined;
  readonly limitMs?: number;
}

/** Beside what each file is given: a start, and a database server. */
const LIMIT_MS = 240_000;
const LIMIT_PER_FILE_MS = 60_000;
const REPORTERS = ['evidence-reporter.ts', 'lifeline-reporter.ts'].map((name) => join(import.meta.dirname, name));

/** @param files from the root; at least one. */
export async function runVitest(files: readonly string[], options: VitestOptions): Promise<Run> {
  const { root, scratch, maxWorkers, limitMs = LIMIT_MS + LIMIT_PER_FILE_MS * files.length } = options;
  if (!existsSync(vitestPath(root))) throw new NotMeasuredError(`There is no vitest in ${root}: install its dependencies first.`);
  const folder = mkdtempSync(join(scratch, 'run-'));
  const json = join(folder, 'report.json');
  const evidence = join(folder, 'evidence.json');
  const started = performance.now();
  try {
    const end = await runGroup(
      process.execPath,
      [
        vitestPath(root),
        'run',
        // Whole paths: a filter matches anywhere in a path.
        ...files.map((file) => join(root, file)),
        '--reporter=json',
        `--outputFile.json=${json}`,
        ...REPORTERS.map((path) => `--reporter=${path}`),
        '--retry=0',
        '--bail=0',
        '--allowOnly=false',
        '--passWithNoTests=false',
        '--update=none',
        // Its files share a process: to load the same modules again for each is most of what small ones cost. What one leaves behind could only
        // redden another, and a red test that is not predicted refutes.
        '--no-isolate',
        '--no-cache',
        // Transformed modules, for as long as this command runs: found by the content of their files, so that a mutant is another module. It
        // could not pass unseen if it were not: the tests would not fall. Transforming is half of what most runs take.
        '--experimental.fsModuleCache=true',
        `--experimental.fsModuleCachePath=${join(scratch, 'modules')}`,
        ...(maxWorkers === undefined ? [] : [`--maxWorkers=${maxWorkers}`]),
      ],
      { cwd: root, env: vitestEnvironment(), limitMs },
    );
    const durationMs = Math.round(performance.now() - started);
    return readRun({ root, files, limitMs, durationMs, ...end, json: read(json), evidence: read(evidence) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** For a vitest that this process starts: of its own, whatever started this process. */
export function vitestEnvironment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = { ...process.env, NO_COLOR: '1' };
  // Set when this runs under vitest itself; a vitest started with them takes itself for a worker.
  for (const name of Object.keys(env)) if (/^VITEST(?:_|$)/.test(name)) delete env[name];
  delete env.FORCE_COLOR;
  return env;
}

export function vitestPath(root: string): string {
  return join(root, 'node_modules/vitest/vitest.mjs');
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
