import { isIPv6 } from 'node:net';

/** Longer than any address. What is longer is somebody's text, and must not fill the memory. */
const MOST_CHARACTERS = 64;
const GROUPS = 8;

/**
 * Whom the limits count an address as. Who has one IPv6 address has its whole /64; an IPv4 address is the same one when it is written as IPv6
 * (`::ffff:192.0.2.1`), as it is on a socket of both families.
 */
export function addressKey(address: string): string {
  const text = address.slice(0, MOST_CHARACTERS);
  const [bare = ''] = text.split('%');
  if (!isIPv6(bare)) return text;
  const groups = groupsOf(bare);
  const [high = 0, low = 0] = groups.slice(6);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped) return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** Of a well-formed IPv6 address: eight numbers of 16 bits. */
function groupsOf(address: string): number[] {
  const [head = [], tail] = address.split('::').map(toGroups);
  if (tail === undefined) return head;
  return [...head, ...Array<number>(GROUPS - head.length - tail.length).fill(0), ...tail];
}

function toGroups(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
