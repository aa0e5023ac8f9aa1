// Cycles of files within a package: files that load one another have no order in which they can be understood, and one of them runs before what it
// imports is there. Types are left out (they are gone when the code runs), and so is `import()`, which is how a file may name what loads it.
import type { Finding } from '../framework/finding.js';
import { targetOf, type Workspace } from './workspace.js';

/** One finding for each group of files that load one another, at the import that starts the shortest cycle through its first file. */
export function judgeCycles({ sources, files }: Workspace): Finding[] {
  const edges = new Map<string, { readonly to: string; readonly line: number }[]>();
  for (const { path, role, imports } of sources) {
    if (role !== 'product') continue;
    const targets = imports.flatMap(({ specifier, loads, line }) => {
      const to = loads && specifier?.startsWith('.') ? targetOf(path, specifier, files) : undefined;
      return to === undefined ? [] : [{ to, line }];
    });
    edges.set(path, targets);
  }

  const findings: Finding[] = [];
  const told = new Set<string>();
  for (const path of [...edges.keys()].sort()) {
    if (told.has(path)) continue;
    const cycle = cycleThrough(path, edges);
    if (cycle === undefined) continue;
    for (const each of groupOf(path, edges)) told.add(each);
    findings.push({
      file: path,
      line: edges.get(path)!.find(({ to }) => to === cycle[1])!.line,
      what: `files load one another in a circle: ${cycle.join(' → ')}`,
      mend: 'move what both need into a file of its own, or take the type alone (import type)',
    });
  }
  return findings;
}

type Edges = ReadonlyMap<string, readonly { readonly to: string; readonly line: number }[]>;

/** The shortest way from a file back to itself, both ends included. */
function cycleThrough(start: string, edges: Edges): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const { to } of edges.get(at) ?? []) {
      if (to === start) {
        const path = [start];
        for (let back = at; back !== start; back = cameFrom.get(back)!) path.unshift(back);
        return [start, ...path];
      }
      if (cameFrom.has(to)) continue;
      cameFrom.set(to, at);
      queue.push(to);
    }
  }
  return undefined;
}

/** The files that a file reaches and that reach it. */
function groupOf(start: string, edges: Edges): string[] {
  const backwards = new Map<string, { to: string; line: number }[]>();
  for (const [from, targets] of edges)
    for (const { to, line } of targets) backwards.set(to, [...(backwards.get(to) ?? []), { to: from, line }]);
  const back = reached(start, backwards);
  return [...reached(start, edges)].filter((path) => back.has(path));
}

function reached(start: string, edges: Edges): Set<string> {
  const seen = new Set([start]);
  for (const at of seen) for (const { to } of edges.get(at) ?? []) seen.add(to);
  return seen;
}
