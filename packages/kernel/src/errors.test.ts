import { describe, expect, test } from 'vitest';
import { errorMessage } from './errors.js';

/** What code of others may throw, none of it with a text of its own. */
function withMessage(message: unknown): Error {
  return Object.defineProperty(new TypeError('hidden'), 'message', { value: message });
}
const throwingGetter = Object.defineProperty(new Error('hidden'), 'message', {
  get() {
    throw new Error('the getter is broken');
  },
});
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();

describe('errorMessage', () => {
  test.each([
    ['an error', new Error('disk full'), 'disk full'],
    ['a text', 'disk full', 'disk full'],
    ['nothing', undefined, 'undefined'],
    ['null', null, 'null'],
    ['a symbol', Symbol('x'), 'Symbol(x)'],
    ['an object that says what it is', { toString: (): string => 'disk full' }, 'disk full'],
    ['an error without a message that has a code', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    ['an error without a message', new RangeError(), 'RangeError without a message'],
    ['an error whose message is undefined', withMessage(undefined), 'TypeError without a message'],
    ['an error whose message is an object', withMessage({ code: 5 }), 'TypeError without a message'],
  ])('gives the text of %s', (_title, thrown, text) => {
    expect(errorMessage(thrown)).toBe(text);
  });

  test.each([
    ['an object without a prototype', Object.create(null)],
    ['an error whose message throws', throwingGetter],
    [
      'a value whose toString throws',
      {
        toString(): string {
          throw new Error('broken');
        },
      },
    ],
    ['a value whose toString gives an object', { toString: (): object => ({}), valueOf: () => ({}) }],
    ['an error whose name is no text either', Object.assign(withMessage(undefined), { name: Object.create(null) })],
    ['a proxy that is gone', revoked],
  ])('does not throw over %s', (_title, thrown) => {
    expect(errorMessage(thrown)).toBe('object thrown, which has no text');
  });
});
