import { describe, expect, it } from 'vitest';
import { EXTERNAL_IDS } from './hostile-channel.fixture.js';
import { readSendResult } from './send-result.js';

describe('readSendResult', () => {
  it.each(EXTERNAL_IDS)('an external id of %o is kept as %s', (externalId, kept) => {
    expect(readSendResult('email', { ok: true, externalId })).toEqual(kept === undefined ? { ok: true } : { ok: true, externalId: kept });
  });

  it.each([
    [90_000, 90_000],
    [0, 0],
    [-1, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
    ['30', undefined],
    [30n, undefined],
    [null, undefined],
  ])('a wait of %s ms is kept as %s', (retryAfterMs, kept) => {
    expect(readSendResult('email', { ok: false, error: 'no', retryAfterMs }).retryAfterMs).toBe(kept);
  });

  it.each([[null], [undefined], ['']])('an error of %o is none', (error) => {
    expect(readSendResult('email', { ok: false, error })).toEqual({ ok: false });
  });

  it.each([[undefined], [null], [true], [{}], [{ ok: 1 }], ['ok']])('%o is no result', (sent) => {
    expect(() => readSendResult('email', sent)).toThrow('The channel "email" returned no result: `send` resolves to { ok }.');
  });
});
