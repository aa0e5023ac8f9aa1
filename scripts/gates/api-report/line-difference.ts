// The lines in which two texts differ, as git sees them.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Difference {
  /** The first line of the earlier text that differs, 1-based. */
  readonly line: number;
  /** `-` and `+` lines, and the headers git puts between them. */
  readonly lines: readonly string[];
}

/** Undefined for equal texts. */
export function differenceOf(before: string, after: string): Difference | undefined {
  if (before === after) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'line-difference-'));
  try {
    writeFileSync(join(folder, 'before'), before);
    writeFileSync(join(folder, 'after'), after);
    const args = ['diff', '--no-index', '--no-color', '--no-ext-diff', '--text', '--unified=0', '--', 'before', 'after'];
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
    // 1 says that they differ.
    if (status !== 1) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
    return parseDifference(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Reads `git diff --unified=0` of one file. */
export function parseDifference(text: string): Difference {
  const lines = text.split('\n').filter((line) => line !== '');
  const first = lines.findIndex((line) => line.startsWith('@@'));
  const line = /^@@ -(\d+)/.exec(lines[first] ?? '')?.[1];
  if (line === undefined) throw new Error(`git shows no difference in:\n${text}`);
  return { line: Math.max(1, Number(line)), lines: lines.slice(first) };
}
