/**
 * The plugin host. It installs no signal handlers and keeps no process alive: both are the host's.
 *
 * Invariants: a kernel starts once; after a failed or interrupted start nothing of it runs any more; `stop` is safe at any moment and as
 * often as wanted; two kernels in one process share nothing.
 */
import { CLOCK, RANDOM } from './clock.js';
import { DEPLOYMENT, KERNEL, KernelContainer } from './container.js';
import { HealthCheck, type KernelHealth, type KernelState, notStarted } from './health.js';
import { KernelError } from './kernel-error.js';
import { type CheckedKernelOptions, checkKernelOptions, type KernelOptions } from './kernel-options.js';
import { Lifecycle } from './lifecycle.js';
import { LOGGER, type Logger } from './logger.js';
import type { KernelPlugin } from './plugin.js';
import { readerOf } from './plugin-container.js';
import { orderPlugins } from './plugin-order.js';
import { checkPluginShape } from './plugin-shape.js';
import { type Token, tokenName } from './token.js';

export class Kernel {
  private readonly options: CheckedKernelOptions;
  private readonly container = new KernelContainer();
  private readonly plugins = new Map<string, KernelPlugin>();
  private readonly interrupt = new AbortController();
  private current: KernelState = 'new';
  private lifecycle: Lifecycle | undefined;
  private healthCheck: HealthCheck | undefined;
  private starting: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;
  private stopFailures: readonly KernelError[] = [];

  /** @throws BellhopError `PLUGIN_OPTIONS`. */
  constructor(options: KernelOptions = {}) {
    this.options = checkKernelOptions(options);
    const { clock, random, logger, name } = this.options;
    this.container.bind(KERNEL, CLOCK, () => clock);
    this.container.bind(KERNEL, RANDOM, () => random);
    const named = logger.child({ kernel: name });
    this.container.bind(KERNEL, LOGGER, () => named);
  }

  get state(): KernelState {
    return this.current;
  }

  /**
   * Loads a plugin.
   *
   * @throws KernelError `KERNEL_STATE` once start was called, `PLUGIN_DUPLICATE`, `INVALID_INPUT` for what is no plugin.
   */
  use(plugin: KernelPlugin): this {
    this.expectNew('kernel.use()', 'load plugins before start');
    checkPluginShape(plugin);
    if (this.plugins.has(plugin.name)) {
      throw new KernelError(
        'PLUGIN_DUPLICATE',
        `kernel.use() was given a second plugin named "${plugin.name}": each name can be loaded once.`,
        {
          plugin: plugin.name,
        },
      );
    }
    this.plugins.set(plugin.name, plugin);
    return this;
  }

  /**
   * The deployment's own choice for a token: it wins over what a plugin, or the kernel, binds by default.
   *
   * @throws BellhopError `KERNEL_STATE` once start was called, `TOKEN_BOUND` for a second binding, `INVALID_INPUT` for undefined.
   */
  bind<T>(token: Token<T>, value: T): this {
    this.expectNew(`kernel.bind(${tokenName(token)})`, 'bind before start');
    this.container.bind(DEPLOYMENT, token, readerOf(token, value));
    return this;
  }

  /**
   * Inits all plugins, starts all, then runs what they registered with `onReady`. On any failure everything whose init began is stopped
   * first, in reverse order.
   *
   * @throws KernelError `PLUGIN_MISSING`, `PLUGIN_CYCLE`, `PLUGIN_FAILED`, `PLUGIN_TIMEOUT`; `KERNEL_STATE` when it was started before, or
   * stopped meanwhile. `cause` is what the plugin threw, `errors` what failed while stopping.
   */
  async start(): Promise<void> {
    this.expectNew('kernel.start()', 'a kernel starts once; make another');
    this.current = 'starting';
    // In a turn of its own, so that a plugin that calls stop() from its first line finds the start it has to wait for.
    this.starting = Promise.resolve().then(() => this.boot());
    return this.starting;
  }

  /**
   * Stops all plugins in reverse order, each within `stopTimeoutMs`; one that fails keeps no other from stopping. May be called at any
   * time: during a start it ends that start; before one, it forbids it; after a failed one, it does nothing. All calls share one promise.
   *
   * @throws KernelError the first failure, `PLUGIN_FAILED` or `PLUGIN_TIMEOUT`, with the others in `errors`, once all are stopped.
   */
  stop(): Promise<void> {
    this.stopping ??= this.shutDown();
    return this.stopping;
  }

  /** @throws BellhopError `TOKEN_UNBOUND`, naming the token. */
  resolve<T>(token: Token<T>): T {
    return this.container.resolve(token);
  }

  /** Every value of a multi token, in the order it was added; empty when there is none. */
  resolveAll<T>(token: Token<T>): T[] {
    return this.container.resolveAll(token);
  }

  /** Asks all plugins at once, each for at most {@link HEALTH_TIMEOUT_MS}. Never throws; cheap enough for a probe every second. */
  async health(): Promise<KernelHealth> {
    return (await this.healthCheck?.run(() => this.current)) ?? notStarted([...this.plugins.keys()], this.current);
  }

  private async boot(): Promise<void> {
    try {
      await this.prepare().boot(this.interrupt.signal);
      // A stop may have come since the last step ended.
      this.interrupt.signal.throwIfAborted();
      this.current = 'ready';
    } catch (error) {
      this.current = 'stopping';
      this.stopFailures = (await this.lifecycle?.teardown()) ?? [];
      this.current = this.interrupt.signal.aborted ? 'stopped' : 'failed';
      throw error instanceof KernelError ? error.followedBy(this.stopFailures) : error;
    }
    this.logger.info({ plugins: this.plugins.size }, 'ready');
  }

  private prepare(): Lifecycle {
    const ordered = orderPlugins([...this.plugins.values()]);
    const { stepTimeoutMs, stopTimeoutMs } = this.options;
    const clock = this.resolve(CLOCK);
    const surroundings = { logger: this.logger, clock, random: this.resolve(RANDOM), stepTimeoutMs, stopTimeoutMs };
    this.lifecycle = new Lifecycle(ordered, { ...surroundings, container: this.container });
    this.healthCheck = new HealthCheck(this.lifecycle.plugins, clock);
    return this.lifecycle;
  }

  private async shutDown(): Promise<void> {
    const { state } = this;
    if (state === 'new') this.current = 'stopped';
    if (state === 'starting') {
      this.interrupt.abort(new KernelError('KERNEL_STATE', 'kernel.stop() was called before the start was done.'));
      await this.starting?.catch(() => {});
    }
    // A start that failed by itself is rolling back: it reports its own errors, to whoever started it.
    if (state === 'stopping') return this.starting?.catch(() => {});
    if (state === 'ready') {
      this.current = 'stopping';
      this.stopFailures = (await this.lifecycle?.teardown()) ?? [];
      this.current = 'stopped';
      this.logger.info({ failures: this.stopFailures.length }, 'stopped');
    }
    const [first, ...others] = state === 'failed' ? [] : this.stopFailures;
    if (first) throw first.followedBy(others);
  }

  private get logger(): Logger {
    return this.resolve(LOGGER);
  }

  private expectNew(call: string, instead: string): void {
    if (this.current === 'new') return;
    throw new KernelError('KERNEL_STATE', `${call}: the kernel is ${this.current}; ${instead}.`);
  }
}
