// Runs a gate's cases and holds each against the exit code it must give. A gate whose self-test fails has said nothing.
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT, type ExitCode } from './exit-codes.js';
import type { Gate, SelfTestCase } from './gate.js';
import type { Repository } from './repository.js';

export interface SelfTestRun {
  readonly checkout: Repository;
  readonly print: (line: string) => void;
  /** Runs the gate over a repository, as its command line would. */
  readonly runGate: (root: string, args: readonly string[], print: (line: string) => void) => Promise<ExitCode>;
}

export async function selfTest(gate: Gate, run: SelfTestRun): Promise<ExitCode> {
  const { print } = run;
  const blind = oneSided(gate.selfTest);
  if (blind !== undefined) {
    print(`${gate.name}: the self-test ${blind}; add a case to scripts/gates/${gate.name}.ts`);
    return EXIT.findings;
  }
  let failed = 0;
  for (const each of gate.selfTest) {
    const problem = await runCase(gate, each, run);
    print(`  ${problem === undefined ? 'ok    ' : 'FAILED'} ${each.name} (exit ${each.expect})`);
    if (problem !== undefined) {
      failed += 1;
      print(problem.replaceAll(/^/gm, '         '));
    }
  }
  const count = gate.selfTest.length;
  print(`${gate.name}: self-test, ${count - failed} of ${count} cases as they must be`);
  return failed === 0 ? EXIT.ok : EXIT.findings;
}

/** What is missing from cases that look in one direction only: a gate that never goes red, or always does, would pass them. */
export function oneSided(cases: readonly Pick<SelfTestCase, 'expect'>[]): string | undefined {
  if (!cases.some(({ expect }) => expect === EXIT.findings)) return 'shows no case that goes red';
  if (!cases.some(({ expect }) => expect === EXIT.ok)) return 'shows no case that stays green';
  return undefined;
}

async function runCase(gate: Gate, each: SelfTestCase, { checkout, print, runGate }: SelfTestRun): Promise<string | undefined> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `gate-${gate.name}-`)));
  try {
    const { code, output } = await each.run({
      checkout,
      folder,
      print: (line) => print(`         ${line}`),
      runGate: async (root, args = []) => {
        const lines: string[] = [];
        const code = await runGate(root, args, (line) => lines.push(line));
        return { code, output: lines.join('\n') };
      },
    });
    return code === each.expect ? undefined : `expected exit ${each.expect}, got ${code}:\n${output}`;
  } catch (error) {
    return `threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
