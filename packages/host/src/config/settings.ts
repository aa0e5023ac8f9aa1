/** What a host runs with, from four places: flags over environment over config file over defaults. */
import { basename } from 'node:path';
import { BellhopError, errorMessage } from '@bellhop/kernel';
import { type OutboundPolicy, outboundPolicySchema } from '@bellhop/outbound';
import { parseDatabaseUrl } from '@bellhop/store';
import type { z } from 'zod';
import { loadConfigFile } from './config-file.js';
import { DEFAULT_DATABASE_URL } from './default-database.js';
import { checkEncryptionKey, type HostOptions, trustedProxiesSchema } from './host-config.js';

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
  const outbound = outboundOf(variable);
  const proxies = variable('BELLHOP_TRUSTED_PROXIES');
  const databaseUrl = checkUrl(url);
  const options: HostOptions = {
    ...config,
    database: { ...config.database, url: databaseUrl, ...(authToken === undefined ? {} : { authToken }) },
    host: flags.host ?? variable('HOST') ?? config.host,
    port: port ? checkPort(port) : config.port,
    ...(outbound ? { outbound: { ...config.outbound, ...outbound } } : {}),
    ...(proxies === undefined ? {} : { trustedProxies: checkList('BELLHOP_TRUSTED_PROXIES', proxies, trustedProxiesSchema) }),
    apiKey: variable('BELLHOP_API_KEY'),
    encryptionKey: variable('BELLHOP_ENCRYPTION_KEY'),
  };
  checkEncryptionKey(options.encryptionKey);
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

/** What the environment says of outbound calls; undefined when it says nothing, so that the file's word stands. */
function outboundOf(variable: (name: string) => string | undefined): OutboundPolicy | undefined {
  const [http, ranges] = [variable('BELLHOP_OUTBOUND_ALLOW_HTTP'), variable('BELLHOP_OUTBOUND_ALLOW_CIDRS')];
  if (http === undefined && ranges === undefined) return undefined;
  return {
    ...(http === undefined ? {} : { allowHttp: checkFlag('BELLHOP_OUTBOUND_ALLOW_HTTP', http) }),
    ...(ranges === undefined
      ? {}
      : { allowCidrs: checkList('BELLHOP_OUTBOUND_ALLOW_CIDRS', ranges, outboundPolicySchema.shape.allowCidrs) }),
  };
}

const FLAGS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

function checkFlag(name: string, text: string): boolean {
  const flag = Object.hasOwn(FLAGS, text) ? FLAGS[text] : undefined;
  if (flag !== undefined) return flag;
  throw new BellhopError('CONFIG', `${name}: given ${JSON.stringify(text)}; allowed: true, false, 1 or 0.`);
}

function checkList(name: string, text: string, schema: z.ZodType): string[] {
  const list = text.split(',').map((entry) => entry.trim());
  const { error } = schema.safeParse(list);
  if (!error) return list;
  const problem = error.issues.map(({ message }) => message).join(' | ');
  throw new BellhopError('CONFIG', `${name}: given ${JSON.stringify(text)}; entries separated by commas are allowed: ${problem}`);
}
