// What is wrong with the registry, and what with a measurement. Pure.
import type { Finding } from '../framework/finding.js';
import type { Definition } from './definitions.js';
import type { PluginStatements } from './hot-statement.js';
import { LARGE, rowLimit, SMALL, stepLimit } from './limits.js';
import type { Measurement } from './measure.js';
import type { Figure } from './world-bench.js';

/** Every statement of the product is hot or cold, and nothing else is listed. */
export function judgeRegistry(definitions: readonly Definition[], plugins: readonly PluginStatements[]): Finding[] {
  const findings: Finding[] = [];
  const listed = plugins.flatMap(({ file, hot, cold }) => [
    ...hot.map(({ definition, statement, title }) => ({ file, definition, title, label: statement.label, hot: true })),
    ...cold.map(({ definition }) => ({ file, definition, title: definition, label: undefined, hot: false })),
  ]);
  for (const { name, file, line } of definitions) {
    if (listed.some(({ definition }) => definition === name)) continue;
    findings.push({
      file,
      line,
      what: `${name} is a statement that nobody measures`,
      mend: 'add it to the plugin’s file in scripts/gates/statement-plans: as hot with the rows it must find, or as cold with the reason',
    });
  }
  for (const { file, definition, title, label } of listed) {
    const defined = definitions.filter(({ name }) => name === definition);
    const given = defined.find((one) => one.label !== undefined && label !== undefined);
    if (defined.length === 0) {
      findings.push({
        file,
        what: `${title}: there is no statement ${definition}`,
        mend: 'name the definition as file#name, or take the entry out',
      });
    } else if (given && !defined.some((one) => one.label === label)) {
      findings.push({
        file,
        what: `${title}: ${definition} is labelled ${given.label}, what is measured ${label}`,
        mend: 'measure the statement that the entry names',
      });
    }
  }
  for (const plugin of plugins) {
    for (const { definition } of plugin.cold) {
      if (!listed.some((one) => one.hot && one.definition === definition)) continue;
      findings.push({ file: plugin.file, what: `${definition} is listed as cold and as hot`, mend: 'decide which it is' });
    }
    const known = new Set(plugins.flatMap(({ worlds }) => worlds.map(({ name }) => name)));
    for (const { title, worlds = [], own } of plugin.hot) {
      for (const name of [...worlds, ...(own?.worlds ?? [])].filter((each) => !known.has(each))) {
        findings.push({ file: plugin.file, what: `${title}: there is no world ${name}`, mend: `name one of ${[...known].join(', ')}` });
      }
    }
  }
  return findings;
}

/** The figure that a measurement is held by, and the most that is allowed. */
export interface Margin {
  readonly visited: number;
  readonly limit: number;
}

export function marginOf({ hot, world, family }: Measurement, few: Figure, many: Figure): Margin {
  const own = hot.own && (hot.own.worlds === undefined || hot.own.worlds.includes(world)) ? hot.own : undefined;
  const limit = family === 'postgres' ? rowLimit(many.returned, own) : stepLimit(few.visited, own);
  return { visited: many.visited, limit };
}

export function judgeMeasurement(measurement: Measurement, definitions: readonly Definition[]): Finding[] {
  const { plugin, hot, world, family, mode, few, many } = measurement;
  const where = `${hot.title} on ${family} (${mode}), world "${world}"`;
  const entry = (what: string, mend: string): Finding => ({ file: plugin.file, what: `${where}: ${what}`, mend });
  const failed = [few, many].find((figure) => typeof figure === 'string');
  if (typeof few === 'string' || typeof many === 'string') {
    return [entry(`fails: ${failed}`, 'mend the statement, or the parameters of its entry')];
  }
  for (const [scale, { returned }] of [
    [SMALL, few],
    [LARGE, many],
  ] as const) {
    const expected = typeof hot.returns === 'number' ? hot.returns : hot.returns(scale);
    if (returned === expected) continue;
    return [
      entry(
        `finds ${returned} rows of ${expected} among ${scale}: its visits prove nothing`,
        'mend the parameters of the entry, or the rows that the plugin’s `wanted` makes',
      ),
    ];
  }
  const { visited, limit } = marginOf(measurement, few, many);
  if (visited <= limit) return [];
  const unit = family === 'postgres' ? 'rows' : 'steps';
  const among = family === 'postgres' ? '' : `, of ${few.visited} among ${SMALL}`;
  const defined = definitions.find(({ name }) => name === hot.definition);
  return [
    {
      file: defined?.file ?? plugin.file,
      ...(defined ? { line: defined.line } : {}),
      what: `${where}: visits ${visited} ${unit} among ${LARGE}${among}; at most ${limit} are allowed. Its plan:\n      ${many.plan.join('\n      ')}`,
      mend: 'give it an index whose order is that of the statement, or a predicate that the index knows; if it must visit more, argue a limit of its own in the entry',
    },
  ];
}
