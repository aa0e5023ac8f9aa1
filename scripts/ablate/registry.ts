// Loads the registry: every file of the folder, so that a file is in by being there. Checks the shape of what it loads, nothing more.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../gates/framework/refusals.js';
import { type Ablation, ruleOf } from './ablation.js';

export const REGISTRY_FOLDER = 'scripts/ablate/registry';

export interface Registered {
  readonly entry: Ablation;
  /** The registry file, from the root. */
  readonly source: string;
}

export async function loadRegistry(root: string): Promise<Registered[]> {
  const folder = join(root, REGISTRY_FOLDER);
  if (!existsSync(folder)) throw new UsageError(`There is no ${REGISTRY_FOLDER} in ${root}.`);
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.endsWith('.d.ts'));
  const registered: Registered[] = [];
  for (const name of names.sort()) {
    const source = `${REGISTRY_FOLDER}/${name}`;
    const module = await load(join(folder, name), source);
    if (!Array.isArray(module.ablations)) throw new UsageError(`${source} must export \`ablations\`, an array of Ablation.`);
    module.ablations.forEach((entry: unknown, index) => {
      const fault = shapeFault(entry);
      if (fault !== undefined) throw new UsageError(`${source}, entry ${nameOf(entry) ?? index}: ${fault}`);
      registered.push({ entry: entry as Ablation, source });
    });
  }
  return registered;
}

/** @returns the entries of these ids, each once: `L8` means `L8` and every `L8:*`. @throws UsageError naming unknown ids and the known ones. */
export function select(registered: readonly Registered[], ids: readonly string[]): Registered[] {
  const matches = (id: string) => registered.filter(({ entry }) => entry.id === id || ruleOf(entry) === id);
  const unknown = ids.filter((id) => matches(id).length === 0);
  if (unknown.length > 0) {
    const known = registered.map(({ entry }) => entry.id);
    throw new UsageError(`Unknown: ${unknown.join(', ')}. Known: ${known.join(', ') || 'none, the registry is empty'}.`);
  }
  return [...new Set(ids.flatMap(matches))];
}

async function load(path: string, source: string): Promise<{ ablations?: unknown }> {
  try {
    return (await import(pathToFileURL(path).href)) as { ablations?: unknown };
  } catch (error) {
    throw new UsageError(`${source} does not load: ${error instanceof Error ? error.message : error}`);
  }
}

function shapeFault(entry: unknown): string | undefined {
  if (typeof entry !== 'object' || entry === null) return 'must be an Ablation.';
  const fields = entry as Record<keyof Ablation, unknown>;
  for (const field of ['id', 'why', 'file', 'anchor'] as const) {
    if (typeof fields[field] !== 'string' || fields[field] === '') return `${field} must be a text that is not empty.`;
  }
  if (typeof fields.replacement !== 'string') return 'replacement must be a text.';
  if (!Number.isInteger(fields.expectCount) || (fields.expectCount as number) < 1) return 'expectCount must be an integer from 1.';
  for (const field of ['tests', 'red'] as const) {
    if (!isTexts(fields[field])) return `${field} must list at least one text, each once.`;
  }
  const green = fields.green;
  if (green !== undefined && !(Array.isArray(green) && green.every((test) => isText(test?.name) && isText(test?.why)))) {
    return 'green must list tests, each with a name and a why.';
  }
  return undefined;
}

function nameOf(entry: unknown): string | undefined {
  const id = (entry as { id?: unknown } | null)?.id;
  return typeof id === 'string' ? id : undefined;
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isText) && new Set(value).size === value.length;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

/** @returns the entries whose source, tests or registry file are among the paths. */
export function touchedBy(registered: readonly Registered[], paths: ReadonlySet<string>): Registered[] {
  return registered.filter(({ entry, source }) => [source, entry.file, ...entry.tests].some((path) => paths.has(path)));
}
