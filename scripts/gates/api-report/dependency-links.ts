// What a package imports, found from a folder elsewhere: links to the installed packages of npm, and to where the workspace's own packages lie there.
import { existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { NotMeasuredError } from '../framework/refusals.js';
import type { WorkspacePackage } from './workspace-packages.js';

export interface LinkOptions {
  /** The checkout in which the packages are installed. */
  readonly root: string;
  /** Where `to` holds the same packages by their folders. */
  readonly to: string;
  readonly packages: readonly WorkspacePackage[];
}

/** Links what each package declares into its `node_modules` below `to`. Throws `NotMeasuredError` where something is not installed. */
export function linkDependencies({ root, to, packages }: LinkOptions): void {
  const own = new Map(packages.map(({ name, folder }) => [name, join(to, folder)]));
  for (const { folder, dependencies } of packages) {
    for (const [name, need] of dependencies) {
      const installed = join(root, 'packages', folder, 'node_modules', name);
      if (!own.has(name) && !existsSync(installed)) {
        if (need === 'optional') continue;
        throw new NotMeasuredError(`${name}, which packages/${folder} needs, is not installed. Run node scripts/bootstrap.mjs install.`);
      }
      const link = join(to, folder, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(own.get(name) ?? realpathSync(installed), link);
    }
  }
}
