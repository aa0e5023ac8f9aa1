/**
 * Takes plugins up and down: init all, start all, then ready; stop in reverse. It knows nothing of the kernel's state.
 *
 * - Whatever ends a boot (a failure, a timeout, a request to stop), everything whose init began can be torn down, in reverse order.
 * - A stop that fails never keeps another from running.
 * - An optional plugin that fails takes down those that require it, if they are optional too; otherwise the boot.
 */
import { KernelError } from './kernel-error.js';
import { LoadedPlugin, type PluginSurroundings } from './loaded-plugin.js';
import type { Logger } from './logger.js';
import type { KernelPlugin } from './plugin.js';

export class Lifecycle {
  readonly plugins: readonly LoadedPlugin[];
  private readonly logger: Logger;

  /** @param ordered in the order they start. */
  constructor(
    ordered: readonly KernelPlugin[],
    private readonly surroundings: PluginSurroundings,
  ) {
    this.plugins = ordered.map((plugin) => new LoadedPlugin(plugin, surroundings));
    this.logger = surroundings.logger;
  }

  /**
   * @param interrupt ends the boot at once, without waiting for the step that runs: the teardown gives it time to settle.
   * @throws KernelError the first failure of a plugin that is not optional, or the interrupt's reason. Nothing is torn down yet. An interrupt
   * after the last step is the caller's to see.
   */
  async boot(interrupt: AbortSignal): Promise<void> {
    const interrupted = new Promise<never>((_, reject) => {
      interrupt.addEventListener('abort', () => reject(interrupt.reason), { once: true });
    });
    // It may reject while nobody waits for it.
    interrupted.catch(() => {});
    for (const step of ['init', 'start', 'ready'] as const) {
      if (step === 'start') this.surroundings.container.seal('bindings are made in init, before the first plugin starts.');
      for (const plugin of this.plugins) {
        interrupt.throwIfAborted();
        if (plugin.failure) continue;
        await Promise.race([this.runStep(plugin, step, interrupt), interrupted]);
      }
    }
  }

  /** Aborts every signal, then stops in reverse order. Never throws. */
  async teardown(): Promise<KernelError[]> {
    for (const plugin of this.plugins) plugin.abort();
    // One that was given up during the start has been stopped then, or is being stopped; how that went is no failure of this teardown.
    const failures = await this.stopAll(this.plugins);
    return failures.filter((failure) => !this.plugins.find(({ name }) => name === failure.plugin)?.failure);
  }

  private async runStep(plugin: LoadedPlugin, step: 'init' | 'start' | 'ready', interrupt: AbortSignal): Promise<void> {
    try {
      await plugin.run(step);
    } catch (error) {
      // The teardown has it already, and is probably why it failed.
      if (interrupt.aborted) return;
      if (!plugin.plugin.optional) throw error;
      await this.dropOptional(plugin, error as KernelError);
    }
  }

  private async dropOptional(plugin: LoadedPlugin, failure: KernelError): Promise<void> {
    const dependents = this.dependentsOf(plugin);
    const needed = dependents.find((dependent) => !dependent.plugin.optional);
    if (needed) {
      throw new KernelError(
        'PLUGIN_FAILED',
        `${needed.owner} is not optional and requires ${plugin.name}, which is, and failed: ${failure.message}`,
        { cause: failure, plugin: plugin.name, ...(failure.step ? { step: failure.step } : {}) },
      );
    }
    this.logger.error({ plugin: plugin.name, step: failure.step, error: failure.message }, 'an optional plugin failed');
    plugin.giveUp(failure);
    for (const dependent of dependents) {
      const reason = new KernelError('PLUGIN_FAILED', `${dependent.owner} requires ${plugin.name}, which failed: ${failure.message}`, {
        cause: failure,
        plugin: dependent.name,
      });
      this.logger.error({ plugin: dependent.name, error: reason.message }, 'an optional plugin failed');
      dependent.giveUp(reason);
    }
    await this.stopAll([plugin, ...dependents]);
  }

  /** Those that require `plugin`, directly or through others, in start order. */
  private dependentsOf(plugin: LoadedPlugin): LoadedPlugin[] {
    const lost = new Set([plugin.name]);
    return this.plugins.filter((other) => {
      if (other.failure || !other.plugin.requires?.some((name) => lost.has(name))) return false;
      lost.add(other.name);
      return true;
    });
  }

  /** @param plugins in start order. */
  private async stopAll(plugins: readonly LoadedPlugin[]): Promise<KernelError[]> {
    const failures: KernelError[] = [];
    for (const plugin of [...plugins].reverse()) {
      const failure = await plugin.stop();
      if (!failure) continue;
      this.logger.error({ plugin: plugin.name, step: 'stop', error: failure.message }, 'a plugin failed to stop');
      failures.push(failure);
    }
    return failures;
  }
}
