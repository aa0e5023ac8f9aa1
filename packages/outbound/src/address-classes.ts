/**
 * What an IP address is: public, or one of the kinds that no outgoing call may reach by default. Pure; it knows no policy and asks no resolver.
 * Whatever is not known to be public is never called so.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export type AddressClass =
  | 'public'
  | 'private'
  | 'loopback'
  | 'link-local'
  | 'unique local'
  | 'carrier-grade NAT'
  | 'cloud metadata'
  | 'documentation'
  | 'benchmarking'
  | 'reserved'
  | 'unspecified'
  | 'multicast'
  | 'broadcast'
  | 'NAT64'
  | 'IPv4-mapped'
  | 'IPv4-compatible'
  | 'IPv4-translated'
  | '6to4'
  | 'Teredo';

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/**
 * Where clouds hand out credentials to whoever asks from inside. Some are in ranges that an operator may want to open (fd00::/8, 100.64.0.0/10),
 * and 168.63.129.16 is in a public one, so they are listed one by one.
 */
const METADATA: readonly string[] = [
  '169.254.169.254', // AWS, Azure, Google, Oracle, DigitalOcean, Hetzner, OpenStack
  '169.254.170.2', // AWS: credentials of ECS tasks
  '169.254.170.23', // AWS: credentials of EKS pods
  '169.254.0.23', // Tencent
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure: the host's wire server
  '192.0.0.192', // Oracle
  'fd00:ec2::254', // AWS
  'fd00:ec2::23', // AWS: credentials of EKS pods
  'fd20:ce::254', // Google
  'fd00:42::42', // Scaleway
  'fe80::a9fe:a9fe', // OpenStack
];
const metadata = new Set(METADATA.map((text) => ipaddr.parse(text).toNormalizedString()));

/** Ranges that ipaddr.js has not, or lumps together with others. */
const NAMED: readonly (readonly [AddressClass, [IpAddress, number]])[] = (
  [
    ['documentation', '192.0.2.0/24'],
    ['documentation', '198.51.100.0/24'],
    ['documentation', '203.0.113.0/24'],
    ['documentation', '2001:db8::/32'],
    ['documentation', '3fff::/20'],
    ['benchmarking', '198.18.0.0/15'],
    ['NAT64', '64:ff9b::/96'],
    ['IPv4-translated', '64:ff9b:1::/48'],
    ['unspecified', '::/128'],
    ['loopback', '::1/128'],
    ['IPv4-compatible', '::/96'],
  ] as const
).map(([name, cidr]) => [name, ipaddr.parseCIDR(cidr)] as const);

const CLASS_OF_RANGE: Readonly<Record<string, AddressClass>> = {
  unicast: 'public',
  private: 'private',
  loopback: 'loopback',
  linkLocal: 'link-local',
  uniqueLocal: 'unique local',
  carrierGradeNat: 'carrier-grade NAT',
  benchmarking: 'benchmarking',
  unspecified: 'unspecified',
  multicast: 'multicast',
  broadcast: 'broadcast',
  ipv4Mapped: 'IPv4-mapped',
  rfc6145: 'IPv4-translated',
  '6to4': '6to4',
  teredo: 'Teredo',
};

const GLOBAL_UNICAST_V6 = ipaddr.parseCIDR('2000::/3');

/** The address a text stands for, in the one strict notation of its family; undefined for anything else (`127.1`, `0x7f.0.0.1`, a name). */
export function parseAddress(text: string): IpAddress | undefined {
  return isIP(text) === 0 ? undefined : ipaddr.parse(text);
}

export function classOfAddress(address: IpAddress): AddressClass {
  if (metadata.has(withoutZone(address).toNormalizedString())) return 'cloud metadata';
  const named = NAMED.find(([, range]) => isInside(address, range));
  if (named) return named[0];
  const found = CLASS_OF_RANGE[address.range()] ?? 'reserved';
  // Everything outside 2000::/3 is unassigned, and ipaddr.js takes what it does not know for unicast.
  return found === 'public' && address.kind() === 'ipv6' && !isInside(address, GLOBAL_UNICAST_V6) ? 'reserved' : found;
}

/** Whether the address lies in the range; never across families. */
export function isInside(address: IpAddress, [network, prefix]: readonly [IpAddress, number]): boolean {
  return address.kind() === network.kind() && address.match(network, prefix);
}

/** The IPv4 address that a 64:ff9b::/96 address is translated to. */
export function behindNat64(address: IpAddress): IpAddress {
  return ipaddr.fromByteArray(address.toByteArray().slice(12));
}

function withoutZone(address: IpAddress): IpAddress {
  return ipaddr.fromByteArray(address.toByteArray());
}
