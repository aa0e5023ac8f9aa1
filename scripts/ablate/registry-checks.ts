// What must hold of the registry as a whole, against the sources and the tests that there are: nobody mutates here, and nobody runs a test.
// Pure. The rule behind most of it: nobody picks only the convenient tests.

import { parseSync } from 'oxc-parser';
import { type Finding, lineOf } from '../gates/framework/finding.js';
import { type Ablation, ruleOf } from './ablation.js';
import { mutate, NoMutation } from './mutation.js';
import type { Registered } from './registry.js';
import { ruleTags } from './rule-tags.js';

export interface CollectedTest {
  /** From the root. */
  readonly file: string;
  readonly name: string;
}

export interface RegistryFacts {
  readonly registered: readonly Registered[];
  /** Every test of the repository that runs here. */
  readonly tests: readonly CollectedTest[];
  /** The bytes of a file by its path from the root; undefined where there is none. */
  read(file: string): Buffer | undefined;
}

export function checkRegistry(facts: RegistryFacts): Finding[] {
  const names = new Map<string, string[]>();
  const tagged = new Map<string, CollectedTest[]>();
  for (const test of facts.tests) {
    names.set(test.name, [...(names.get(test.name) ?? []), test.file]);
    for (const rule of ruleTags(test.name)) tagged.set(rule, [...(tagged.get(rule) ?? []), test]);
  }
  return [
    ...repeatedIds(facts),
    ...facts.registered.flatMap((one) => [
      ...idFaults(one, facts),
      ...sourceFaults(one, facts),
      ...nameFaults(one, facts, names),
      ...missingFiles(one, facts, tagged.get(ruleOf(one.entry)) ?? []),
    ]),
    ...unnamedTests(facts, tagged),
    ...contradictions(facts),
  ];
}

/** Where an entry stands in its registry file. */
export function entryLine({ entry, source }: Registered, read: RegistryFacts['read']): number {
  const text = read(source)?.toString('utf8') ?? '';
  const id = entry.id.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const offset = text.search(new RegExp(`\\bid['"]?:\\s*['"\`]${id}['"\`]`));
  return offset === -1 ? 1 : lineOf(text, offset);
}

function at(one: Registered, facts: RegistryFacts, what: string, mend: string): Finding {
  return { file: one.source, line: entryLine(one, facts.read), what: `${one.entry.id}: ${what}`, mend };
}

function repeatedIds(facts: RegistryFacts): Finding[] {
  const seen = new Map<string, Registered>();
  return facts.registered.flatMap((one) => {
    const first = seen.get(one.entry.id);
    seen.set(one.entry.id, first ?? one);
    if (!first) return [];
    return [at(one, facts, `the id is taken by an entry of ${first.source}`, 'Add a colon and a word that tells the two apart.')];
  });
}

function idFaults(one: Registered, facts: RegistryFacts): Finding[] {
  const rule = ruleOf(one.entry);
  if (ruleTags(`[${rule}] `)[0] === rule && /^[^:]+(?::[\w-]+)?$/.test(one.entry.id)) return [];
  return [
    at(
      one,
      facts,
      'the id is none that a title could carry',
      'Write a tag as scripts/ablate/rule-tags.ts reads it, then :word if need be.',
    ),
  ];
}

function sourceFaults(one: Registered, facts: RegistryFacts): Finding[] {
  const { entry } = one;
  if (/\.(?:test|fixture)\.\w+$/.test(entry.file)) {
    return [at(one, facts, `${entry.file} is a test or a part of one`, 'Take a rule out of the source, never out of a test.')];
  }
  const source = facts.read(entry.file);
  if (!source) return [at(one, facts, `there is no ${entry.file}`, 'Name the file that holds the rule, from the root.')];
  try {
    const { errors } = parseSync(entry.file, mutate(entry, source).mutant.toString('utf8'));
    if (errors.length === 0) return [];
    return [
      at(
        one,
        facts,
        `the mutant does not parse: ${errors[0]!.message}`,
        'Write a replacement that compiles: broken code makes every test fall.',
      ),
    ];
  } catch (error) {
    if (error instanceof NoMutation) return [at(one, facts, error.message, `Copy the anchor from ${entry.file} as it is.`)];
    throw error;
  }
}

function nameFaults(one: Registered, facts: RegistryFacts, names: ReadonlyMap<string, readonly string[]>): Finding[] {
  const { entry } = one;
  const faults: Finding[] = [];
  for (const file of entry.tests) {
    if (!facts.tests.some((test) => test.file === file)) {
      faults.push(at(one, facts, `no test is collected from ${file}`, 'Name a test file, from the root.'));
    }
  }
  for (const name of [...entry.red, ...(entry.green ?? []).map((test) => test.name)]) {
    const files = names.get(name) ?? [];
    const found = files.filter((file) => entry.tests.includes(file)).length;
    if (found === 1) continue;
    const elsewhere = files.filter((file) => !entry.tests.includes(file));
    faults.push(
      at(
        one,
        facts,
        `"${name}" exists ${found} times in its test files, expected 1${elsewhere.length > 0 ? ` (elsewhere: ${elsewhere.join(', ')})` : ''}`,
        'Copy the full name from `vitest list`; a skipped test has none.',
      ),
    );
  }
  return faults;
}

function missingFiles(one: Registered, facts: RegistryFacts, tagged: readonly CollectedTest[]): Finding[] {
  const missing = new Set(tagged.map(({ file }) => file).filter((file) => !one.entry.tests.includes(file)));
  return [...missing].map((file) =>
    at(
      one,
      facts,
      `${file} has tests that carry [${ruleOf(one.entry)}], and is not among its tests`,
      'Add the file to `tests`, and what falls there to `red`.',
    ),
  );
}

/** A test that carries a rule's id and that no entry of the rule speaks of. */
function unnamedTests(facts: RegistryFacts, tagged: ReadonlyMap<string, readonly CollectedTest[]>): Finding[] {
  const named = new Map<string, Set<string>>();
  for (const { entry } of facts.registered) {
    const names = named.get(ruleOf(entry)) ?? new Set();
    for (const name of [...entry.red, ...(entry.green ?? []).map((test) => test.name)]) names.add(name);
    named.set(ruleOf(entry), names);
  }
  return [...tagged].flatMap(([rule, tests]) => {
    const names = named.get(rule);
    const left = tests.filter(({ name }) => !names?.has(name));
    return [...new Set(left.map(({ file }) => file))].map((file) => {
      const own = left.filter((test) => test.file === file).map(({ name }) => name);
      return names
        ? {
            file,
            what: `carries [${rule}], and is neither red nor green in an ablation of ${rule}:${own.map((name) => `\n    ${name}`).join('')}`,
            mend: 'Add each to `red` of the entry that it falls with, or to `green` with the reason why it cannot fall.',
          }
        : {
            file,
            what: `${own.length === 1 ? 'a test carries' : `${own.length} tests carry`} [${rule}], which no ablation has: "${own[0]}"`,
            mend: `Register an ablation of ${rule} in scripts/ablate/registry, or take the tag out of the title.`,
          };
    });
  });
}

/** `green` means: carries the rule's id, and falls with no entry of the rule. */
function contradictions(facts: RegistryFacts): Finding[] {
  return facts.registered.flatMap((one) => {
    const rule = ruleOf(one.entry);
    return (one.entry.green ?? []).flatMap(({ name }) => {
      const falls = facts.registered.find(({ entry }: { entry: Ablation }) => ruleOf(entry) === rule && entry.red.includes(name));
      if (falls)
        return [
          at(one, facts, `"${name}" is green here and red in ${falls.entry.id}`, 'Take it out of `green`: it does fall with the rule.'),
        ];
      if (!ruleTags(name).includes(rule))
        return [at(one, facts, `"${name}" is green and does not carry [${rule}]`, 'Take it out of `green`, or tag it.')];
      return [];
    });
  });
}
