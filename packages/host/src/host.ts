/**
 * A kernel with its plugins, behind an HTTP API: what `bellhop start` runs, and what an application may run itself.
 *
 * Invariants: the port is bound before any work begins, and nothing is served before the kernel is ready; requests end before the kernel
 * stops; a start that fails leaves nothing running. It installs no signal handlers.
 */
import { BOARD, MESSAGING, QUEUE, STALL, STORE } from '@bellhop/contracts';
import { type Clock, Kernel, type Logger, type Random, silentLogger, systemClock } from '@bellhop/kernel';
import { JOB_PULL, type JobPull } from '@bellhop/service-queue';
import { DOORBELL } from '@bellhop/switchboard';
import { createDefaultFolder, DEFAULT_DATABASE_URL } from './config/default-database.js';
import { checkHostOptions, type HostOptions } from './config/host-config.js';
import { createApi } from './http/api.js';
import { DoorbellStreams } from './http/doorbell-streams.js';
import { HttpServer } from './http/server.js';
import { environmentRootKey } from './keys/environment-key.js';
import { KeyCheck } from './keys/key-check.js';
import { KeyStore, type MadeKey } from './keys/key-store.js';
import { registerBoardMetrics } from './metrics/board-metrics.js';
import { HostMetrics } from './metrics/host-metrics.js';
import { registerLoopMetrics } from './metrics/loop-metrics.js';
import { registerMessagingMetrics } from './metrics/messaging-metrics.js';
import { registerQueueMetrics } from './metrics/queue-metrics.js';
import { registerReaperMetrics } from './metrics/reaper-metrics.js';
import { registerStoreMetrics } from './metrics/store-metrics.js';
import { hostPlugins } from './plugins.js';

export const DEFAULT_HOST = '127.0.0.1';
export const DEFAULT_PORT = 7_070;

/** Milliseconds that requests may still take when the host stops; with what messaging gives its sends, a stop takes ten seconds at most. */
const REQUEST_DRAIN_MS = 2_000;

export interface HostPorts {
  /** Default: the machine's. */
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
  /** Default: silent. */
  readonly logger?: Logger | undefined;
}

/** Makes a host that does not run yet. @throws BellhopError `PLUGIN_OPTIONS`, `CONFIG`. */
export function createHost(options: HostOptions = {}, ports: HostPorts = {}): Host {
  return new Host(checkHostOptions(options), ports);
}

export class Host {
  /** For `bind` and `use` before the start, and `resolve` after it. */
  readonly kernel: Kernel;
  readonly #options: HostOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #server: HttpServer;
  readonly #metrics = new HostMetrics();
  #pull: JobPull | undefined;
  #doorbell: DoorbellStreams | undefined;
  #firstKey: MadeKey | null = null;
  #stopping: Promise<void> | undefined;

  constructor(options: HostOptions, { clock = systemClock, random, logger = silentLogger }: HostPorts) {
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#server = new HttpServer({ host: options.host ?? DEFAULT_HOST, port: options.port ?? DEFAULT_PORT, clock });
    this.kernel = new Kernel({ clock, random, logger });
    for (const plugin of hostPlugins(options)) this.kernel.use(plugin);
  }

  /** Where the API is: `http://127.0.0.1:7070`. Known once started. */
  get url(): string {
    return this.#server.url;
  }

  /** The root key that this start made, because the database had none and no `apiKey` of its own was given. It is told only here. */
  get firstKey(): string | null {
    return this.#firstKey?.key ?? null;
  }

  /** @throws BellhopError `PORT_IN_USE`, `CONFIG` (also for an `apiKey` that was revoked), and what `kernel.start()` throws. Nothing runs then. */
  async start(): Promise<void> {
    try {
      createDefaultFolder(this.#options.database?.url ?? DEFAULT_DATABASE_URL);
      await this.#server.listen();
      await this.kernel.start();
      await this.#open();
    } catch (error) {
      await this.stop().catch(() => {});
      // A stop that came before the start found nothing to close.
      await this.#server.close(0);
      throw error;
    }
    this.#logger.info({ url: this.url }, 'listening');
  }

  /** Ends the requests, then the kernel. Idempotent. @throws what `kernel.stop()` throws, once everything is stopped. */
  stop(): Promise<void> {
    // Who waits for jobs is answered, and who listens to the doorbell let go: the requests would last until the deadline.
    this.#pull?.close();
    this.#doorbell?.close();
    this.#stopping ??= this.#server.close(REQUEST_DRAIN_MS).then(() => this.kernel.stop());
    return this.#stopping;
  }

  async #open(): Promise<void> {
    const store = this.kernel.resolve(STORE);
    const keys = new KeyStore(store);
    const rootKey = await environmentRootKey(keys, this.#options.apiKey);
    if (rootKey === undefined) this.#firstKey = await keys.createFirst();
    registerStoreMetrics(this.#metrics.registry, store);
    this.#pull = this.kernel.resolve(JOB_PULL);
    registerLoopMetrics(this.#metrics.registry, this.kernel);
    registerMessagingMetrics(this.#metrics.registry, this.kernel);
    registerQueueMetrics(this.#metrics.registry, this.kernel);
    registerReaperMetrics(this.#metrics.registry, this.kernel);
    registerBoardMetrics(this.#metrics.registry, this.kernel);
    this.#doorbell = new DoorbellStreams({ doorbell: this.kernel.resolve(DOORBELL), clock: this.#clock, logger: this.#logger });
    this.#server.serve(
      createApi({
        messaging: this.kernel.resolve(MESSAGING),
        queues: this.kernel.resolve(QUEUE),
        pull: this.#pull,
        board: this.kernel.resolve(BOARD),
        stalls: this.kernel.resolve(STALL),
        doorbell: this.#doorbell,
        keys: new KeyCheck({ keys, rootKey, clock: this.#clock }),
        metrics: this.#metrics,
        health: () => this.kernel.health(),
        logger: this.#logger,
        clock: this.#clock,
        trustedProxies: this.#options.trustedProxies,
      }),
    );
  }
}
