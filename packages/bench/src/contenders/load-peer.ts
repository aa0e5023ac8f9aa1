import { createRequire } from 'node:module';
import { versionOf } from '../machine.js';

const require = createRequire(import.meta.url);

/**
 * A package that only benchmarks run on. It is looked for when it is asked for: a benchmark of ours alone runs without any of them.
 *
 * @throws Error that names the package and how to install it.
 */
export async function loadPeer<Module>(name: string): Promise<Module> {
  try {
    return (await import(name)) as Module;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The peer "${name}" cannot be loaded on Node ${process.versions.node}: ${reason} It is a development dependency of packages/bench: ` +
        'install with `node scripts/bootstrap.mjs install`, or leave it out with `--peer none`.',
      { cause: error },
    );
  }
}

/** `not installed` where it is not. */
export function peerVersion(name: string): string {
  try {
    return versionOf(require.resolve(name), name);
  } catch {
    return 'not installed';
  }
}
