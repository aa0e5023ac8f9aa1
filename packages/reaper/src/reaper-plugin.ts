import { REAPER_DUTY, STORE } from '@bellhop/contracts';
import { type KernelPlugin, parseOptions } from '@bellhop/kernel';
import { Reaper } from './reaper.js';
import { type ReaperPluginOptions, reaperOptionsSchema } from './reaper-options.js';
import { REAPER } from './reaper-token.js';

/**
 * The plugin `reaper`: runs the duties that plugins add to `REAPER_DUTY` in their init, once every plugin has started, until the kernel begins to
 * stop. It needs a store only where a duty asks in SQL.
 *
 * @throws BellhopError `PLUGIN_OPTIONS` at once, for options that are not allowed.
 */
export function reaperPlugin(given: ReaperPluginOptions = {}): KernelPlugin {
  const { reap, stopDeadlineMs: deadlineMs, ...bounds } = parseOptions('reaper', reaperOptionsSchema, given);
  let reaper: Reaper | undefined;
  return {
    name: 'reaper',
    after: ['store'],
    init({ container }) {
      container.bindFactory(REAPER, () => {
        if (reaper) return reaper;
        throw new Error('REAPER is there once the reaper has started: put "reaper" into `requires`.');
      });
    },
    start({ container, clock, random, logger, signal, onReady }) {
      const store = container.isBound(STORE) ? container.resolve(STORE) : undefined;
      const duties = container.resolveAll(REAPER_DUTY);
      const made = new Reaper({ duties, random, logger, ...bounds, clock: store?.clock ?? clock, ...(store ? { store } : {}) });
      reaper = made;
      // The plugins of the duties may stop before this one, so what runs is told to end as soon as any stops.
      signal.addEventListener('abort', () => void made.stop({ deadlineMs }));
      // A duty may ask for tables that a plugin makes in its start.
      if (reap) onReady(() => made.start());
    },
    async stop() {
      await reaper?.stop({ deadlineMs });
    },
    health: () => reaper?.health() ?? { status: 'failing', reason: 'not started' },
  };
}
