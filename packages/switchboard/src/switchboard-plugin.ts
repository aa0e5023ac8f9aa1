import { BOARD, BOARD_WAKES, type MigratingPlugin, REAPER_DUTY, STORE } from '@bellhop/contracts';
import { type PluginContext, parseOptions } from '@bellhop/kernel';
import { SecretSealer } from '@bellhop/outbound';
import { REAPER } from '@bellhop/reaper';
import { type AssembledBoard, assembleBoard } from './assemble-board.js';
import { boardDuties } from './duties/board-duties.js';
import { boardMigrations } from './migrations/board-migrations.js';
import { type SwitchboardPluginOptions, switchboardOptionsSchema } from './switchboard-options.js';
import { DOORBELL, NOTIFY_DISPATCHER } from './switchboard-tokens.js';

/**
 * The plugin `switchboard`: binds `BOARD` and `BOARD_WAKES`, migrates the board's tables, and adds its duties to the reaper. All of them are there
 * once it has started.
 *
 * @throws BellhopError `PLUGIN_OPTIONS` at once, for options that are not allowed; `ENCRYPTION_KEY` for a key that is none.
 */
export function switchboardPlugin(given: SwitchboardPluginOptions = {}): MigratingPlugin {
  const options = parseOptions('switchboard', switchboardOptionsSchema, given);
  // A key that cannot be used is told before anything is built on it.
  SecretSealer.fromKey(options.encryptionKey);
  let assembled: AssembledBoard | undefined;
  let swept = false;
  const started = (): AssembledBoard => {
    if (assembled) return assembled;
    throw new Error('The board is there once switchboard has started: put "switchboard" into `requires`.');
  };
  return {
    name: 'switchboard',
    requires: ['store'],
    migrations: [boardMigrations],
    init({ container }) {
      container.bindFactory(BOARD, () => started().board);
      container.bindFactory(BOARD_WAKES, () => started().wakes);
      container.bindFactory(DOORBELL, () => started().doorbell);
      container.bindFactory(NOTIFY_DISPATCHER, () => started().dispatcher);
      const keep = { eventsMs: options.keepEventsMs, todosMs: options.keepTodosMs };
      for (const duty of boardDuties(keep, () => started().duties)) container.add(REAPER_DUTY, duty);
    },
    async start(ctx) {
      swept = ctx.container.isBound(REAPER);
      assembled = await assemble(ctx, options);
      assembled.start();
    },
    async stop() {
      await assembled?.stop();
    },
    health() {
      if (!assembled) return { status: 'failing', reason: 'not started' };
      const details = { sessions: assembled.doorbell.counters().sessions, hooks: assembled.wakes.hooksOn };
      if (swept) return { status: 'ok', details };
      return {
        status: 'degraded',
        reason: 'no reaper is loaded: leases that lapse wait for a claim, and nothing is swept. Load reaperPlugin',
        details,
      };
    },
  };
}

async function assemble({ container, clock, random, logger }: PluginContext, options: SwitchboardPluginOptions): Promise<AssembledBoard> {
  const store = container.resolve(STORE);
  await store.migrate(boardMigrations);
  const { encryptionKey, outbound, maxNotifyHooks } = options;
  return assembleBoard({ store, encryptionKey, outbound, maxNotifyHooks, clock, random, logger });
}
