import { SLOT_COUNT } from '@bellhop/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deliverySlot, slotRange } from './delivery-slot.js';

describe('deliverySlot', () => {
  it('is 32-bit FNV-1a of the UTF-8 bytes, modulo 4096: rows stored by one version are found by the next', () => {
    // Published vectors: '' 811c9dc5, 'a' e40c292c, 'foobar' bf9cf968.
    expect(deliverySlot('')).toBe(0x811c9dc5 % SLOT_COUNT);
    expect(deliverySlot('a')).toBe(0xe40c292c % SLOT_COUNT);
    expect(deliverySlot('foobar')).toBe(0xbf9cf968 % SLOT_COUNT);
  });

  it('spreads ids over the slots', () => {
    const perEighth = new Array<number>(8).fill(0);
    for (let at = 0; at < 8000; at += 1) {
      const eighth = Math.floor(deliverySlot(`delivery-${at}`) / 512);
      perEighth[eighth] = (perEighth[eighth] as number) + 1;
    }
    for (const count of perEighth) expect(count).toBeGreaterThan(800);
  });
});

describe('slotRange', () => {
  it('[B7] gives every slot to exactly one partition, whatever the count', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: SLOT_COUNT }), (count) => {
        const ranges = Array.from({ length: count }, (_, index) => slotRange({ index, count }));
        // Each begins where the one before it ends, and none is empty.
        expect(ranges.filter(({ from, to }, index) => from !== (ranges[index - 1]?.to ?? 0) || to <= from)).toEqual([]);
        expect(ranges.at(-1)?.to).toBe(SLOT_COUNT);
      }),
    );
  });

  it('is every slot without a partition', () => {
    expect(slotRange(undefined)).toEqual({ from: 0, to: SLOT_COUNT });
  });

  it.each([
    { index: 0, count: 0 },
    { index: 0, count: 4097 },
    { index: 0, count: 1.5 },
    { index: -1, count: 8 },
    { index: 8, count: 8 },
    { index: Number.NaN, count: 8 },
  ])('refuses %o', (partition) => {
    expect(() => slotRange(partition)).toThrow(/partition\.(index|count): .* given/);
  });
});
