import type { Clock, Random } from './clock.js';
import type { Logger } from './logger.js';
import type { Token } from './token.js';

/** What a plugin sees of the kernel's container. One container per kernel; two kernels in one process never meet. */
export interface Container {
  /**
   * Binds a plugin's default. A deployment's own binding (`kernel.bind`) wins: then this call does nothing and returns false.
   *
   * @throws BellhopError `TOKEN_BOUND` when another plugin bound the token.
   */
  bind<T>(token: Token<T>, value: T): boolean;
  /** As `bind`, made on first resolve. */
  bindFactory<T>(token: Token<T>, make: () => T): boolean;
  /** Adds one of many to a multi token (`REAPER_DUTY`). */
  add<T>(token: Token<T>, value: T): void;
  /** @throws BellhopError `TOKEN_UNBOUND`, naming the token. */
  resolve<T>(token: Token<T>): T;
  /** Every value added to a multi token, in order; empty when there is none. */
  resolveAll<T>(token: Token<T>): T[];
  isBound(token: Token<unknown>): boolean;
  /** Builds a class whose every constructor parameter names its token (`@inject(TOKEN)`): nothing relies on emitted metadata. */
  construct<T>(type: new (...args: never[]) => T): T;
}

/** What a plugin is given in each step of its life. */
export interface PluginContext {
  readonly container: Container;
  /** A child logger that carries the plugin's name. */
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts when the kernel begins to stop, and when its start fails. */
  readonly signal: AbortSignal;
  /** Registers work for when every plugin has started; the kernel's start waits for it. */
  onReady(fn: () => void | Promise<void>): void;
}

export type HealthStatus = 'ok' | 'degraded' | 'failing';

export interface PluginHealth {
  readonly status: HealthStatus;
  /** Why, when not ok. */
  readonly reason?: string;
  /** Facts worth showing: `durable: false` of a memory store, the clock offset of a Postgres one. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * A plugin: made by a factory that checks its options. Steps run in topological order of `requires` and `after`; `stop` runs in reverse.
 */
export interface KernelPlugin {
  /** Unique in a kernel: `service-messaging`. */
  readonly name: string;
  /** Plugins that must be present: started before this one, stopped after it. */
  readonly requires?: readonly string[];
  /** Order only, and only where present. */
  readonly after?: readonly string[];
  /** A failure of an optional plugin is reported by health, not fatal. Default false. */
  readonly optional?: boolean;
  /** Binds services. Resolves nothing of others': they may not be bound yet. */
  init?(ctx: PluginContext): void | Promise<void>;
  /** Everything is bound: begin work. */
  start?(ctx: PluginContext): void | Promise<void>;
  /** The one teardown: called once for every plugin whose init began, also when init or start failed. */
  stop?(ctx: PluginContext): void | Promise<void>;
  health?(ctx: PluginContext): PluginHealth | Promise<PluginHealth>;
}
