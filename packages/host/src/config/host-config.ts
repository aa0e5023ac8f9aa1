import type { NotificationChannel, TenantPosture } from '@bellhop/contracts';
import { BellhopError, errorMessage, type KernelPlugin, parseOptions } from '@bellhop/kernel';
import { type OutboundPolicy, outboundPolicySchema, SecretSealer } from '@bellhop/outbound';
import { type ReaperPluginOptions, reaperPlugin } from '@bellhop/reaper';
import { type MessagingPluginOptions, messagingPlugin } from '@bellhop/service-messaging';
import { type QueuePluginOptions, queuePlugin } from '@bellhop/service-queue';
import { type StoreOptions, storeOptionsSchema } from '@bellhop/store';
import { type SwitchboardPluginOptions, switchboardPlugin } from '@bellhop/switchboard';
import { z } from 'zod';
import { proxyProblem } from '../http/client-address.js';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What `bellhop.config.ts` exports. Every field has a default; an unknown one is refused. */
export interface HostConfig {
  /** Where the data is. Default `{ url: 'file:.bellhop/bellhop.db' }`: an embedded SQLite file, whose folder is created. */
  readonly database?: Omit<StoreOptions, 'knex' | 'posture'> | undefined;
  /** Address to listen on. Default `127.0.0.1`: nobody but this machine. */
  readonly host?: string | undefined;
  /** 0 to 65 535, default 7 070; 0 takes a free one. */
  readonly port?: number | undefined;
  /**
   * Proxies in front of the host, as addresses and CIDR ranges, at most 100: what they say of a request in `X-Forwarded-For` is who inbound webhooks are
   * limited by. Default none: the header is passed over, and everybody behind one proxy shares its limits.
   */
  readonly trustedProxies?: readonly string[] | undefined;
  /**
   * How tenants are kept apart. Default `isolated`: every write must name its organization or say why it is global; one that does neither
   * is reported as a finding.
   */
  readonly posture?: TenantPosture | undefined;
  /** Default `info`, which is silent while healthy and idle. */
  readonly logLevel?: LogLevel | undefined;
  /** Channels besides `inbox`. */
  readonly channels?: readonly NotificationChannel[] | undefined;
  /** Options of `messagingPlugin`, channels apart. */
  readonly messaging?: Omit<MessagingPluginOptions, 'channels'> | undefined;
  /** Options of `queuePlugin`. */
  readonly queue?: QueuePluginOptions | undefined;
  /** Options of `reaperPlugin`. */
  readonly reaper?: ReaperPluginOptions | undefined;
  /** Options of `switchboardPlugin`, apart from the encryption key, which no file holds, and `outbound`. */
  readonly switchboard?: Omit<SwitchboardPluginOptions, 'encryptionKey' | 'outbound'> | undefined;
  /** What the host may call besides public https URLs. Default: nothing. */
  readonly outbound?: OutboundPolicy | undefined;
  /** More plugins, loaded after the built-in ones unless their `requires` and `after` say otherwise. */
  readonly plugins?: readonly KernelPlugin[] | undefined;
}

/** Options of `createHost`: a config, and what no file should hold. */
export interface HostOptions extends HostConfig {
  /**
   * A root key, usually `BELLHOP_API_KEY`: 1 to 255 printable ASCII characters. One that the database holds is that stored key, with its
   * reach, and refused once revoked. Default: the keys in the database only.
   */
  readonly apiKey?: string | undefined;
  /**
   * Seals the secrets that the database keeps, usually `BELLHOP_ENCRYPTION_KEY`: 32 bytes in standard base64. Default: none, and what needs a
   * secret to be kept is refused.
   */
  readonly encryptionKey?: string | undefined;
}

const { knex: _knex, posture: _posture, ...databaseOptions } = storeOptionsSchema.shape;

const proxySchema = z.string().superRefine((text, context) => {
  const problem = proxyProblem(text);
  if (problem) context.addIssue({ code: 'custom', message: problem });
});

/** As {@link HostConfig.trustedProxies}. */
export const trustedProxiesSchema = z.array(proxySchema).max(100);

const schema = z.strictObject({
  database: z.strictObject(databaseOptions).partial().optional(),
  host: z.string().min(1).optional(),
  port: z.int().min(0).max(65_535).optional(),
  trustedProxies: trustedProxiesSchema.optional(),
  posture: z.enum(['single', 'group', 'isolated']).optional(),
  logLevel: z.enum(LOG_LEVELS).optional(),
  channels: z.array(z.custom<NotificationChannel>(isChannel, 'a channel: an object with an id and a send function')).optional(),
  messaging: z.record(z.string(), z.unknown()).optional(),
  queue: z.record(z.string(), z.unknown()).optional(),
  reaper: z.record(z.string(), z.unknown()).optional(),
  switchboard: z.record(z.string(), z.unknown()).optional(),
  outbound: outboundPolicySchema.partial().optional(),
  plugins: z.array(z.custom<KernelPlugin>(isPlugin, 'a plugin: an object with a name, as a plugin factory returns it')).optional(),
});

/** Gives a config file its types. Returns its argument. */
export function defineConfig(config: HostConfig): HostConfig {
  return config;
}

/**
 * @param source what the value comes from, for the message: the file's name.
 * @throws BellhopError `PLUGIN_OPTIONS`: names the source, the path, what was given and what is allowed.
 */
export function checkHostConfig(source: string, given: unknown): HostConfig {
  refuseEncryptionKey(source, given);
  parseOptions(source, schema, given);
  // The value as it was given, not as parsed: the defaults of the plugins' options are theirs to fill in.
  const config = given as HostConfig;
  checkMessaging(source, config.messaging);
  checkPlugin('service-queue', `${source}: queue`, () => queuePlugin(config.queue));
  checkPlugin('reaper', `${source}: reaper`, () => reaperPlugin(config.reaper));
  checkSwitchboard(source, config.switchboard);
  return config;
}

/** As {@link checkHostConfig}, for what an application gives. */
export function checkHostOptions(given: HostOptions): HostOptions {
  const { apiKey, encryptionKey, ...config } = given;
  // A key that no Authorization header can carry would lock everybody out.
  if (apiKey !== undefined && !/^[\x21-\x7e]{1,255}$/.test(apiKey)) {
    throw new BellhopError('CONFIG', 'The root key (BELLHOP_API_KEY) must be 1 to 255 printable ASCII characters without spaces.');
  }
  checkHostConfig('host', config);
  checkEncryptionKey(encryptionKey);
  return given;
}

/** A file is copied, shown and committed; the key that opens every stored secret must not be in one. */
function refuseEncryptionKey(source: string, given: unknown): void {
  const { switchboard } = (given ?? {}) as { switchboard?: unknown };
  for (const [place, value] of [
    ['encryptionKey', given],
    ['switchboard.encryptionKey', switchboard],
  ] as const) {
    if (typeof value !== 'object' || value === null || !('encryptionKey' in value)) continue;
    throw new BellhopError(
      'PLUGIN_OPTIONS',
      `${source}: ${place}: the encryption key is not kept in a config. Set BELLHOP_ENCRYPTION_KEY.`,
    );
  }
}

/** @throws BellhopError `CONFIG` for what is no key: a host with it would refuse every secret only once it is asked for one. */
export function checkEncryptionKey(key: string | undefined): void {
  try {
    SecretSealer.fromKey(key);
  } catch (error) {
    throw new BellhopError('CONFIG', `BELLHOP_ENCRYPTION_KEY: ${errorMessage(error)}`, { cause: error });
  }
}

/** As {@link checkMessaging}: `outbound` is given beside `switchboard`, not in it. */
function checkSwitchboard(source: string, options: HostConfig['switchboard']): void {
  if (options && 'outbound' in options) {
    throw new BellhopError('PLUGIN_OPTIONS', `${source}: unknown option switchboard.outbound; it is given beside it, as \`outbound\``);
  }
  checkPlugin('switchboard', `${source}: switchboard`, () => switchboardPlugin(options));
}

/** The plugin knows its own options; making one starts nothing. */
function checkMessaging(source: string, options: HostConfig['messaging']): void {
  if (options && 'channels' in options) {
    throw new BellhopError('PLUGIN_OPTIONS', `${source}: unknown option messaging.channels; channels are given beside it, as \`channels\``);
  }
  try {
    messagingPlugin(options);
  } catch (error) {
    const text = errorMessage(error)
      .replace(/^service-messaging: /, `${source}: messaging: `)
      // The plugin's own, and the last it lists; here they are given beside `messaging`.
      .replaceAll(/(?<=allowed: outbox, [^|]*), channels(?= \||$)/g, '');
    throw new BellhopError('PLUGIN_OPTIONS', text, { cause: error });
  }
}

/** As {@link checkMessaging}, for a plugin whose options are all its own. @param place where they are given. */
function checkPlugin(name: string, place: string, make: () => unknown): void {
  try {
    make();
  } catch (error) {
    const text = errorMessage(error);
    throw new BellhopError('PLUGIN_OPTIONS', text.startsWith(`${name}: `) ? `${place}: ${text.slice(name.length + 2)}` : text, {
      cause: error,
    });
  }
}

function isChannel(value: unknown): boolean {
  const { id, send } = (value ?? {}) as Partial<NotificationChannel>;
  return typeof id === 'string' && typeof send === 'function';
}

function isPlugin(value: unknown): boolean {
  return typeof value === 'object' && value !== null && typeof (value as Partial<KernelPlugin>).name === 'string';
}
