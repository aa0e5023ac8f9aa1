// The command line of one gate, as a function from arguments to exit code. Parsing, measuring and printing happen here, so that every gate
// answers alike.
import { parseArgs } from 'node:util';
import { type Diff, readDiff } from './diff.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { renderFinding } from './finding.js';
import type { Gate, GateContext } from './gate.js';
import { NotMeasuredError, UsageError } from './refusals.js';
import { Repository } from './repository.js';
import { selfTest } from './self-test.js';

export interface GateRun {
  readonly root: string;
  readonly args: readonly string[];
  readonly print: (line: string) => void;
  readonly environment?: NodeJS.ProcessEnv;
}

export async function runGate(gate: Gate, { root, args, print, environment = process.env }: GateRun): Promise<ExitCode> {
  try {
    const options = parseGateArgs(gate, args);
    const repository = new Repository(root);
    if (options.help) {
      print(usageOf(gate));
      return EXIT.ok;
    }
    if (options.selfTest) {
      // The base of the run that is under way is none of the cases' business.
      const ownBase = { ...environment, CI_BASE: '' };
      return await selfTest(gate, {
        checkout: repository,
        print,
        runGate: (folder, caseArgs, casePrint) => runGate(gate, { root: folder, args: caseArgs, print: casePrint, environment: ownBase }),
      });
    }

    let diff: Diff | undefined;
    const context: GateContext = {
      repository,
      print,
      given: (name) => options.switches.has(name),
      diff: () => {
        if (diff === undefined) {
          diff = readDiff(repository, { base: options.base, head: options.head, environment });
          print(`${gate.name}: the change starts at ${diff.base.said}`);
        }
        return diff;
      },
    };
    if (options.write) {
      const written = await gate.write!(context);
      for (const path of written) print(`${gate.name}: wrote ${path}`);
      if (written.length === 0) print(`${gate.name}: everything was up to date`);
    }
    const { findings, summary } = await gate.measure(context);
    for (const finding of findings) print(renderFinding(finding));
    print(`${gate.name}: ${summary}; ${findings.length === 0 ? 'nothing wrong' : `${findings.length} found`}`);
    return findings.length === 0 || (gate.advisory && !options.strict) ? EXIT.ok : EXIT.findings;
  } catch (error) {
    return refusal(gate, error, print);
  }
}

function refusal(gate: Gate, error: unknown, print: (line: string) => void): ExitCode {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) {
    print(`${gate.name}: ${message}`);
    return EXIT.usage;
  }
  if (error instanceof NotMeasuredError) {
    print(`${gate.name}: NOT MEASURED: ${message}`);
    return EXIT.notMeasured;
  }
  print(`${gate.name}: cannot be read, which is no pass: ${error instanceof Error ? (error.stack ?? message) : message}`);
  return EXIT.findings;
}

interface GateOptions {
  readonly base: string | undefined;
  readonly head: string | undefined;
  readonly selfTest: boolean;
  readonly write: boolean;
  readonly strict: boolean;
  readonly help: boolean;
  readonly switches: ReadonlySet<string>;
}

/** Throws `UsageError` on what the gate does not know. */
export function parseGateArgs(gate: Gate, args: readonly string[]): GateOptions {
  const flag = { type: 'boolean', default: false } as const;
  const own = Object.keys(gate.switches ?? {});
  let values: Record<string, string | boolean | undefined>;
  try {
    values = parseArgs({
      args: [...args],
      allowPositionals: false,
      options: {
        base: { type: 'string' },
        head: { type: 'string' },
        'self-test': flag,
        help: { ...flag, short: 'h' },
        ...(gate.write ? { write: flag } : {}),
        ...(gate.advisory ? { strict: flag } : {}),
        ...Object.fromEntries(own.map((name) => [name, flag])),
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usageOf(gate)}`);
  }
  return {
    base: values.base as string | undefined,
    head: values.head as string | undefined,
    selfTest: values['self-test'] === true,
    write: values.write === true,
    strict: values.strict === true,
    help: values.help === true,
    switches: new Set(own.filter((name) => values[name] === true)),
  };
}

function usageOf(gate: Gate): string {
  const lines = [
    `pnpm gate ${gate.name}: red when ${gate.about}`,
    '  --base <commit>  where the change started; else CI_BASE, else the newest release tag, else the empty tree',
    '  --head <commit>  where it ends; else the working tree, files not yet committed included',
    '  --self-test      proves on repositories of its own that it goes red and stays green',
  ];
  if (gate.write) lines.push('  --write          regenerates what it compares');
  if (gate.advisory) lines.push('  --strict         findings fail; without it they are told and pass');
  for (const [name, about] of Object.entries(gate.switches ?? {})) lines.push(`  --${name.padEnd(14)} ${about}`);
  lines.push('exit: 0 nothing wrong, 1 findings, 2 usage, 3 not measured');
  return lines.join('\n');
}
