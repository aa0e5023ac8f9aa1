import { realpathSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { redactUrl } from '@bellhop/store';
import type { Flags } from '../config/settings.js';

/**
 * How the user runs this very program, to be pasted: `bellhop`, `npx bellhop` when it is installed in the folder, or the whole of it from a
 * checkout.
 */
export function selfCommand(script = process.argv[1] ?? '', folder = process.cwd()): string {
  const source = fileURLToPath(new URL('../bin.ts', import.meta.url));
  if (import.meta.url.endsWith('.ts')) return `npx tsx --conditions=bellhop-source ${quoted(relative(folder, source) || source)}`;
  return script.startsWith(`${realpathSync(folder)}${sep}node_modules${sep}`) || script.startsWith(`${folder}${sep}node_modules${sep}`)
    ? 'npx bellhop'
    : 'bellhop';
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
