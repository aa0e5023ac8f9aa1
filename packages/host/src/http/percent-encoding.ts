import { InputError } from '@bellhop/kernel';
import type { MiddlewareHandler } from 'hono';

/**
 * Refuses an address whose percent-encoding is malformed. hono hands such a part on as it came, so that `%ff` would name what `%25ff` names:
 * something else than what was sent.
 */
export const refuseMalformedAddress: MiddlewareHandler = async (context, next) => {
  const { pathname, search } = new URL(context.req.url);
  if (!isWellFormed(pathname) || !isWellFormed(search)) {
    throw new InputError(
      'INVALID_INPUT',
      'The address is not well percent-encoded UTF-8. Write a % as %25, and everything else by its UTF-8 bytes.',
    );
  }
  await next();
};

function isWellFormed(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
