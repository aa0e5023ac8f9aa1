import { z } from 'zod';
import type { Clock, Random } from './clock.js';
import { createConsoleLogger } from './console-logger.js';
import type { Logger } from './logger.js';
import { parseOptions } from './plugin-options.js';
import { systemClock, systemRandom } from './system-clock.js';

/** Options of {@link Kernel}. What is bound with `kernel.bind` to `LOGGER`, `CLOCK` or `RANDOM` wins over the option of that name. */
export interface KernelOptions {
  /** Appears in log lines, so that two kernels in one process can be told apart. 1 to 100 characters, default `bellhop`. */
  readonly name?: string | undefined;
  /** Default: warnings and errors on standard error. A pino logger fits; `silentLogger` drops everything. */
  readonly logger?: Logger | undefined;
  /** Default the machine's clock. */
  readonly clock?: Clock | undefined;
  /** Default `Math.random`. */
  readonly random?: Random | undefined;
  /** Milliseconds one step (init, start, ready) of one plugin may take. 1 to 2 147 483 647, default 30 000: a slow migration fits. */
  readonly stepTimeoutMs?: number | undefined;
  /**
   * Milliseconds one plugin's stop may take. 1 to 2 147 483 647, default 10 000. A plugin whose step still runs when it is to be stopped is
   * given as long again, before its stop, for that step to settle.
   */
  readonly stopTimeoutMs?: number | undefined;
}

function hasMethods(...names: readonly string[]): (value: unknown) => boolean {
  return (value) =>
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    names.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');
}

const timeoutMs = z.int().min(1).max(2_147_483_647);

const kernelOptionsSchema = z.strictObject({
  name: z.string().min(1).max(100).default('bellhop'),
  logger: z
    .custom<Logger>(hasMethods('debug', 'info', 'warn', 'error', 'child'), 'a Logger: debug, info, warn, error and child')
    .default(() => createConsoleLogger()),
  clock: z.custom<Clock>(hasMethods('now', 'monotonic', 'setTimeout'), 'a Clock: now, monotonic and setTimeout').default(systemClock),
  random: z
    .custom<Random>((value) => typeof value === 'function', 'a function that returns a number in [0, 1)')
    .default(() => systemRandom),
  stepTimeoutMs: timeoutMs.default(30_000),
  stopTimeoutMs: timeoutMs.default(10_000),
});

export type CheckedKernelOptions = z.output<typeof kernelOptionsSchema>;

/** @throws BellhopError `PLUGIN_OPTIONS`. */
export function checkKernelOptions(given: KernelOptions): CheckedKernelOptions {
  return parseOptions('kernel', kernelOptionsSchema, given);
}
