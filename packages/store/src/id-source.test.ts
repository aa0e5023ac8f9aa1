import { describe, expect, it } from 'vitest';
import { createClaimToken, createIdSource } from './id-source.js';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('createIdSource', () => {
  it('makes UUIDs of version 7 that carry the time', () => {
    const id = createIdSource({ clock: { now: () => 0x0123456789ab }, random: Math.random })();
    expect(id).toMatch(UUID_V7);
    expect(id.startsWith('01234567-89ab-7')).toBe(true);
  });

  it('rises strictly within one millisecond, whatever the random source', () => {
    for (const random of [() => 0, () => 1 - Number.EPSILON, () => 0.5, Math.random]) {
      const next = createIdSource({ clock: { now: () => 1_000 }, random });
      const ids = Array.from({ length: 2_000 }, next);
      expect(ids).toEqual([...ids].sort());
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it('keeps rising when the clock goes back, and follows it again once it has caught up', () => {
    let now = 5_000;
    const next = createIdSource({ clock: { now: () => now }, random: Math.random });
    const first = next();
    now = 1_000;
    const during = [next(), next()];
    now = 5_001;
    const after = next();
    expect([first, ...during, after]).toEqual([first, ...during, after].sort());
    expect(during[0]?.slice(0, 13)).toBe(first.slice(0, 13));
    expect(after.slice(0, 13)).not.toBe(first.slice(0, 13));
  });

  it('keeps two sources with one clock apart', () => {
    const clock = { now: () => 1_000 };
    const left = createIdSource({ clock, random: Math.random });
    const right = createIdSource({ clock, random: Math.random });
    const ids = Array.from({ length: 500 }, () => [left(), right()]).flat();
    expect(new Set(ids).size).toBe(1_000);
  });
});

describe('createClaimToken', () => {
  it('is 128 random bits in hex', () => {
    const tokens = Array.from({ length: 100 }, () => createClaimToken(Math.random));
    expect(new Set(tokens).size).toBe(100);
    for (const token of tokens) expect(token).toMatch(/^[0-9a-f]{32}$/);
  });
});
