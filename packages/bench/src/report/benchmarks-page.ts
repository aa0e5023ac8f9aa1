import type { StoredResult } from '../results.js';
import type { Workload } from '../workload.js';

export interface ReportFile {
  /** Relative to `docs/guides`. */
  readonly path: string;
  readonly content: string;
}

const INTRODUCTION = `# Benchmarks

What Bellhop costs, counted and measured by \`pnpm bench\`. This page is written by \`pnpm bench report\` from the newest run of each workload; run
them yourself to see your machine's figures:

\`\`\`sh
npx pnpm -s bench idle --store sqlite --json
npx pnpm -s bench budgets --json
npx pnpm -s bench enqueue --mode single --store sqlite --peer plainjob --json
npx pnpm -s bench drain --store postgres --peer best --json
npx pnpm -s bench report
\`\`\`

Counts (statements, transactions, round trips) are the same on every machine, and tests assert them. Times are not, and no test does.

With \`--peer\`, Bellhop and the other product run in turn in the same call (A B A B …, three rounds), each with its defaults and with the best
settings it documents, each round on a database of its own. A figure is the median of its rounds, and a ratio is Bellhop's figure divided by the
other's, per second: more than 1 is faster. Figures of different runs are not to be compared; ratios of one run are. What each side says of how it
commits stands beside it. Postgres is as it comes, \`fsync\` on. A slow peer is stopped after 30 s of a drain, and its rate is of what it did.
`;

/** The page and its charts. Workloads that were not run are named as such. */
export function benchmarksPage(workloads: readonly Workload[], results: readonly StoredResult[]): ReportFile[] {
  const files: ReportFile[] = [];
  const sections = workloads.map((workload) => {
    const own = results.filter(({ workload: name, settings }) => name === workload.name && settings.quick !== true);
    const heading = `## ${workload.name}\n\n${sentence(workload.description)}\n`;
    if (own.length === 0) return `${heading}\nNot run yet.\n`;
    const { markdown, charts } = workload.report(own);
    for (const { name, svg } of charts) files.push({ path: `benchmarks/${name}.svg`, content: svg });
    const images = charts.map(({ name, alt }) => `![${alt}](benchmarks/${name}.svg)\n`).join('\n');
    return `${heading}\n${markdown}\n${images === '' ? '' : `\n${images}`}\n${measuredOn(own.at(-1) as StoredResult)}\n`;
  });
  return [{ path: 'benchmarks.md', content: `${INTRODUCTION}\n${sections.join('\n')}` }, ...files];
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function measuredOn({ at, machine, versions }: StoredResult): string {
  const facts = [
    `${machine.cores} cores`,
    machine.cpu,
    `Node ${machine.node}`,
    ...Object.entries(versions).map(([name, version]) => `${name} ${version}`),
  ];
  return `*${at.slice(0, 10)}, ${facts.join(', ')}.*`;
}
