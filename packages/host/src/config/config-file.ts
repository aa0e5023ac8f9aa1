import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BellhopError, errorMessage } from '@bellhop/kernel';
import { createJiti } from 'jiti';
import { checkHostConfig, type HostConfig } from './host-config.js';

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
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw broken(file, error);
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
  const [host, kernel, contracts, messaging, store] = await Promise.all([
    import('../index.js'),
    import('@bellhop/kernel'),
    import('@bellhop/contracts'),
    import('@bellhop/service-messaging'),
    import('@bellhop/store'),
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
      '@bellhop/store': store,
    },
  });
}

function broken(file: string, error: unknown): BellhopError {
  const [firstLine = ''] = errorMessage(error).trim().split('\n');
  return new BellhopError('CONFIG', `Cannot load ${basename(file)}: ${firstLine.replace(/\.$/, '')}.`, { cause: error });
}
