// What a gate is: a check of the repository that may stop a change, with a self-test that proves it can go red and can stay green.
// A gate lives in `scripts/gates/<name>.ts` and exports it as `gate`; what it is made of lies in the folder of its name.
import type { Diff } from './diff.js';
import type { ExitCode } from './exit-codes.js';
import type { Finding } from './finding.js';
import type { Repository } from './repository.js';

export interface Gate {
  /** The name of its file. */
  readonly name: string;
  /** When it goes red, in a sentence. */
  readonly about: string;
  /** Which changed paths can turn it red; its own sources count without saying. */
  readonly watches: readonly RegExp[];
  /** Findings are told and pass, unless `--strict` is given. */
  readonly advisory?: boolean;
  /** Further switches of its command line, and what each does. */
  readonly switches?: Readonly<Record<string, string>>;
  /** Reads and judges. Throws `NotMeasuredError` for a missing prerequisite; any other error counts as input that cannot be read. */
  measure(context: GateContext): Promise<Measured> | Measured;
  /** Regenerates what the gate compares, for `--write`; gives the paths it wrote. */
  write?(context: GateContext): Promise<readonly string[]> | readonly string[];
  /** Cases in both directions, and at least one for each kind of finding. */
  readonly selfTest: readonly SelfTestCase[];
}

export interface GateContext {
  readonly repository: Repository;
  /** What the change touches. Read on first use; prints the commit it starts from. */
  diff(): Diff;
  /** Whether a switch of the gate was given. */
  given(name: string): boolean;
  /** Prints a line of the gate's report. */
  print(line: string): void;
}

export interface Measured {
  readonly findings: readonly Finding[];
  /** What was looked at, in a line: a pass that looked at nothing shows. */
  readonly summary: string;
}

export interface SelfTestCase {
  readonly name: string;
  readonly expect: ExitCode;
  /** Runs the gate on something it makes; gives how the gate ended and what it printed. */
  run(tools: SelfTestTools): Promise<{ readonly code: number; readonly output: string }>;
}

export interface SelfTestTools {
  /** The checkout the self-test runs in, for gates whose cases start from the real sources. */
  readonly checkout: Repository;
  /** An empty folder, removed after the case. */
  readonly folder: string;
  /** Runs the gate over a repository, as its command line would. */
  runGate(root: string, args?: readonly string[]): Promise<{ code: number; output: string }>;
  /** Prints a line under the case's name. */
  print(line: string): void;
}
