// What a gate reports: where, what is wrong, and how to mend it. A finding without all three sends its reader on a search.

export interface Finding {
  /** From the root of the repository. */
  readonly file: string;
  /** 1-based; left out where the finding is the file itself. */
  readonly line?: number;
  readonly what: string;
  readonly mend: string;
}

export function renderFinding({ file, line, what, mend }: Finding): string {
  return `${file}${line === undefined ? '' : `:${line}`}: ${what}\n    → ${mend}`;
}

/** The line of an offset in a text, 1-based. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
