/**
 * One plugin in one kernel, and how far it has come. Every step is bounded and named in its error; `stop` runs once, only for a plugin
 * whose init began, and never beside another step of the same plugin unless that step outstays its grace.
 */
import type { Clock, Random } from './clock.js';
import type { KernelContainer, Owner } from './container.js';
import { LATE, withinDeadline } from './deadline.js';
import { errorMessage } from './errors.js';
import { KernelError, type PluginStep } from './kernel-error.js';
import type { Logger } from './logger.js';
import type { KernelPlugin, PluginContext } from './plugin.js';
import { pluginContainer } from './plugin-container.js';

/** What a plugin is run with. */
export interface PluginSurroundings {
  readonly container: KernelContainer;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  readonly stepTimeoutMs: number;
  readonly stopTimeoutMs: number;
}

type Progress = 'waiting' | 'begun' | 'started' | 'stopped';

export class LoadedPlugin {
  readonly context: PluginContext;
  readonly owner: Owner;
  progress: Progress = 'waiting';
  /** Why an optional plugin is out; see {@link giveUp}. */
  failure: KernelError | undefined;
  private readonly controller = new AbortController();
  private readonly readyWork: (() => void | Promise<void>)[] = [];
  private readyBegan = false;
  /** The latest step, until it settles: a step that timed out may still run. */
  private running: Promise<void> | undefined;
  private stopping: Promise<KernelError | undefined> | undefined;

  constructor(
    readonly plugin: KernelPlugin,
    private readonly surroundings: PluginSurroundings,
  ) {
    const { container, logger, clock, random } = surroundings;
    this.owner = `plugin "${plugin.name}"`;
    this.context = {
      container: pluginContainer(container, this.owner),
      logger: logger.child({ plugin: plugin.name }),
      clock,
      random,
      signal: this.controller.signal,
      onReady: (fn) => this.onReady(fn),
    };
  }

  get name(): string {
    return this.plugin.name;
  }

  /** @throws KernelError `PLUGIN_FAILED` or `PLUGIN_TIMEOUT`. A step that timed out runs on until its signal is aborted, and heeded. */
  async run(step: 'init' | 'start' | 'ready'): Promise<void> {
    if (step === 'init') this.progress = 'begun';
    if (step === 'ready') this.readyBegan = true;
    await this.bounded(step, this.surroundings.stepTimeoutMs, 'stepTimeoutMs', () => this.work(step));
    if (step === 'start' && this.progress === 'begun') this.progress = 'started';
  }

  /** Tells the plugin to wind down, ahead of its `stop`. */
  abort(): void {
    this.controller.abort();
  }

  get aborted(): boolean {
    return this.controller.signal.aborted;
  }

  /** The teardown, once: later calls wait for the same one. Never throws: what went wrong is the answer. */
  stop(): Promise<KernelError | undefined> {
    this.stopping ??= this.tearDown();
    return this.stopping;
  }

  private async tearDown(): Promise<KernelError | undefined> {
    if (this.progress === 'waiting') return undefined;
    this.progress = 'stopped';
    this.abort();
    const { clock, stopTimeoutMs } = this.surroundings;
    if (this.running) await withinDeadline(clock, stopTimeoutMs, this.running).catch(() => {});
    try {
      await this.bounded('stop', stopTimeoutMs, 'stopTimeoutMs', () => this.plugin.stop?.(this.context));
      return undefined;
    } catch (error) {
      return error as KernelError;
    }
  }

  /** Takes the plugin out for good: what it bound is unbound. */
  giveUp(failure: KernelError): void {
    this.failure = failure;
    this.abort();
    this.surroundings.container.withdraw(this.owner, 'it failed, and its services are withdrawn.');
  }

  private async work(step: 'init' | 'start' | 'ready'): Promise<void> {
    if (step !== 'ready') return this.plugin[step]?.(this.context);
    for (const fn of this.readyWork) await fn();
  }

  private onReady(fn: () => void | Promise<void>): void {
    if (this.readyBegan) {
      throw new KernelError('KERNEL_STATE', `${this.owner} called onReady after its ready step began: call it in init or start.`);
    }
    this.readyWork.push(fn);
  }

  private async bounded(step: PluginStep, limitMs: number, option: string, work: () => void | Promise<void>): Promise<void> {
    const at = { plugin: this.name, step };
    const running = (async () => work())();
    this.running = running;
    const settled = () => {
      if (this.running === running) this.running = undefined;
    };
    running.then(settled, settled);
    const outcome = await withinDeadline(this.surroundings.clock, limitMs, running, (error) =>
      this.context.logger.warn({ step, error: errorMessage(error) }, 'a step that had timed out failed'),
    ).catch((cause: unknown) => {
      throw new KernelError('PLUGIN_FAILED', `${this.owner} failed in ${step}: ${errorMessage(cause)}`, { ...at, cause });
    });
    if (outcome === LATE) {
      throw new KernelError('PLUGIN_TIMEOUT', `${this.owner} did not finish ${step} within ${limitMs} ms (${option}).`, at);
    }
  }
}
