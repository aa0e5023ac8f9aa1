// Over 100 000 adversarial rows no hot statement may visit more than it needs. What there is to visit, and for what, the registry says.
import type { Finding } from './framework/finding.js';
import type { Gate, GateContext, Measured } from './framework/gate.js';
import { NotMeasuredError } from './framework/refusals.js';
import { type Definition, findDefinitions, mayDefine } from './statement-plans/definitions.js';
import type { PluginStatements } from './statement-plans/hot-statement.js';
import { judgeMeasurement, judgeRegistry } from './statement-plans/judge.js';
import { type Measurement, measureAll } from './statement-plans/measure.js';
import { postgresDatabase } from './statement-plans/postgres-database.js';
import { PLUGINS } from './statement-plans/registry.js';
import { renderMargins } from './statement-plans/render.js';
import { selfTestCases } from './statement-plans/self-test.js';
import { sqliteDatabase } from './statement-plans/sqlite-database.js';
import type { DatabaseUnderTest } from './statement-plans/world-bench.js';

export interface StatementPlansSetup {
  readonly plugins: readonly PluginStatements[];
  readonly databases: readonly ((plugins: readonly PluginStatements[]) => Promise<DatabaseUnderTest>)[];
  readonly definitions: (context: GateContext) => readonly Definition[];
}

export function statementPlansGate(setup: StatementPlansSetup, selfTest: Gate['selfTest']): Gate {
  return {
    name: 'statement-plans',
    about: 'a hot statement visits too much among 100 000 adversarial rows, or a statement of the product is neither hot nor cold.',
    watches: [/^packages\/[^/]+\/src\/(?!.*\.test\.ts$).*\.ts$/, /^pnpm-lock\.yaml$/],
    measure: (context) => measure(setup, context),
    selfTest,
  };
}

async function measure({ plugins, databases, definitions }: StatementPlansSetup, context: GateContext): Promise<Measured> {
  const defined = definitions(context);
  const findings: Finding[] = judgeRegistry(defined, plugins);
  // Side by side: one family waits for a server while the other computes.
  const families = await Promise.allSettled(databases.map((open) => measureFamily(open, plugins)));
  const measured = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []));
  for (const line of renderMargins(measured)) context.print(line);
  for (const measurement of measured) findings.push(...judgeMeasurement(measurement, defined));
  const refused = families.flatMap((family) => (family.status === 'rejected' ? [family.reason as unknown] : []));
  const [other] = refused.filter((reason) => !(reason instanceof NotMeasuredError));
  if (other !== undefined) throw other;
  // What was found in the other family is said all the same, and outweighs that this one was not measured.
  if (refused.length > 0 && findings.length === 0) throw refused[0];
  for (const reason of refused) context.print(`NOT MEASURED: ${(reason as Error).message}`);
  const hot = plugins.reduce((sum, plugin) => sum + plugin.hot.length, 0);
  const cold = plugins.reduce((sum, plugin) => sum + plugin.cold.length, 0);
  return { findings, summary: `${hot} hot statements and ${cold} cold ones, ${measured.length} runs among 100 000 rows` };
}

async function measureFamily(
  open: (plugins: readonly PluginStatements[]) => Promise<DatabaseUnderTest>,
  plugins: readonly PluginStatements[],
): Promise<Measurement[]> {
  const database = await open(plugins);
  try {
    return await measureAll(database, plugins);
  } finally {
    await database.close();
  }
}

export const gate = statementPlansGate(
  {
    plugins: PLUGINS,
    databases: [sqliteDatabase, postgresDatabase],
    definitions: ({ repository }) =>
      repository
        .files()
        .filter(mayDefine)
        .flatMap((file) => findDefinitions(file, repository.read(file) ?? '')),
  },
  selfTestCases(statementPlansGate),
);
