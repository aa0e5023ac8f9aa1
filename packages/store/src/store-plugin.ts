import { STORE } from '@bellhop/contracts';
import type { KernelPlugin, PluginHealth } from '@bellhop/kernel';
import { createStore } from './open-store.js';
import type { SqlStore } from './sql-store.js';
import type { StoreOptions } from './store-options.js';

/** An offset worth telling an operator about. */
const NOTABLE_OFFSET_MS = 1_000;

/**
 * The plugin `store`: opens the database before anything else starts, binds `STORE`, closes it last.
 *
 * @throws BellhopError at start: `PLUGIN_OPTIONS`, `STORE_URL`, `STORE_UNREADABLE`, `STORE_UNAVAILABLE`.
 */
export function storePlugin(options: StoreOptions): KernelPlugin {
  let store: SqlStore | undefined;
  return {
    name: 'store',
    async init(ctx) {
      store = createStore(options, { clock: ctx.clock, logger: ctx.logger });
      // Opened in init, so that every plugin finds its tables' database ready when it starts.
      await store.open();
      ctx.container.bind(STORE, store);
    },
    async stop() {
      await store?.close();
    },
    async health(): Promise<PluginHealth> {
      if (!store) return { status: 'failing', reason: 'not open' };
      const { reachable, durable, clockOffsetMs, reason } = await store.health();
      const details = { dialect: store.dialect, durable, ...(clockOffsetMs === undefined ? {} : { clockOffsetMs }) };
      if (!reachable) return { status: 'failing', reason: reason ?? 'the database cannot be reached', details };
      if (clockOffsetMs !== undefined && Math.abs(clockOffsetMs) > NOTABLE_OFFSET_MS) {
        return {
          status: 'degraded',
          reason: `this machine's clock differs from the database server's by ${-clockOffsetMs} ms; the server's time is used`,
          details,
        };
      }
      return { status: 'ok', details };
    },
  };
}
