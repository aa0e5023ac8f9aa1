// Every name that a changed file may have put into a page. A file of which nothing can be read here has no anchor, and the report says so.
import { lineOf } from '../framework/finding.js';
import type { Declaration } from './declaration.js';
import { exportedDeclarations } from './exported-declarations.js';
import { outerNames } from './outer-names.js';
import { parseSource } from './syntax.js';

/** Sources of packages; tests and fixtures are read by nobody who reads pages. */
export function isSource(path: string): boolean {
  return /^packages\/[^/]+\/(?:src|bin)\/.*\.[cm]?[jt]sx?$/.test(path) && !isTest(path);
}

export function isTest(path: string): boolean {
  return /\.(?:test|fixture)\.[cm]?[jt]sx?$|(?:^|\/)__[a-z]+__\//.test(path);
}

/** Whether a file can hold a name that a page would say. */
export function isRead(path: string): boolean {
  return path === 'package.json' || isSource(path);
}

/** None for a file that is not read. Throws for one that cannot be parsed. */
export function declarationsOf(path: string, text: string): Declaration[] {
  if (!isRead(path) || text === '') return [];
  if (path === 'package.json') return scriptsOf(path, text);
  const source = parseSource(path, text);
  return [...exportedDeclarations(source), ...outerNames(source)];
}

/** The scripts of the workspace, which pages tell the reader to run. */
function scriptsOf(path: string, text: string): Declaration[] {
  const { scripts = {} } = JSON.parse(text) as { scripts?: Record<string, string> };
  return Object.entries(scripts).map(([name, print]) => ({
    name: `npm run ${name}`,
    kind: 'a script of package.json',
    path,
    line: lineOf(text, Math.max(0, text.indexOf(`"${name}":`))),
    print,
  }));
}
