import { InputError } from '@bellhop/kernel';
import { checkName, checkText } from '@bellhop/store';

/** Selectors that name people by what they are. None is answered yet, and none may be mistaken for a user id meanwhile. */
const RESERVED = /^(?:role:|team:|owner_of:|subscribers$)/;
const USER_PREFIX = 'user:';

/**
 * The user ids of an audience: `user:<id>` or the bare id (an e-mail address is an id like any other), trimmed, empty ones skipped, each
 * once, in the order of their first mention.
 *
 * @throws InputError `INVALID_INPUT` for anything else; the path names the selector.
 */
export function resolveAudience(audience: unknown, path: string): string[] {
  const selectors: readonly unknown[] = Array.isArray(audience) ? audience : [audience];
  const recipients = new Set<string>();
  for (const [index, selector] of selectors.entries()) {
    const id = userId(selector, Array.isArray(audience) ? `${path}[${index}]` : path);
    if (id !== '') recipients.add(id);
  }
  return [...recipients];
}

function userId(selector: unknown, path: string): string {
  if (typeof selector !== 'string') {
    throw new InputError('INVALID_INPUT', `${path}: ${typeof selector} given; a user id is needed, bare or as "user:<id>".`, { path });
  }
  const text = checkText(selector, path).trim();
  if (text === '') return '';
  if (RESERVED.test(text)) {
    throw new InputError(
      'INVALID_INPUT',
      `${path}: "${text.slice(0, 80)}" is no selector of this release; give user ids, bare or as "user:<id>".`,
      {
        path,
      },
    );
  }
  const id = text.startsWith(USER_PREFIX) ? text.slice(USER_PREFIX.length).trim() : text;
  if (id === '') throw new InputError('INVALID_INPUT', `${path}: "user:" names nobody; put the user's id after the colon.`, { path });
  if (id === '.' || id === '..') {
    throw new InputError('INVALID_INPUT', `${path}: "${id}" given; no URL can lead to the inbox of such a user id.`, { path });
  }
  return checkName(id, path);
}
