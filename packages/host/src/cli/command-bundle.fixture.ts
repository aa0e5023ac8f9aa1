/**
 * The command line's source in one file, made anew by each test file that starts it: a process that loads some five hundred modules through a loader
 * takes more than twice as long to begin, and these tests begin a hundred. Bellhop's own modules are in it, as they are; those of others are
 * imported from where each of ours would find them.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ENTRY = fileURLToPath(new URL('../bin.fixture.ts', import.meta.url));
/** In the package, so that what the program itself looks up at run time is found from there as from its source. */
const FOLDER = fileURLToPath(new URL('../../node_modules/.bellhop-test/', import.meta.url));

let made: Promise<string> | undefined;

/** @returns the bundle's path. It goes with this process. */
export function commandBundle(): Promise<string> {
  made ??= bundle();
  return made;
}

async function bundle(): Promise<string> {
  mkdirSync(FOLDER, { recursive: true });
  const folder = mkdtempSync(join(FOLDER, 'command-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, 'bellhop.mjs');
  await build({
    entryPoints: [ENTRY],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['bellhop-source'],
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
    plugins: [ownSource],
  });
  return outfile;
}

const ownSource: Plugin = {
  name: 'own-source',
  setup({ onLoad, onResolve, resolve }) {
    onResolve({ filter: /^[^.]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === 'asked' || kind === 'entry-point' || path.startsWith('/')) return undefined;
      if (path.startsWith('node:') || path.startsWith('@bellhop/')) return undefined;
      const found = await resolve(path, { kind, resolveDir, pluginData: 'asked' });
      return { path: found.path.startsWith('/') ? pathToFileURL(found.path).href : path, external: true };
    });
    // A module knows where its source is, wherever it runs.
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
    }));
  },
};
