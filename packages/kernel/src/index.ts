export { CLOCK, type Clock, RANDOM, type Random, type Timer } from './clock.js';
export { BellhopError, ERROR_CODES, type ErrorCode, errorMessage, InputError, StoreError } from './errors.js';
export { LOGGER, type LogFields, type Logger, silentLogger } from './logger.js';
export type { Container, HealthStatus, KernelPlugin, PluginContext, PluginHealth } from './plugin.js';
export { systemClock, systemRandom } from './system-clock.js';
export { type Token, token, tokenName } from './token.js';
export { parseOptions } from './plugin-options.js';
