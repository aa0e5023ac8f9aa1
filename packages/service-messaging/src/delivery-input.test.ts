import type { AckResult } from '@bellhop/contracts';
import { describe, expect, it } from 'vitest';
import { checkAck } from './delivery-input.js';
import { EXTERNAL_IDS, THROWN } from './hostile-channel.fixture.js';

describe('checkAck', () => {
  it.each(EXTERNAL_IDS)('takes a success with an external id of %o, and keeps %s', (externalId, kept) => {
    const result = { success: true, externalId } as AckResult;
    expect(checkAck(result)).toEqual({ status: 'success', externalId: kept ?? null, error: null });
  });

  it.each(THROWN.slice(0, -1))('takes %s for an error', (_title, error, text) => {
    const result = { success: false, dead: true, error } as unknown as AckResult;
    expect(checkAck(result)).toEqual({ status: 'dead', error: text });
  });

  it('takes an error that was left out for an empty text, and strips what no store can keep', () => {
    expect(checkAck({ success: false, dead: true } as unknown as AckResult)).toEqual({ status: 'dead', error: '' });
    expect(checkAck({ success: false, dead: true, error: 'a\0b' })).toEqual({ status: 'dead', error: 'ab' });
  });
});
