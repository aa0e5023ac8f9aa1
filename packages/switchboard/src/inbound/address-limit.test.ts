import { ManualClock } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { AddressLimit } from './address-limit.js';

const taken = (limit: AddressLimit, address: string, times: number) =>
  Array.from({ length: times }, () => limit.take(address)).filter(Boolean).length;

describe('the limit of an address', () => {
  it('is 20 at once, then 10 a second', async () => {
    const clock = new ManualClock();
    const limit = new AddressLimit({ clock });
    expect(taken(limit, 'a', 25)).toBe(20);
    await clock.advance(99);
    expect(limit.take('a')).toBe(false);
    await clock.advance(1);
    expect(taken(limit, 'a', 5)).toBe(1);
    await clock.advance(1_000);
    expect(taken(limit, 'a', 25)).toBe(10);
    await clock.advance(3_600_000);
    expect(taken(limit, 'a', 25)).toBe(20);
  });

  it('is its own', () => {
    const limit = new AddressLimit({ clock: new ManualClock() });
    expect(taken(limit, 'a', 25)).toBe(20);
    expect(taken(limit, 'b', 25)).toBe(20);
  });

  it('remembers the 10 000 addresses heard last, by 64 characters each', () => {
    const limit = new AddressLimit({ clock: new ManualClock() });
    taken(limit, 'first', 20);
    taken(limit, 'second', 20);
    for (let n = 0; n < 9_998; n++) limit.take(`${n}`);
    // Heard again, it is not the oldest any more.
    expect(limit.take('first')).toBe(false);
    limit.take('one more');
    expect(limit.size).toBe(10_000);
    expect(limit.take('first')).toBe(false);
    expect(limit.take('second')).toBe(true);
    expect(limit.size).toBe(10_000);
    expect(taken(limit, `${'x'.repeat(64)}1`, 20)).toBe(20);
    expect(limit.take(`${'x'.repeat(64)}2`)).toBe(false);
  });
});
