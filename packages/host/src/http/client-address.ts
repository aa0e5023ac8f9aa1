/**
 * Whom the limits of an unauthenticated route count a request to. A header that anybody may write must never be believed: `X-Forwarded-For` counts as far as
 * proxies of the operator's have written it, from its right end.
 */
import { BlockList, isIP } from 'node:net';

/** Entries of the header that are looked at: more proxies than these stand in front of nobody. */
const MOST_HOPS = 20;

/** An address with a port, as some proxies write it. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([^:]+)):\d{1,5}$/;
const BRACKETED = /^\[([^\]]+)\]$/;

/** Where requests come from, by the socket and the proxies in front of it. */
export class ClientAddresses {
  readonly #proxies = new BlockList();

  /** @param proxies texts in which {@link proxyProblem} finds nothing. */
  constructor(proxies: readonly string[] = []) {
    for (const proxy of proxies) {
      const [address = '', prefix] = proxy.split('/');
      if (prefix === undefined) this.#proxies.addAddress(address, familyOf(address));
      else this.#proxies.addSubnet(address, Number(prefix), familyOf(address));
    }
  }

  /**
   * The address that no trusted proxy has; where all that are named are trusted, the one farthest away. An entry that is no address ends the search.
   *
   * @param socket undefined: it is closed already. @param forwardedFor the header, several joined by commas.
   */
  of(socket: string | undefined, forwardedFor: string | undefined): string {
    let address = socket ?? 'unknown';
    const hops = forwardedFor?.split(',').slice(-MOST_HOPS).reverse() ?? [];
    for (const hop of hops) {
      const before = this.#isTrusted(address) ? addressIn(hop.trim()) : undefined;
      if (before === undefined) return address;
      address = before;
    }
    return address;
  }

  #isTrusted(address: string): boolean {
    const [bare = ''] = address.split('%');
    return isIP(bare) !== 0 && this.#proxies.check(bare, familyOf(bare));
  }
}

/** What is wrong with an entry of the list, in a sentence without its end; undefined when nothing is. */
export function proxyProblem(text: string): string | undefined {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = isIP(address) === 6 ? 128 : 32;
  const fits = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  if (isIP(address) !== 0 && !address.includes('%') && fits && rest.length === 0) return undefined;
  const given = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  return `${given} is neither an address nor a range; give the address of a proxy, as 10.0.0.5, or a range, as 10.20.0.0/16 or fd12:3456::/48`;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

function addressIn(hop: string): string | undefined {
  const [, inBrackets] = BRACKETED.exec(hop) ?? [];
  const [, six, four] = WITH_PORT.exec(hop) ?? [];
  return [inBrackets, six, four, hop].find((text) => text !== undefined && isIP(text) !== 0);
}
