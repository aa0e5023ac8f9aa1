/** Strings as JSON has them: no control characters, no escapes but its own. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: those are the ones meant.
const SCALAR = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const STRING_START = '"';

/**
 * Where a text stops being JSON, as an offset; its length when it is JSON that merely ends too soon, or is JSON. `JSON.parse` says it in words
 * that differ from one Node to the next, and for some texts not at all.
 */
export function jsonFaultAt(text: string): number {
  let at = 0;
  /** Returns false at the first fault, with `at` there. */
  const value = (): boolean => {
    skipSpace();
    if (take('{')) return members('}', () => text[at] === STRING_START && scalar() && taken(':') && value());
    if (take('[')) return members(']', value);
    return scalar();
  };
  const members = (end: string, member: () => boolean): boolean => {
    if (taken(end)) return true;
    do {
      skipSpace();
      if (!member()) return false;
    } while (taken(','));
    return taken(end);
  };
  const scalar = (): boolean => {
    SCALAR.lastIndex = at;
    const found = SCALAR.exec(text)?.[0];
    at += found?.length ?? 0;
    return found !== undefined;
  };
  const taken = (character: string): boolean => {
    skipSpace();
    return take(character);
  };
  const take = (character: string): boolean => {
    if (text[at] !== character) return false;
    at += 1;
    return true;
  };
  const skipSpace = (): void => {
    while (at < text.length && ' \t\n\r'.includes(text[at] as string)) at += 1;
  };
  if (value()) skipSpace();
  return at;
}
