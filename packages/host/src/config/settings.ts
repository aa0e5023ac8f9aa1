/** What a host runs with, from four places: flags over environment over config file over defaults. */
import { basename } from 'node:path';
import { BellhopError, errorMessage } from '@bellhop/kernel';
import { parseDatabaseUrl } from '@bellhop/store';
import { loadConfigFile } from './config-file.js';
import { DEFAULT_DATABASE_URL } from './default-database.js';
import type { HostOptions } from './host-config.js';

/** As commander hands them over. */
export interface Flags {
  readonly port?: string | undefined;
  readonly host?: string | undefined;
  readonly databaseUrl?: string | undefined;
  readonly config?: string | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Settings {
  readonly options: HostOptions;
  readonly databaseUrl: string;
  /** The config file's name; undefined without one. */
  readonly configFile: string | undefined;
  readonly flags: Flags;
}

/** @throws BellhopError `CONFIG`: names the flag, variable or file, what was given and what is allowed. */
export async function readSettings(flags: Flags, environment: Environment, folder: string): Promise<Settings> {
  const { file, config } = await loadConfigFile(folder, flags.config);
  const variable = (name: string): string | undefined => environment[name] || undefined;
  const configFile = file === undefined ? undefined : basename(file);

  const url = firstGiven(
    ['--database-url', flags.databaseUrl],
    ['BELLHOP_DATABASE_URL', variable('BELLHOP_DATABASE_URL')],
    [`${configFile}: database.url`, config.database?.url],
  ) ?? ['default', DEFAULT_DATABASE_URL];
  const port = firstGiven(['--port', flags.port], ['PORT', variable('PORT')]);
  const authToken = variable('BELLHOP_DATABASE_AUTH_TOKEN') ?? config.database?.authToken;
  const databaseUrl = checkUrl(url);
  const options: HostOptions = {
    ...config,
    database: { ...config.database, url: databaseUrl, ...(authToken === undefined ? {} : { authToken }) },
    host: flags.host ?? variable('HOST') ?? config.host,
    port: port ? checkPort(port) : config.port,
    apiKey: variable('BELLHOP_API_KEY'),
  };
  return { options, databaseUrl, configFile, flags };
}

type Given = readonly [source: string, value: string];

function firstGiven(...places: readonly (readonly [source: string, value: string | undefined])[]): Given | undefined {
  return places.find((place): place is Given => place[1] !== undefined);
}

function checkUrl([source, url]: Given): string {
  try {
    parseDatabaseUrl(url);
    return url;
  } catch (error) {
    throw new BellhopError('CONFIG', `${source}: ${errorMessage(error)}`, { cause: error });
  }
}

function checkPort([source, text]: Given): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new BellhopError('CONFIG', `${source}: given ${JSON.stringify(text)}; allowed: an integer from 0 to 65535 (0 takes a free port).`);
}
