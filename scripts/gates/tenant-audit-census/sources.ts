// Which files the census counts over: the product's own sources, files not yet committed included. A counted file that does not parse is a finding.
import type { Finding } from '../framework/finding.js';
import { ParseError, parseSource, type SourceFile } from './reading/source-file.js';

/** Where files come from: a working tree, or a map of texts. */
export interface Files {
  files(): readonly string[];
  read(path: string): string | undefined;
}

export interface Sources {
  readonly files: readonly SourceFile[];
  readonly unparsable: readonly Finding[];
}

/** Packages that no deployment installs. */
const OUT_PACKAGES: ReadonlySet<string> = new Set(['testing', 'bench']);

/** Whether a path is among the counted: `packages/…/src`, without tests and fixtures, and without the packages `testing` and `bench`. */
export function isCounted(path: string): boolean {
  const name = /^packages\/([^/]+)\/src\/.+\.[cm]?[jt]sx?$/.exec(path)?.[1];
  return name !== undefined && !OUT_PACKAGES.has(name) && !/\.(?:test|fixture|d)\.[cm]?[jt]sx?$/.test(path);
}

/** The store's own drivers, below its API: what they do to the database is what the API asks of them. */
export function isDriver({ path }: SourceFile): boolean {
  return path.startsWith('packages/store/src/drivers/') || path.startsWith('packages/store/src/knex/');
}

/** Texts are parsed once: a self-test counts over the same sources many times. */
const parsed = new Map<string, { text: string; file: SourceFile }>();

export function readSources(from: Files): Sources {
  const files: SourceFile[] = [];
  const unparsable: Finding[] = [];
  for (const path of from.files().filter(isCounted)) {
    const text = from.read(path);
    if (text === undefined) continue;
    try {
      const known = parsed.get(path);
      const file = known?.text === text ? known.file : parseSource(path, text);
      parsed.set(path, { text, file });
      files.push(file);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      unparsable.push({
        file: path,
        line: error.line,
        what: `it cannot be parsed (${error.message}), so no write call in it can be counted`,
        mend: 'Mend its syntax; what is no source of the product does not belong below packages/*/src.',
      });
    }
  }
  return { files, unparsable };
}
