import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BellhopError, errorMessage } from '@bellhop/kernel';
import { createJiti } from 'jiti';
import { checkHostConfig, type HostConfig } from './host-config.js';
import { jsonFaultAt } from './json-fault.js';

export const CONFIG_FILE_NAMES = ['bellhop.config.ts', 'bellhop.config.js', 'bellhop.config.json'] as const;

export interface LoadedConfig {
  /** Absolute; undefined when there is no file. */
  readonly file: string | undefined;
  readonly config: HostConfig;
}

/**
 * Finds the config file of `folder`, or takes the one named, and loads it.
 *
 * @param named the `--config` flag: a path, relative to `folder`.
 * @throws BellhopError `CONFIG` when the named file is missing, the folder holds two, or the file is broken or holds what is not allowed.
 */
export async function loadConfigFile(folder: string, named?: string): Promise<LoadedConfig> {
  const file = named === undefined ? findConfigFile(folder) : resolve(folder, named);
  if (file === undefined) return { file, config: {} };
  if (!existsSync(file))
    throw new BellhopError('CONFIG', `The config file ${file} does not exist. Name one that does, or leave --config out.`);
  const given = file.endsWith('.json') ? readJson(file) : await importConfig(file);
  try {
    return { file, config: checkHostConfig(basename(file), given) };
  } catch (error) {
    throw new BellhopError('CONFIG', errorMessage(error), { cause: error });
  }
}

function findConfigFile(folder: string): string | undefined {
  const found = CONFIG_FILE_NAMES.filter((name) => existsSync(join(folder, name)));
  if (found.length > 1) {
    throw new BellhopError(
      'CONFIG',
      `${folder} holds ${found.join(' and ')}. One config file is allowed: remove one, or choose with --config.`,
    );
  }
  return found[0] === undefined ? undefined : join(folder, found[0]);
}

function readJson(file: string): unknown {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
    return JSON.parse(text);
  } catch (error) {
    throw error instanceof SyntaxError ? brokenJson(file, text, error) : broken(file, error);
  }
}

async function importConfig(file: string): Promise<unknown> {
  let exported: { default?: unknown };
  try {
    exported = await (await configLoader(file)).import<{ default?: unknown }>(file);
  } catch (error) {
    throw broken(file, error);
  }
  if (exported.default === undefined) {
    throw new BellhopError('CONFIG', `${basename(file)} has no default export. Write: export default defineConfig({ … }).`);
  }
  return exported.default;
}

/**
 * Bellhop's own packages are handed to the file as they are loaded here: it needs none installed beside it, and what it imports is the same
 * copy that runs. `interopDefault` would let a missing default export look like one.
 */
async function configLoader(file: string) {
  const [host, kernel, contracts, messaging, queue, store, switchboard, stall] = await Promise.all([
    import('../index.js'),
    import('@bellhop/kernel'),
    import('@bellhop/contracts'),
    import('@bellhop/service-messaging'),
    import('@bellhop/service-queue'),
    import('@bellhop/store'),
    import('@bellhop/switchboard'),
    import('@bellhop/switchboard-stall'),
  ]);
  return createJiti(pathToFileURL(file).href, {
    fsCache: false,
    moduleCache: false,
    interopDefault: false,
    virtualModules: {
      '@bellhop/host': host,
      '@bellhop/kernel': kernel,
      '@bellhop/contracts': contracts,
      '@bellhop/service-messaging': messaging,
      '@bellhop/service-queue': queue,
      '@bellhop/store': store,
      '@bellhop/switchboard': switchboard,
      '@bellhop/switchboard-stall': stall,
    },
  });
}

/** What jiti says of a syntax error: the words, then the file, the line from 1 and the column from 0. */
const PARSE_ERROR = /^ParseError: (?<words>.*?)\s*\n\s*(?<file>.+):(?<line>\d+):(?<column>\d+)$/;

function broken(file: string, error: unknown): BellhopError {
  const { words, file: where, line, column } = PARSE_ERROR.exec(errorMessage(error).trim())?.groups ?? {};
  if (words === undefined) return cannotLoad(file, errorMessage(error).trim().split('\n')[0] ?? '', error);
  // It may be a file that the config imports.
  const place = `${relative(dirname(file), where ?? file)}:${line}:${Number(column) + 1}`;
  return cannotLoad(file, `${words} (${place})`, error);
}

/** The reason in our own words and place: those of `JSON.parse` differ from one Node to the next. */
function brokenJson(file: string, text: string, error: unknown): BellhopError {
  const at = jsonFaultAt(text);
  const lines = text.slice(0, at).split('\n');
  const found = at === text.length ? 'the file ends too soon' : `unexpected ${JSON.stringify(text[at])}`;
  return cannotLoad(file, `${found} (${basename(file)}:${lines.length}:${(lines.at(-1) ?? '').length + 1})`, error);
}

function cannotLoad(file: string, reason: string, cause: unknown): BellhopError {
  return new BellhopError('CONFIG', `Cannot load ${basename(file)}: ${reason.trim().replace(/\.$/, '')}.`, { cause });
}
