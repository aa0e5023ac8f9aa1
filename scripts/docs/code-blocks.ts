/** A fenced block of a Markdown page. */
export interface CodeBlock {
  /** The language behind the fence, with whatever follows it. */
  readonly language: string;
  readonly code: string;
  /** 1 for the first line of the page: where the code begins. */
  readonly line: number;
}

/** The fenced blocks of a page, in order. @throws Error for a fence that is never closed. */
export function codeBlocks(markdown: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let open: { language: string; lines: string[]; line: number } | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = /^\s*```(.*)$/.exec(line);
    if (!fence) open?.lines.push(line);
    else if (open) {
      blocks.push({ language: open.language, code: open.lines.join('\n'), line: open.line });
      open = undefined;
    } else open = { language: (fence[1] ?? '').trim(), lines: [], line: index + 2 };
  }
  if (open) throw new Error(`The code block that begins at line ${open.line} is never closed.`);
  return blocks;
}
