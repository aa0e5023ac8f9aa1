/**
 * What must be known of an SQL text beyond what better-sqlite3 tells: its parameters (Hrana binds named ones by position too), where its
 * statements end, and whether it inserts. Knows SQLite's quoting and comments; never changes the text.
 */

interface Token {
  readonly kind: 'word' | 'parameter' | 'semicolon' | 'other';
  readonly text: string;
  readonly end: number;
}

// One alternative per lexical form; what is only skipped (space, comments) has no group. Identifiers may hold any character above 0x7f.
const TOKEN = new RegExp(
  [
    /\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/,
    /(?<quoted>'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])/,
    /(?<parameter>\?\d*|[:@$][\w$\u0080-\uffff]+)/,
    /(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)/,
    /(?<semicolon>;)/,
    /(?<other>[\s\S])/,
  ]
    .map((form) => form.source)
    .join('|'),
  'gu',
);

function* tokens(sql: string): Generator<Token> {
  for (const match of sql.matchAll(TOKEN)) {
    const { quoted, parameter, word, semicolon, other } = match.groups ?? {};
    const end = match.index + match[0].length;
    if (parameter !== undefined) yield { kind: 'parameter', text: parameter, end };
    else if (word !== undefined) yield { kind: 'word', text: word.toLowerCase(), end };
    else if (semicolon !== undefined) yield { kind: 'semicolon', text: semicolon, end };
    else if (quoted !== undefined || other !== undefined) yield { kind: 'other', text: match[0], end };
  }
}

/**
 * The parameters in SQLite's numbering: element i is parameter i + 1, its name with prefix (`:a`, `?3`) or null for a bare `?` and for
 * a number that `?NNN` skipped.
 */
export function sqlParameters(sql: string): (string | null)[] {
  const names: (string | null)[] = [];
  for (const token of tokens(sql)) {
    if (token.kind !== 'parameter') continue;
    if (token.text === '?') {
      names.push(null);
    } else if (token.text.startsWith('?')) {
      const number = Number(token.text.slice(1));
      while (names.length < number) names.push(null);
      names[number - 1] ??= token.text;
    } else if (!names.includes(token.text)) {
      names.push(token.text);
    }
  }
  return names;
}

/** The statements of a text, without those that are empty. A trigger's body does not end its statement: only `; END ;` does. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let start = 0;
  let seen: Token[] = [];
  for (const token of tokens(sql)) {
    if (token.kind !== 'semicolon') {
      seen.push(token);
      continue;
    }
    if (startsTrigger(seen) && !(seen.at(-1)?.text === 'end' && seen.at(-2)?.kind === 'semicolon')) {
      seen.push(token);
      continue;
    }
    if (seen.length > 0) statements.push(sql.slice(start, token.end));
    start = token.end;
    seen = [];
  }
  if (seen.length > 0) statements.push(sql.slice(start));
  return statements;
}

function startsTrigger(seen: readonly Token[]): boolean {
  if (seen[0]?.text !== 'create') return false;
  const next = seen[1]?.text === 'temp' || seen[1]?.text === 'temporary' ? seen[2] : seen[1];
  return next?.text === 'trigger';
}

/** Whether the statement is an INSERT or REPLACE, also behind a WITH: only then a last rowid means something. */
export function isInsert(sql: string): boolean {
  let depth = 0;
  let first: string | undefined;
  for (const token of tokens(sql)) {
    if (token.text === '(') depth += 1;
    else if (token.text === ')') depth -= 1;
    if (token.kind !== 'word' || depth > 0) continue;
    first ??= token.text;
    if (token.text === 'insert' || token.text === 'replace') return true;
    if (first !== 'with' || ['select', 'update', 'delete', 'values'].includes(token.text)) return false;
  }
  return false;
}

/** Whether the statement is an EXPLAIN. */
export function isExplain(sql: string): boolean {
  const { value } = tokens(sql).next();
  return value?.text === 'explain';
}
