import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { redactUrl } from '@bellhop/store';
import type { Flags } from '../config/settings.js';

/**
 * How the user runs this very program, to be pasted into any shell of theirs: the checkout's script, `npx bellhop` where it is installed, or
 * the whole of it.
 *
 * @param folder the working folder. npm runs a script in the folder of its package.json, whichever subfolder it is called from: that names the
 * same relative paths only when this process runs there too.
 * @param module where this program is; tests give another.
 */
export function selfCommand(folder = process.cwd(), module = import.meta.url): string {
  const source = module.endsWith('.ts');
  const program = fileURLToPath(new URL(source ? '../bin.ts' : '../../bin/bellhop.js', module));
  if (source) {
    const checkout = fileURLToPath(new URL('../../../../', module));
    if (resolve(folder) === resolve(checkout)) return 'npm run -s bellhop --';
    return `node --conditions=bellhop-source --import ${quoted(import.meta.resolve('tsx'))} ${quoted(program)}`;
  }
  return isInstalled(resolve(folder)) ? 'npx bellhop' : `node ${quoted(program)}`;
}

/** npx looks for a command as Node does for a package: in the folder and in all above it. */
function isInstalled(folder: string): boolean {
  if (existsSync(join(folder, 'node_modules/.bin/bellhop'))) return true;
  return dirname(folder) !== folder && isInstalled(dirname(folder));
}

/** The flags that make another command see the same database. A URL with a password stays out of what is printed. */
export function sameDatabaseFlags({ config, databaseUrl }: Flags): string {
  const shown = databaseUrl === undefined ? undefined : redactUrl(databaseUrl) === databaseUrl ? databaseUrl : '<the same URL>';
  return [
    ...(config === undefined ? [] : [` --config ${quoted(config)}`]),
    ...(shown === undefined ? [] : [` --database-url ${quoted(shown)}`]),
  ].join('');
}

/** As a shell takes it for one word. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
