import { BellhopError, systemClock } from '@bellhop/kernel';
import { openStore } from '@bellhop/store';
import { type Flags, readSettings, type Settings } from '../config/settings.js';
import { DEFAULT_HOST, DEFAULT_PORT } from '../host.js';
import { hostPlugins, storeOptions } from '../plugins.js';
import { checkChannels } from './doctor/channel-check.js';
import { checkKeys, checkSchema, checkServer, checkWrite } from './doctor/database-checks.js';
import { databaseFileMissing } from './doctor/database-file.js';
import { type Finding, fail, finding, ok } from './doctor/finding.js';
import { checkNode, checkPort } from './doctor/machine-checks.js';

/** `bellhop doctor`: looks at everything a start needs and changes nothing. Exit code 1 when a check failed. */
export async function runDoctor(flags: Flags): Promise<void> {
  const findings = [checkNode(process.versions.node), ...(await configured(flags))];
  process.stdout.write(findings.map(({ state, check, text }) => `${state.padEnd(4)}  ${check.padEnd(9)} ${text}\n`).join(''));
  if (findings.some(({ state }) => state === 'FAIL')) process.exitCode = 1;
}

async function configured(flags: Flags): Promise<Finding[]> {
  let settings: Settings;
  try {
    settings = await readSettings(flags, process.env, process.cwd());
    hostPlugins(settings.options);
  } catch (error) {
    if (!(error instanceof BellhopError)) throw error;
    return [fail('config', error)];
  }
  const { configFile, options } = settings;
  return [
    ok('config', configFile === undefined ? 'no file: environment and defaults' : configFile),
    ...(await database(settings)),
    await finding('port', () => checkPort(options.host ?? DEFAULT_HOST, options.port ?? DEFAULT_PORT)),
  ];
}

async function database({ databaseUrl, options }: Settings): Promise<Finding[]> {
  // Opening it would create it.
  const missing = databaseFileMissing(databaseUrl);
  if (missing) return [missing];
  try {
    const store = await openStore(storeOptions(options), { clock: systemClock });
    try {
      return [
        await finding('database', () => checkServer(store, databaseUrl)),
        await finding('schema', () =>
          checkSchema(
            store,
            hostPlugins(options).flatMap(({ migrations = [] }) => migrations),
          ),
        ),
        await finding('keys', () => checkKeys(store, options.apiKey)),
        await finding('channels', () => checkChannels(store, options)),
        await finding('write', () => checkWrite(store)),
      ];
    } finally {
      await store.close();
    }
  } catch (error) {
    return [fail('database', error)];
  }
}
