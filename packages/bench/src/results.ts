import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One run as it is kept: what was measured, on what, with which settings. */
export interface StoredResult {
  readonly workload: string;
  /** ISO 8601. */
  readonly at: string;
  readonly machine: Readonly<Record<string, string | number>>;
  readonly versions: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly result: Readonly<Record<string, unknown>>;
}

const FOLDER = join(import.meta.dirname, '../results');

export function storeResult(result: StoredResult, folder = FOLDER): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${result.workload}-${result.at.replaceAll(':', '-')}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

/** The newest run of each workload and settings, oldest first. @throws Error naming the file that cannot be read as a result. */
export function latestResults(folder = FOLDER): StoredResult[] {
  const latest = new Map<string, StoredResult>();
  for (const file of existing(folder)) {
    const result = read(join(folder, file));
    const key = `${result.workload} ${JSON.stringify(result.settings)}`;
    if ((latest.get(key)?.at ?? '') < result.at) latest.set(key, result);
  }
  return [...latest.values()].sort((a, b) => (a.at < b.at ? -1 : 1));
}

function existing(folder: string): string[] {
  try {
    return readdirSync(folder).filter((file) => file.endsWith('.json'));
  } catch {
    return [];
  }
}

function read(path: string): StoredResult {
  const result = JSON.parse(readFileSync(path, 'utf8')) as StoredResult;
  if (typeof result.workload !== 'string' || typeof result.at !== 'string')
    throw new Error(`${path} holds no benchmark result; remove it.`);
  return result;
}
