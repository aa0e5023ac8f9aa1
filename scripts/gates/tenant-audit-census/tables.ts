// Markdown tables, one row a line, so that a changed row is a changed line.

export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string[] {
  return [tableLine(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(tableLine)];
}

export function tableLine(cells: readonly (string | number)[]): string {
  return `| ${cells.map((cell) => escaped(String(cell))).join(' | ')} |`;
}

/** In backquotes, as names and paths are shown. */
export function code(text: string): string {
  return `\`${text}\``;
}

function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

/** Equal rows once, with their number, in the order in which they come first. */
export function counted<T>(rows: readonly T[], cells: (row: T) => readonly string[]): { cells: readonly string[]; rows: T[] }[] {
  const groups = new Map<string, { cells: readonly string[]; rows: T[] }>();
  for (const row of rows) {
    const key = JSON.stringify(cells(row));
    const group = groups.get(key) ?? { cells: cells(row), rows: [] };
    group.rows.push(row);
    groups.set(key, group);
  }
  return [...groups.values()];
}
