import { STORE } from '@bellhop/contracts';
import { systemClock } from '@bellhop/kernel';
import { redactUrl } from '@bellhop/store';
import { type Flags, readSettings } from '../config/settings.js';
import { createHost } from '../host.js';
import { createLogger } from '../logger.js';
import { sameDatabaseFlags, selfCommand } from './self-command.js';
import { stopOnSignals } from './shutdown.js';
import { startBanner } from './start-banner.js';

/** `bellhop start`: runs until a signal ends it. @throws BellhopError when it cannot start. */
export async function runStart(flags: Flags): Promise<void> {
  const settings = await readSettings(flags, process.env, process.cwd());
  const logger = createLogger(settings.options.logLevel ?? 'info', systemClock);
  const host = createHost(settings.options, { clock: systemClock, logger });
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  let stopped = false;
  stopOnSignals({
    clock: systemClock,
    report,
    stop: (signal) => {
      stopped = true;
      logger.info({ signal }, 'stopping');
      return host.stop();
    },
  });
  try {
    await host.start();
  } catch (error) {
    // A signal during the start ends it; that is what was asked for, and the process ends with it.
    if (!stopped) throw error;
    return;
  }
  const { apiKey } = settings.options;
  process.stdout.write(
    startBanner({
      url: host.url,
      database: redactUrl(settings.databaseUrl),
      durable: host.kernel.resolve(STORE).durable,
      firstKey: host.firstKey,
      keyInEnvironment: apiKey !== undefined,
      makeKey: `${selfCommand()} keys create --root${sameDatabaseFlags(flags)}`,
    }),
  );
}
