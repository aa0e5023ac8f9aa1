import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { TEST_STORE_NAMES, type TestStoreName } from '@bellhop/testing';
import { Command, Option } from 'commander';
import { PEER_CHOICES } from './contenders/contenders.js';
import { BenchDatabases } from './databases.js';
import { describeMachine, describeVersions } from './machine.js';
import { benchmarksPage } from './report/benchmarks-page.js';
import { latestResults, storeResult } from './results.js';
import type { Workload } from './workload.js';
import { budgets } from './workloads/budgets.js';
import { delayed } from './workloads/delayed.js';
import { drain } from './workloads/drain.js';
import { enqueue } from './workloads/enqueue.js';
import { fair } from './workloads/fair.js';
import { idle } from './workloads/idle.js';
import { latency } from './workloads/latency.js';
import { stall } from './workloads/stall.js';

const WORKLOADS: readonly Workload[] = [idle, budgets, enqueue, drain, latency, delayed, fair, stall];
const GUIDES = join(import.meta.dirname, '../../../docs/guides');

interface CommonOptions {
  readonly store?: TestStoreName;
  readonly peer: string;
  readonly json: boolean;
  readonly quick: boolean;
}

const program = new Command('bench').description('Measures what Bellhop promises.').showHelpAfterError();
for (const workload of WORKLOADS) {
  const command = program
    .command(workload.name)
    .description(workload.description)
    .addOption(
      new Option('--store <name>', `the store to run on (default: ${workload.defaultStores.join(', ')})`).choices(TEST_STORE_NAMES),
    )
    .addOption(
      new Option(
        '--peer <name>',
        workload.peers ? 'another product to run in turn; best: all of the store, the fastest counts' : 'this workload has none',
      )
        .choices(workload.peers ? PEER_CHOICES : ['none'])
        .default('none'),
    )
    .option('--json', 'print one JSON object on the last line', false)
    .option('--quick', 'a shorter run: to see that it works, not to quote', false);
  for (const option of workload.options) command.option(option.flags, option.description, option.default);
  command.action((options: CommonOptions & Record<string, string>) => measure(workload, options));
}
program
  .command('report')
  .description('writes docs/guides/benchmarks.md and its charts from the newest run of each workload')
  .action(() => {
    for (const { path, content } of benchmarksPage(WORKLOADS, latestResults())) {
      mkdirSync(dirname(join(GUIDES, path)), { recursive: true });
      writeFileSync(join(GUIDES, path), content);
      console.log(`docs/guides/${path}`);
    }
  });
await program.parseAsync();

async function measure(
  workload: Workload,
  { store, peer, json, quick, ...options }: CommonOptions & Record<string, string>,
): Promise<void> {
  const stores = store ? [store] : workload.defaultStores;
  const settings = { stores, peer, quick, ...options };
  const machine = describeMachine();
  const versions = describeVersions();
  for (const [title, facts] of Object.entries({ machine, versions, settings })) console.log(`${title}: ${JSON.stringify(facts)}`);
  const databases = new BenchDatabases();
  try {
    const result = await workload.run({ stores, quick, peer, options, database: (name) => databases.make(name) });
    for (const { what, measured, limit } of result.excesses)
      console.error(`over budget: ${what} is ${measured}, at most ${limit} is allowed`);
    storeResult({ workload: workload.name, at: new Date().toISOString(), machine, versions, settings, result: result.json });
    console.log(json ? JSON.stringify(result.json) : JSON.stringify(result.json, null, 2));
    if (result.excesses.length > 0) process.exitCode = 1;
  } finally {
    await databases.dropAll();
  }
}
