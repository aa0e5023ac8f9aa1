// The case over a copy of the real sources: takes the context away from one write call after the other, in both ways there are, and expects the
// gate red for that very call each time. A census that is blind to one kind of call would stay green there.
import { EXIT } from '../../framework/exit-codes.js';
import type { SelfTestCase, SelfTestTools } from '../../framework/gate.js';
import { Repository } from '../../framework/repository.js';
import { TemporaryRepository } from '../../framework/temporary-repository.js';
import { takeCensus } from '../census.js';
import { PAGE_FILE } from '../page.js';
import { REASONS_FILE } from '../past-reasons.js';
import { isCounted } from '../sources.js';
import type { WriteSite } from '../write-sites.js';

export const REAL_SOURCES: SelfTestCase = {
  name: 'each write call of the real sources, without its context',
  expect: EXIT.findings,
  async run({ checkout, folder, runGate, print }: SelfTestTools) {
    const copy = new TemporaryRepository(folder);
    const copied = checkout.files().filter((path) => isCounted(path) || path === PAGE_FILE || path === REASONS_FILE);
    copy.commit(Object.fromEntries(copied.map((path) => [path, checkout.read(path)!])), 'the real sources');
    // What the page of the checkout says is the gate's own business; the control starts from one that holds.
    const control = await runGate(folder, ['--write']);
    if (control.code !== EXIT.ok) throw new Error(`the control is red before anything was taken away:\n${control.output}`);

    const sites = takeCensus(new Repository(folder)).sites.filter(({ scope }) => scope !== undefined);
    const blind: string[] = [];
    for (const site of sites) {
      const { path, text } = site.file;
      for (const mutant of withoutContext(site)) {
        copy.write({ [path]: mutant });
        const { code, output } = await runGate(folder);
        const said = output
          .split('\n')
          .some((line) => line.startsWith(`${path}:${site.file.line(site.node)}: `) && line.includes('with context neither'));
        if (code !== EXIT.findings || !said) blind.push(`${path}:${site.file.line(site.node)} (exit ${code})\n${output}`);
      }
      copy.write({ [path]: text });
    }
    const missed = new Set(blind.map((line) => line.split(' ')[0])).size;
    print(`${sites.length - missed} of ${sites.length} red`);
    if (sites.length === 0) throw new Error('the real sources hold no call with a scope: nothing was taken away');
    if (blind.length > 0) throw new Error(`the gate did not see a context go:\n${blind.join('\n')}`);
    const restored = await runGate(folder);
    if (restored.code !== EXIT.ok) throw new Error(`the copy is not what it was:\n${restored.output}`);
    return { code: EXIT.findings, output: '' };
  },
};

/** The file with the scope of one call left out, and with an empty one. */
export function withoutContext({ file, node, call, scope }: Pick<WriteSite, 'file' | 'node' | 'call' | 'scope'>): string[] {
  if (!scope) return [];
  const { text } = file;
  const cut = (start: number, end: number, put: string) => `${text.slice(0, start)}${put}${text.slice(end)}`;
  if (call === 'batch') {
    const comma = /^\s*,/.exec(text.slice(scope.end))?.[0].length ?? 0;
    return [cut(scope.start, scope.end + comma, ''), cut(scope.start, scope.end, 'scope: {}')];
  }
  const args = node.type === 'CallExpression' ? node.arguments : [];
  const at = args.findIndex(({ start }) => start === scope.start);
  const before = args[at - 1];
  // Behind it there are options: then its place stays, and says nothing.
  const isLast = at === args.length - 1 && before;
  return [isLast ? cut(before.end, scope.end, '') : cut(scope.start, scope.end, 'undefined'), cut(scope.start, scope.end, '{}')];
}
