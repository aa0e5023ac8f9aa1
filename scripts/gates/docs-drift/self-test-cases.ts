// What the cases of the self-test are made of. `--strict` turns what is told into an exit code.
import type { SelfTestCase } from '../framework/gate.js';
import { type Files, type RepositoryCase, repositoryCase } from '../framework/temporary-repository.js';

type Options = Omit<RepositoryCase, 'name' | 'expect' | 'says' | 'base'> & { readonly base?: Files };

const STRICT = ['--base', 'base', '--strict'];

export function red(name: string, says: RegExp, options: Options): SelfTestCase {
  return repositoryCase({ name, expect: 1, says, args: STRICT, base: {}, ...options });
}

export function green(name: string, says: RegExp, options: Options): SelfTestCase {
  return repositoryCase({ name, expect: 0, says, args: STRICT, base: {}, ...options });
}

/** A change of one source, and a page that says something. */
export function changed(path: string, before: string, after: string, text: string): { base: Files; change: Files; shape: string[] } {
  return { base: { [path]: before, 'docs/guide.md': page(text) }, change: { [path]: after }, shape: [`M\t${path}`] };
}

/** What the gate says of a page whose third line names one thing. */
export function named(what: string, line = 3): RegExp {
  return new RegExp(`docs/guide\\.md:${line}: names a thing that the change touches(?:, 1 of them gone)?\\n    ${line}: ${what}`);
}

/** The text is the third line. */
export function page(text: string): string {
  return `# A page\n\n${text}\n`;
}

export const LOOP = 'packages/loop/src/loop.ts';

/** A documented field of type `type`. */
export function loopOptions(type: string): string {
  return `/** Of a loop. */\nexport interface LoopOptions {\n  /** In milliseconds. */\n  readonly intervalMs: ${type};\n  readonly id: string;\n}\n`;
}
