// `pnpm gate <name> [options]`: runs one gate over this checkout, or its self-test.
import { join } from 'node:path';
import { EXIT } from './framework/exit-codes.js';
import { GATE_NAMES, isGateName, loadGate } from './framework/gates.js';
import { runGate } from './framework/run-gate.js';

// Node ends with 1 on what nobody caught, which would read as findings. A gate that crashed has none: it did not run.
process.on('uncaughtException', (error) => {
  console.error(error);
  process.exit(70);
});

const [name = '', ...args] = process.argv.slice(2);
if (!isGateName(name)) {
  console.error(
    `pnpm gate ${JSON.stringify(name)}: there is no such gate. Give one of: ${GATE_NAMES.join(', ')}. pnpm check runs them all.`,
  );
  process.exitCode = EXIT.usage;
} else {
  const root = join(import.meta.dirname, '../..');
  process.exitCode = await runGate(await loadGate(name), { root, args, print: (line) => console.log(line) });
}
