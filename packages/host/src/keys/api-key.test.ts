import { describe, expect, it } from 'vitest';
import { hashApiKey, hintOf, isMadeKey, makeApiKey, sameHash } from './api-key.js';

describe('API keys', () => {
  it('hold 256 random bits behind a prefix that says their kind', () => {
    const keys = Array.from({ length: 100 }, () => makeApiKey('root'));
    expect(new Set(keys).size).toBe(100);
    expect(keys.every((key) => /^bh_root_[A-Za-z0-9_-]{43}$/.test(key) && isMadeKey(key))).toBe(true);
    expect(makeApiKey('organization')).toMatch(/^bh_org_[A-Za-z0-9_-]{43}$/);
  });

  it('show four characters of their secret, also where it holds an underscore', () => {
    expect(hintOf(`bh_root_ab_d${'x'.repeat(39)}`)).toBe('bh_root_ab_d…');
    expect(hintOf(`bh_org_____${'x'.repeat(39)}`)).toBe('bh_org_____…');
  });

  it('are compared by hash, whatever the lengths', () => {
    expect(sameHash(hashApiKey('a'), hashApiKey('a'))).toBe(true);
    expect(sameHash(hashApiKey('a'), hashApiKey('b'))).toBe(false);
    expect(sameHash(hashApiKey('a'), 'short')).toBe(false);
  });
});
