import { readFileSync } from 'node:fs';

/** The version of this package. The manifest lies two folders up from the source and from the build alike. */
export const version: string = (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string })
  .version;
