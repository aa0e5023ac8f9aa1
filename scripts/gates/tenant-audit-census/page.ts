// The page of the census: prose written by hand, whose numbers are placeholders, around one generated region. Prose is never rewritten; only the
// region and the numbers between `<!-- n:name -->` and `<!-- /n -->` are.
import { type Finding, lineOf } from '../framework/finding.js';
import { firstDifference } from './ledger.js';

export const PAGE_FILE = 'docs/audits/tenant-audit-census.md';
export const BEGIN = '<!-- census: generated from here, by pnpm gate tenant-audit-census --write -->';
export const END = '<!-- census: to here -->';

export interface PageContent {
  readonly region: string;
  /** The numbers that the prose quotes: each once. */
  readonly numbers: ReadonlyMap<string, number>;
}

const NUMBER = /<!-- n:([^>]*?) -->(.*?)<!-- \/n -->/gs;

/** The page with a fresh region and fresh numbers. What has no region to put it into is left alone: the finding says so. */
export function updatePage(page: string, { region, numbers }: PageContent): string {
  const parts = split(page);
  if (!parts) return page;
  const fill = (prose: string) =>
    prose.replaceAll(NUMBER, (whole, name: string) => (numbers.has(name) ? `<!-- n:${name} -->${numbers.get(name)}<!-- /n -->` : whole));
  return `${fill(parts.before)}${BEGIN}\n${region}${END}${fill(parts.after)}`;
}

export function judgePage(page: string | undefined, content: PageContent): Finding[] {
  if (page === undefined)
    return [{ file: PAGE_FILE, what: 'the page is not there', mend: 'Restore it from git: its prose is written by hand.' }];
  const parts = split(page);
  if (!parts) return [regionFault(page)];
  return [...judgeRegion(page, parts, content.region), ...judgeNumbers(page, parts, content.numbers)];
}

interface Parts {
  readonly before: string;
  readonly region: string;
  readonly after: string;
}

function split(page: string): Parts | undefined {
  const [before, rest, ...more] = page.split(BEGIN);
  if (rest === undefined || before === undefined || more.length > 0 || before.includes(END)) return undefined;
  const [region, after, ...others] = rest.split(END);
  if (region === undefined || after === undefined || others.length > 0) return undefined;
  return { before, region, after };
}

function regionFault(page: string): Finding {
  const count = (marker: string) => page.split(marker).length - 1;
  const [begins, ends] = [count(BEGIN), count(END)];
  const second = begins > 1 ? page.lastIndexOf(BEGIN) : page.lastIndexOf(END);
  return {
    file: PAGE_FILE,
    ...(second > 0 ? { line: lineOf(page, second) } : {}),
    what: `the generated region is there once: from ${JSON.stringify(BEGIN)} to ${JSON.stringify(END)}. The first marker occurs ${times(begins)}, the second ${times(ends)}${begins === 1 && ends === 1 ? ', before it' : ''}`,
    mend: 'Put both markers back, each on a line of its own, with nothing of the prose between them; then run pnpm gate tenant-audit-census --write.',
  };
}

function judgeRegion(page: string, { before, region: has }: Parts, region: string): Finding[] {
  const wants = `\n${region}`;
  if (has === wants) return [];
  const at = firstDifference(has, wants);
  return [
    {
      file: PAGE_FILE,
      line: lineOf(page, before.length) + at.line - 1,
      what: `the generated region reads ${at.has}, where a fresh count gives ${at.wants}`,
      mend: 'Run pnpm gate tenant-audit-census --write. After a merge conflict never choose a side: generate it again.',
    },
  ];
}

function judgeNumbers(page: string, { before, after }: Parts, numbers: ReadonlyMap<string, number>): Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  const found = (offset: number, what: string, mend: string) => findings.push({ file: PAGE_FILE, line: lineOf(page, offset), what, mend });
  for (const [prose, start] of [
    [before, 0],
    [after, page.length - after.length],
  ] as const) {
    for (const match of prose.matchAll(NUMBER)) {
      const [, name = '', text = ''] = match;
      const offset = start + match.index;
      const number = numbers.get(name);
      if (number === undefined)
        found(offset, `the number ${JSON.stringify(name)} is none of the census`, `Quote one of ${[...numbers.keys()].join(', ')}.`);
      else if (seen.has(name))
        found(offset, `the number ${name} is quoted a second time`, 'Quote it once, so that no two places can differ.');
      else if (text !== String(number)) {
        found(
          offset,
          `the prose quotes ${name} as ${JSON.stringify(text)}, a fresh count gives ${number}`,
          'Run pnpm gate tenant-audit-census --write, and read whether the sentence around it still holds.',
        );
      }
      seen.add(name);
    }
    const rest = prose.replaceAll(NUMBER, (whole) => ' '.repeat(whole.length));
    for (const { index } of rest.matchAll(/<!-- (?:n:|\/n -->)/g)) {
      found(start + index, 'a quoted number is not closed, or not opened', 'Write <!-- n:name -->0<!-- /n -->.');
    }
  }
  for (const name of numbers.keys()) {
    if (!seen.has(name))
      findings.push({
        file: PAGE_FILE,
        what: `the prose quotes the number ${name} nowhere`,
        mend: `Quote it where it belongs: <!-- n:${name} -->${numbers.get(name)}<!-- /n -->.`,
      });
  }
  return findings;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
