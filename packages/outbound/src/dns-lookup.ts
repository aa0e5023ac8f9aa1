/**
 * The addresses of a host name by the machine's hosts file, then by its DNS servers. Must never use getaddrinfo (`dns.lookup`): that holds a
 * thread of the process's pool until it gives up, two of the four threads are all it gets, and so two names whose DNS is silent stop every other
 * lookup of the process. Here a lookup has a resolver of its own, waits on a socket, and can be told to stop.
 */
import { promises as dns } from 'node:dns';
import { type Clock, systemClock, type Timer } from '@bellhop/kernel';
import type { AddressLookup, FoundAddress } from './address-lookup.js';
import { HostsFile } from './hosts-file.js';

export interface DnsLookupOptions {
  /** Default: the system's clock. */
  readonly clock?: Clock | undefined;
  /** DNS servers as `address` or `address:port`. Default: the machine's. */
  readonly servers?: readonly string[] | undefined;
  /** Path of the hosts file. Default: the machine's. */
  readonly hostsFile?: string | undefined;
}

/** For the first try at a server; the second waits longer. */
const TRY_MS = 2_000;
const TRIES = 2;
/** How long one family's answer waits for the other's: some servers never answer a question for IPv6. */
const OTHER_FAMILY_MS = 1_000;

/**
 * Only the full name is asked for: no search domain is added, and no other name service of the machine is asked. A name in the hosts file has the
 * addresses it has there, and DNS is not asked. IPv4 comes first. The addresses of one family are enough; none is an empty answer.
 */
export function dnsLookup({ clock = systemClock, servers, hostsFile }: DnsLookupOptions = {}): AddressLookup {
  const hosts = new HostsFile(hostsFile);
  return async (host, signal) => {
    const listed = await hosts.addressesOf(host);
    if (listed.length > 0) return listed;
    signal.throwIfAborted();
    const resolver = new dns.Resolver({ timeout: TRY_MS, tries: TRIES });
    if (servers !== undefined) resolver.setServers(servers);
    return bothFamilies(resolver, host, clock, signal);
  };
}

async function bothFamilies(resolver: dns.Resolver, host: string, clock: Clock, signal: AbortSignal): Promise<readonly FoundAddress[]> {
  const stop = () => resolver.cancel();
  signal.addEventListener('abort', stop, { once: true });
  let patience: Timer | undefined;
  const asked = async (family: 4 | 6): Promise<readonly FoundAddress[]> => {
    const addresses = await (family === 4 ? resolver.resolve4(host) : resolver.resolve6(host));
    patience ??= clock.setTimeout(stop, OTHER_FAMILY_MS);
    return addresses.map((address) => ({ address, family }));
  };
  try {
    const answers = await Promise.allSettled([asked(4), asked(6)]);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    // A name without an address of one family is no failure of the other's question, but that other one may have failed.
    const failures = answers.flatMap((answer) =>
      answer.status === 'rejected' && answer.reason?.code !== dns.NODATA ? [answer.reason] : [],
    );
    if (found.length === 0 && failures.length > 0) throw failures[0];
    return found;
  } finally {
    patience?.cancel();
    signal.removeEventListener('abort', stop);
  }
}
