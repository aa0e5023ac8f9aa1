declare const service: unique symbol;

/**
 * A typed injection token: the name under which plugins meet. At run time it is a registered symbol, so two copies of one package
 * in a process still agree on it; the type parameter says what is bound to it.
 */
export type Token<T> = symbol & { readonly [service]?: T };

/**
 * Makes the token called `name`.
 *
 * @param name 1 to 100 characters, unique across all plugins (`NOTIFICATION_OUTBOX`, `acme.PRICE_LIST`). The same name is the same token.
 */
export function token<T>(name: string): Token<T> {
  if (name.length === 0 || name.length > 100) {
    throw new RangeError(`token(${JSON.stringify(name)}): a token's name has 1 to 100 characters.`);
  }
  return Symbol.for(`bellhop/${name}`) as Token<T>;
}

/** The name a token was made with, for messages. */
export function tokenName(of: Token<unknown>): string {
  return (of.description ?? String(of)).replace(/^bellhop\//, '');
}
