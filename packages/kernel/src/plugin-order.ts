/**
 * The order plugins start in: topological by `requires` and `after`, otherwise as they were registered, so that the same list always
 * gives the same order. Stopping is this order reversed.
 */
import { KernelError } from './kernel-error.js';
import type { KernelPlugin } from './plugin.js';

/**
 * @throws KernelError `PLUGIN_MISSING`, naming every requirement that is not loaded; `PLUGIN_CYCLE`, with the circle as a path.
 */
export function orderPlugins(plugins: readonly KernelPlugin[]): KernelPlugin[] {
  const byName = new Map(plugins.map((plugin) => [plugin.name, plugin]));
  refuseMissing(plugins, byName);

  const ordered = new Set<KernelPlugin>();
  const path: KernelPlugin[] = [];
  const visit = (plugin: KernelPlugin): void => {
    if (ordered.has(plugin)) return;
    if (path.includes(plugin)) throw cycleError([...path.slice(path.indexOf(plugin)), plugin]);
    path.push(plugin);
    for (const name of [...(plugin.requires ?? []), ...(plugin.after ?? [])]) {
      const earlier = byName.get(name);
      if (earlier) visit(earlier);
    }
    path.pop();
    ordered.add(plugin);
  };
  for (const plugin of plugins) visit(plugin);
  return [...ordered];
}

function refuseMissing(plugins: readonly KernelPlugin[], byName: ReadonlyMap<string, KernelPlugin>): void {
  const missing = plugins.flatMap(({ name, requires = [] }) => {
    const absent = requires.filter((required) => !byName.has(required));
    return absent.length === 0 ? [] : [`${name} requires ${absent.join(', ')}`];
  });
  if (missing.length === 0) return;
  throw new KernelError(
    'PLUGIN_MISSING',
    `Plugins require others that are not loaded: ${missing.join('; ')}. Loaded: ${[...byName.keys()].join(', ')}. Add the missing ones with kernel.use().`,
  );
}

function cycleError(circle: readonly KernelPlugin[]): KernelError {
  const path = circle.map(({ name }) => name).join(' → ');
  return new KernelError(
    'PLUGIN_CYCLE',
    `Plugins wait for one another in a circle: ${path} (each names the next in requires or after). Remove one of these links.`,
  );
}
