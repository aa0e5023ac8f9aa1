// The pages of docs/adr, and which major versions they allow.
import type { Tree } from '../framework/diff.js';
import { lineOf } from '../framework/finding.js';
import { blanked, regionsOf } from '../framework/markdown.js';

export interface Decision {
  /** Its four digits. */
  readonly number: string;
  readonly path: string;
  readonly allows: readonly AllowedMajor[];
}

/** One item of a line `Allows major: @bellhop/store@2`. */
export interface AllowedMajor {
  readonly line: number;
  /** As written. */
  readonly item: string;
  /** Undefined for an item that is no `package@major`: it allows nothing. */
  readonly release: { readonly name: string; readonly major: number } | undefined;
}

export function decisionsOf(tree: Tree): Decision[] {
  return tree.files().flatMap((path) => {
    const number = /^docs\/adr\/(\d{4})-[^/]+\.md$/.exec(path)?.[1];
    return number === undefined ? [] : [{ number, path, allows: allowedMajors(tree.read(path) ?? '') }];
  });
}

/** Read above the first `##` heading, outside of code and comments: an example, or a discussion further down, allows nothing. */
export function allowedMajors(page: string): AllowedMajor[] {
  const text = blanked(page, regionsOf(page), ['code block', 'comment']);
  const section = /^ {0,3}##[ \t]/m.exec(text);
  const front = section ? text.slice(0, section.index) : text;
  return [...front.matchAll(/^Allows major:[ \t]*(.*)$/gm)].flatMap((line) =>
    line[1]!.split(',').map((written) => {
      const item = written.trim().replaceAll('`', '').replace(/\.$/, '');
      const parts = /^(@?[^@\s]+)@(\d+)(?:\.0\.0)?$/.exec(item);
      return { line: lineOf(page, line.index), item, release: parts ? { name: parts[1]!, major: Number(parts[2]) } : undefined };
    }),
  );
}
