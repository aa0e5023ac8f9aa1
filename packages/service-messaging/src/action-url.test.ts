import { describe, expect, it } from 'vitest';
import { actionUrl } from './action-url.js';

const source = { type: 'order', id: '7' };

describe('actionUrl', () => {
  it.each([
    ['the payload url first', { url: '/u', actionUrl: '/a' }, source, '/u'],
    ['then its actionUrl', { actionUrl: '/a' }, source, '/a'],
    ['then the record', { title: 'x' }, source, '/order/7'],
    ['the record when there is no payload', null, source, '/order/7'],
    ['an empty text is no url', { url: '', actionUrl: '' }, source, '/order/7'],
    ['nothing without any', { title: 'x' }, null, undefined],
    ['ids that need it are escaped', null, { type: 'a b', id: 'x/../y' }, '/a%20b/x%2F..%2Fy'],
  ] as const)('%s', (_title, payload, from, expected) => {
    expect(actionUrl(payload, from)).toBe(expected);
  });

  it.each(['javascript:alert(1)', 'JavaScript:alert(1)', ' java\tscript:alert(1)', '\u0001data:text/html,x', 'vbscript:x'])(
    'refuses %j: a link that runs',
    (url) => {
      for (const payload of [{ url }, { actionUrl: url }]) {
        expect(() => actionUrl(payload, source)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
      }
    },
  );

  it.each(['https://example.org/javascript:x', '/javascript:x', 'mailto:a@example.org', 'myapp://orders/7', '?next=data:'])(
    'lets %s through',
    (url) => {
      expect(actionUrl({ url }, source)).toBe(url);
    },
  );
});
