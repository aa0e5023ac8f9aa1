import { KernelError } from './kernel-error.js';
import type { KernelPlugin } from './plugin.js';

const NAME = /^[A-Za-z0-9@][A-Za-z0-9@/._-]{0,99}$/;

/**
 * Checks what `kernel.use()` was given, which a plugin written in JavaScript, or a factory that nobody awaited, can get wrong.
 *
 * @throws KernelError `INVALID_INPUT`, naming the member, what it is and what it must be.
 */
export function checkPluginShape(plugin: KernelPlugin): void {
  const given: unknown = plugin;
  if (typeof given === 'function') {
    throw refused('a plugin', 'a function', `an object with a name. Call the factory: \`${given.name || 'plugin'}()\``);
  }
  if (typeof given !== 'object' || given === null || given instanceof Promise) {
    throw refused('a plugin', given instanceof Promise ? 'a Promise' : given === null ? 'null' : typeof given, 'an object with a name');
  }
  if (typeof plugin.name !== 'string' || !NAME.test(plugin.name)) {
    throw refused('a plugin whose name', JSON.stringify(plugin.name) ?? 'undefined', 'a text of 1 to 100 letters, digits and @ / . _ -');
  }
  for (const member of ['requires', 'after'] as const) {
    const names: unknown = plugin[member];
    if (names !== undefined && !(Array.isArray(names) && names.every((name) => typeof name === 'string'))) {
      throw refused(`plugin "${plugin.name}" whose ${member}`, JSON.stringify(names) ?? typeof names, 'an array of plugin names');
    }
  }
  for (const member of ['init', 'start', 'stop', 'health'] as const) {
    const step: unknown = plugin[member];
    if (step !== undefined && typeof step !== 'function') {
      throw refused(`plugin "${plugin.name}" whose ${member}`, typeof step, 'a function');
    }
  }
}

function refused(what: string, given: string, allowed: string): KernelError {
  return new KernelError('INVALID_INPUT', `kernel.use() was given ${what} is ${given}; it must be ${allowed}.`);
}
