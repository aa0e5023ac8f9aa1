import { BellhopError, type ErrorCode } from './errors.js';

/** A step of a plugin's life. `ready` is the work it registered with `onReady`. */
export type PluginStep = 'init' | 'start' | 'ready' | 'stop';

/**
 * What the kernel's lifecycle throws. The first error is the one thrown; what went wrong after it, while plugins were being stopped, is
 * in `errors`, so that a noisy teardown never hides the reason for it. `cause` is what the plugin itself threw.
 */
export class KernelError extends BellhopError {
  override readonly name = 'KernelError';
  /** The plugin that failed, when it was one. */
  readonly plugin: string | undefined;
  readonly step: PluginStep | undefined;
  /** Errors that followed this one, in order; empty when it was the only one. */
  readonly errors: readonly KernelError[];

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; plugin?: string; step?: PluginStep; errors?: readonly KernelError[] } = {},
  ) {
    super(code, message, 'cause' in options ? { cause: options.cause } : undefined);
    this.plugin = options.plugin;
    this.step = options.step;
    this.errors = options.errors ?? [];
  }

  /** The same error, followed by others. */
  followedBy(errors: readonly KernelError[]): KernelError {
    if (errors.length === 0) return this;
    const { code, message, plugin, step, stack } = this;
    const followed = new KernelError(code, message, {
      ...('cause' in this ? { cause: this.cause } : {}),
      ...(plugin === undefined ? {} : { plugin }),
      ...(step === undefined ? {} : { step }),
      errors: [...this.errors, ...errors],
    });
    if (stack !== undefined) followed.stack = stack;
    return followed;
  }
}
