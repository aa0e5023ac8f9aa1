// Which gates a change can turn red. A gate's own sources count as much as what it watches: a broken gate passes everything.
import type { Gate } from './gate.js';

/** The commands to run for these paths, renamed files under both of their names. */
export function derivedCommands(gates: readonly Gate[], paths: readonly string[]): string[] {
  return gates.filter((gate) => paths.some((path) => concerns(gate, path))).map(({ name }) => `pnpm gate ${name}`);
}

function concerns({ name, watches }: Gate, path: string): boolean {
  return (
    path === `scripts/gates/${name}.ts` ||
    path.startsWith(`scripts/gates/${name}/`) ||
    path.startsWith('scripts/gates/framework/') ||
    watches.some((pattern) => pattern.test(path))
  );
}
