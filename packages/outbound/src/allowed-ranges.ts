/**
 * Which addresses an operator's list of CIDR ranges opens. A broad entry must never open what it was hardly written for: loopback, link-local
 * and metadata addresses need an entry of their own.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type AddressClass, behindNat64, classOfAddress, type IpAddress, isInside } from './address-classes.js';

type Range = readonly [network: IpAddress, prefix: number];

/** No call to these has an honest use: they are not hosts, or they hide an IPv4 address from the check. */
const NEVER_OPENED: ReadonlySet<AddressClass> = new Set([
  'unspecified',
  'multicast',
  'broadcast',
  'IPv4-mapped',
  'IPv4-compatible',
  'IPv4-translated',
  '6to4',
  'Teredo',
]);

/** An entry opens these only from within: `0.0.0.0/0` and `127.0.0.0/7` do not open 127.0.0.1. */
const HOMES: Readonly<Partial<Record<AddressClass, readonly Range[]>>> = {
  loopback: [ipaddr.parseCIDR('127.0.0.0/8'), ipaddr.parseCIDR('::1/128')],
  'link-local': [ipaddr.parseCIDR('169.254.0.0/16'), ipaddr.parseCIDR('fe80::/10')],
};

export class AllowedRanges {
  private readonly ranges: readonly Range[];

  /** @param cidrs texts in which {@link cidrProblem} finds nothing. */
  constructor(cidrs: readonly string[]) {
    this.ranges = cidrs.map((text) => ipaddr.parseCIDR(text));
  }

  /** Whether the address may be called: it is public, or an entry opens it. */
  admit(address: IpAddress): boolean {
    const addressClass = classOfAddress(address);
    if (addressClass === 'public') return true;
    if (NEVER_OPENED.has(addressClass)) return false;
    if (!this.ranges.some((range) => isInside(address, range) && opens(range, addressClass))) return false;
    return addressClass !== 'NAT64' || this.admit(behindNat64(address));
  }
}

/** Whether a range that holds an address of this class is narrow enough to mean it. */
function opens(range: Range, addressClass: AddressClass): boolean {
  const [network, prefix] = range;
  if (addressClass === 'cloud metadata') return prefix === bitsOf(network);
  const homes = HOMES[addressClass];
  return homes === undefined || homes.some((home) => prefix >= home[1] && isInside(network, home));
}

/** What is wrong with an entry of the list, in a sentence without its end; undefined when it is a range that can open something. */
export function cidrProblem(text: string): string | undefined {
  const given = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  const [address = '', prefixText = '', ...rest] = text.split('/');
  if (isIP(address) === 0 || address.includes('%') || rest.length > 0 || !/^\d{1,3}$/.test(prefixText)) {
    return `${given} is no CIDR range; give an address and a prefix length, as 10.20.0.0/16, 127.0.0.1/32 or fd12:3456::/48`;
  }
  const network = ipaddr.parse(address);
  const prefix = Number(prefixText);
  if (prefix > bitsOf(network)) return `${given} has a prefix length over ${bitsOf(network)}`;
  const first = edge(network, prefix, 0);
  if (first.toNormalizedString() !== network.toNormalizedString()) {
    return `${given} has bits set behind its prefix; the range is ${first.toString()}/${prefix}, one address is ${address}/${bitsOf(network)}`;
  }
  const addressClass = classOfAddress(first);
  const opensNothing = NEVER_OPENED.has(addressClass) && classOfAddress(edge(network, prefix, 1)) === addressClass;
  return opensNothing ? `${given} is a range of ${addressClass} addresses, which cannot be opened` : undefined;
}

function bitsOf(address: IpAddress): 32 | 128 {
  return address.kind() === 'ipv4' ? 32 : 128;
}

/** The first (all host bits 0) or last (all 1) address of a range. */
function edge(network: IpAddress, prefix: number, hostBit: 0 | 1): IpAddress {
  const bytes = network.toByteArray().map((byte, index) => {
    const hostBits = 0xff >> Math.min(8, Math.max(0, prefix - index * 8));
    return hostBit === 1 ? byte | hostBits : byte & ~hostBits & 0xff;
  });
  return ipaddr.fromByteArray(bytes);
}
