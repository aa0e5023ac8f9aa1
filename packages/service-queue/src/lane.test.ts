import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byBytes, laneOf, laneRange } from './lane.js';

// Names that could be taken for a lane's own characters, besides ordinary ones.
const name = fc.oneof(
  fc.string({
    minLength: 1,
    maxLength: 6,
    unit: fc.constantFrom('a', 'b', '\u001e', '\u001f', ' ', '!', '#', '\ufffd', '😀', '\u{10ffff}'),
  }),
  fc.string({ minLength: 1, maxLength: 255, unit: 'grapheme' }),
);
const group = fc.option(name);

describe('laneOf', () => {
  it('is the organization and the group', () => {
    expect(laneOf('acme', 'user-7')).toBe('acme\u001fuser-7');
    expect(laneOf('acme', null)).toBe('acme\u001f');
  });

  it('stays short for long keys, and tells them apart', () => {
    const long = laneOf('acme', 'x'.repeat(65));
    expect(long.replace('acme\u001f', '')).toMatch(/^#[\w-]{43}$/);
    expect(laneOf('acme', 'x'.repeat(66))).not.toBe(long);
    expect(laneOf('acme', 'x'.repeat(64))).toBe(`acme\u001f${'x'.repeat(64)}`);
    expect(laneOf('acme', 'é'.repeat(33))).toMatch(/#/);
    // What a long key became is no key's own lane.
    expect(laneOf('acme', long.slice('acme\u001f'.length))).not.toBe(long);
  });

  it('differs whenever the organization or the group does', () => {
    fc.assert(
      fc.property(name, group, name, group, (organization, key, otherOrganization, otherKey) => {
        const same = organization === otherOrganization && key === otherKey;
        expect(laneOf(organization, key) === laneOf(otherOrganization, otherKey)).toBe(same);
      }),
    );
  });
});

describe('laneRange', () => {
  it('holds every lane of the organization, none of another, and all of them without one', () => {
    const within = (lane: string, organization?: string) => {
      const { after, upTo } = laneRange(organization);
      return byBytes(after, lane) < 0 && byBytes(lane, upTo) <= 0;
    };
    fc.assert(
      fc.property(name, name, group, (organization, other, key) => {
        const lane = laneOf(organization, key);
        expect(within(lane)).toBe(true);
        expect(within(lane, organization)).toBe(true);
        expect(within(lane, other)).toBe(organization === other);
        // Names that begin alike.
        expect(within(lane, organization + other)).toBe(false);
        expect(within(laneOf(organization + other, key), organization)).toBe(false);
      }),
    );
    expect(within(laneOf('a\u001fb', 'c'), 'a')).toBe(false);
    expect(within(laneOf('a\u001eb', null), 'a')).toBe(false);
    expect(within(laneOf('\u{10ffff}', 'g'))).toBe(true);
  });
});

describe('byBytes', () => {
  it('compares as UTF-8 does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (left, right) => {
        expect(Math.sign(byBytes(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
      }),
    );
    expect(byBytes('\ufffd', '😀')).toBeLessThan(0);
  });
});
