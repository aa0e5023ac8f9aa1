#!/usr/bin/env node
// The installed command. Not the build itself: a package manager links it in a checkout before anything is built, and warns of a missing file.
import { existsSync } from 'node:fs';

const program = new URL('../dist/bin.js', import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write('bellhop: this checkout is not built. Run `npm run build`, or run the source: npm run -s bellhop -- <command>\n');
  process.exitCode = 1;
}
