import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** What a figure was measured on. */
export function describeMachine(): Readonly<Record<string, string | number>> {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    platform: `${process.platform} ${process.arch}`,
    node: process.versions.node,
  };
}

/** The database clients under the stores. */
export function describeVersions(): Readonly<Record<string, string>> {
  const store = createRequire(require.resolve('@bellhop/store'));
  return Object.fromEntries(['better-sqlite3', '@libsql/client', 'pg', 'knex'].map((name) => [name, versionOf(store.resolve(name), name)]));
}

/** Walks up from a module's entry point to its manifest: some packages export neither their manifest nor their root. */
export function versionOf(entry: string, name: string): string {
  for (let folder = dirname(entry); folder !== dirname(folder); folder = dirname(folder)) {
    try {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: string; version?: string };
      if (manifest.name === name && manifest.version) return manifest.version;
    } catch {
      // No manifest here: one level up.
    }
  }
  return 'unknown';
}
