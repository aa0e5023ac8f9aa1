import { InputError } from '@bellhop/kernel';
import { describe, expect, it } from 'vitest';
import { resolveAudience } from './audience.js';

describe('resolveAudience', () => {
  it.each([
    ['a bare id', 'u1', ['u1']],
    ['a prefixed id', 'user:u1', ['u1']],
    ['a list', ['u1', 'user:u2'], ['u1', 'u2']],
    ['spaces around either part', ['  u1 ', ' user: u2 '], ['u1', 'u2']],
    ['repeats, however written, in the order of the first mention', ['b', 'user:a', 'a', ' b'], ['b', 'a']],
    ['empty ones are nobody', ['', '  ', 'u1'], ['u1']],
    ['an empty list is nobody', [], []],
    ['an e-mail address is an id', 'Ada@example.com', ['Ada@example.com']],
    ['an id with a colon is an id', 'auth0|x:7', ['auth0|x:7']],
    ['words that only begin alike are ids', ['roles', 'teams', 'subscribers-1', 'owner'], ['roles', 'teams', 'subscribers-1', 'owner']],
  ])('%s', (_title, audience, expected) => {
    expect(resolveAudience(audience, 'audience')).toEqual(expected);
  });

  it.each(['role:admin', ' team:7', 'owner_of:order:7', 'subscribers'])('refuses %s instead of taking it for an id', (selector) => {
    expect(() => resolveAudience(['u1', selector], 'audience')).toThrow(/^audience\[1\]: .* is no selector of this release/);
  });

  it.each([
    [{ ownerOf: { object: 'order', id: '7' } }, 'audience'],
    [undefined, 'audience'],
    [['u1', 7], 'audience[1]'],
    [['u1', null], 'audience[1]'],
    [['user: '], 'audience[0]'],
    ['x'.repeat(256), 'audience'],
    [['a\0b'], 'audience[0]'],
    ['.', 'audience'],
    [['user:..'], 'audience[0]'],
  ])('refuses %j, and says where', (audience, path) => {
    try {
      resolveAudience(audience, 'audience');
    } catch (error) {
      expect(error).toBeInstanceOf(InputError);
      expect((error as InputError).path).toBe(path);
      return;
    }
    throw new Error('taken');
  });
});
