// What is wrong with the registry, and what with a measurement. Pure.
import type { Finding } from '../framework/finding.js';
import type { Definition } from './definitions.js';
import type { HotStatement, OwnLimit, PluginStatements } from './hot-statement.js';
import { LARGE, pageLimit, rowLimit, SMALL, stepLimit } from './limits.js';
import { concerns, type Measurement } from './measure.js';
import type { Figure } from './world-bench.js';

/** Every statement of the product is hot or cold, and nothing else is listed. */
export function judgeRegistry(definitions: readonly Definition[], plugins: readonly PluginStatements[]): Finding[] {
  const findings: Finding[] = [];
  const allWorlds = plugins.flatMap(({ worlds }) => worlds);
  const listed = plugins.flatMap(({ file, hot, cold }) => [
    ...hot.map(({ definition, statement, title }) => ({ file, definition, title, label: statement.label, hot: true })),
    ...cold.map(({ definition }) => ({ file, definition, title: definition, label: undefined, hot: false })),
  ]);
  for (const { name, file, line, label } of definitions) {
    // One declaration may make several statements: a hot entry stands for the one that it measures, a cold one for all.
    const stands = (one: (typeof listed)[number]) => !one.hot || label === undefined || one.label === label;
    if (listed.some((one) => one.definition === name && stands(one))) continue;
    findings.push({
      file,
      line,
      what: `${name}${label === undefined ? '' : ` (${label})`} is a statement that nobody measures`,
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
    for (const hot of plugin.hot) {
      const { title, worlds = [], own, statement } = hot;
      const unknown = [...worlds, ...(own?.worlds ?? [])].filter((name) => !allWorlds.some((world) => world.name === name));
      for (const name of unknown) {
        const known = allWorlds.map((world) => world.name).join(', ');
        findings.push({ file: plugin.file, what: `${title}: there is no world ${name}`, mend: `name one of ${known}` });
      }
      if (unknown.length === 0 && !allWorlds.some((world) => concerns(hot, world))) {
        findings.push({
          file: plugin.file,
          what: `${title} is run in no world: none fills ${statement.table}`,
          mend: 'add a world of that table, or name the worlds that it must pass by',
        });
      }
    }
  }
  const titles = plugins.flatMap(({ file, hot }) => hot.map(({ title }) => ({ file, title })));
  for (const [at, { file, title }] of titles.entries()) {
    if (titles.findIndex((one) => one.title === title) === at) continue;
    findings.push({ file, what: `${title} is the title of two entries`, mend: 'give each its own: the table has one line for a title' });
  }
  return findings;
}

/** A figure that a measurement is held by, and the most that is allowed. */
export interface Margin {
  readonly unit: 'rows' | 'pages' | 'steps';
  /** Among `SMALL` rows, and among `LARGE`. */
  readonly few: number;
  readonly visited: number;
  readonly limit: number;
}

/** The one of its figures that comes closest to its limit, or is furthest beyond. */
export function marginOf({ hot, world, family }: Measurement, few: Figure, many: Figure): Margin {
  const own = ownLimit(hot, world);
  if (family === 'sqlite') return { unit: 'steps', few: few.visited, visited: many.visited, limit: stepLimit(few.visited, own) };
  const rows: Margin = { unit: 'rows', few: few.visited, visited: many.visited, limit: rowLimit(many.returned, own) };
  const pages: Margin = { unit: 'pages', few: few.pages ?? 0, visited: many.pages ?? 0, limit: pageLimit(many.returned, own) };
  return pages.visited / pages.limit > rows.visited / rows.limit ? pages : rows;
}

/** The limit of its own that a statement stands under in a world. */
export function ownLimit({ own }: HotStatement, world: string): OwnLimit | undefined {
  return own && (own.worlds === undefined || own.worlds.includes(world)) ? own : undefined;
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
  const { unit, visited, limit, few: amongFew } = marginOf(measurement, few, many);
  if (visited <= limit) return [];
  const among = family === 'postgres' ? '' : `, of ${amongFew} among ${SMALL}`;
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
