import { STORE, type Store } from '@bellhop/contracts';
import type { KernelPlugin, PluginHealth } from '@bellhop/kernel';
import { checkStoreOptions, createStore } from './open-store.js';
import type { SqlStore } from './sql-store.js';
import type { StoreOptions } from './store-options.js';

/** An offset worth telling an operator about. */
const NOTABLE_OFFSET_MS = 1_000;

/**
 * The plugin `store`: opens the database before anything else starts, binds `STORE`, closes it last.
 *
 * @throws BellhopError `PLUGIN_OPTIONS`, `STORE_URL` at once; `STORE_UNREADABLE`, `STORE_UNAVAILABLE` at start.
 */
export function storePlugin(options: StoreOptions): KernelPlugin {
  checkStoreOptions(options);
  let store: SqlStore | undefined;
  return {
    name: 'store',
    async init(ctx) {
      const opening = createStore(options, { clock: ctx.clock, logger: ctx.logger });
      // The deployment's own store wins; then there is nothing to open here.
      if (!ctx.container.bind<Store>(STORE, opening)) return;
      store = opening;
      // Opened in init, so that every plugin finds its tables' database ready when it starts.
      await store.open();
    },
    async stop() {
      await store?.close();
    },
    async health(): Promise<PluginHealth> {
      if (!store) return { status: 'ok', details: { bound: 'by the deployment' } };
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
