import { ManualClock } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { addressKey } from './address-key.js';
import { AddressLimit } from './address-limit.js';

describe('whom an address is counted as', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
    ['a:b', 'a:b'],
    ['x'.repeat(100), 'x'.repeat(64)],
  ])('%s is %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });

  it('is one sender in a /64, and another beside it (the control)', () => {
    const limit = new AddressLimit({ clock: new ManualClock() });
    const taken = (network: string) =>
      Array.from({ length: 30 }, (_, n) => limit.take(`${network}::${n.toString(16)}`)).filter(Boolean).length;
    expect(taken('2001:db8:1:2')).toBe(20);
    expect(taken('2001:db8:1:3')).toBe(20);
    expect(limit.size).toBe(2);
    expect(Array.from({ length: 30 }, (_, n) => limit.take(n % 2 ? '192.0.2.1' : '::ffff:192.0.2.1')).filter(Boolean)).toHaveLength(20);
  });
});
