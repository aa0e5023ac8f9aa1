// What the repositories of the changeset gates' self-tests are made of.
import type { Files } from '../framework/temporary-repository.js';

/** A package with one source file. */
export function packageFiles(name: string, manifest: Readonly<Record<string, unknown>> = {}): Files {
  return {
    [`packages/${name}/package.json`]: manifestText(name, manifest),
    [`packages/${name}/src/index.ts`]: `export const ${name} = 'first';\n`,
  };
}

export function manifestText(name: string, manifest: Readonly<Record<string, unknown>> = {}): string {
  return `${JSON.stringify({ name: `@bellhop/${name}`, version: '1.4.2', files: ['dist'], ...manifest }, null, 2)}\n`;
}

/** A changeset: `changeset({ store: 'minor' }, 'A line.')`. */
export function changeset(bumps: Readonly<Record<string, string>>, summary = 'Something that whoever upgrades should know.'): string {
  const front = Object.entries(bumps).map(([name, bump]) => `'@bellhop/${name}': ${bump}\n`);
  return `---\n${front.join('')}---\n\n${summary}\n`;
}
