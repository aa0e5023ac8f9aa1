import { StoreError } from '@bellhop/kernel';
import { describe, expect, it } from 'vitest';
import { failureLine } from './failure.js';

describe('the line that says why a command failed', () => {
  it('tells of a write that may have happened only when one could be on its way', () => {
    const reached = 'The database cannot be reached: ECONNREFUSED. A write that was on its way may or may not have happened.';
    expect(failureLine(new StoreError('STORE_UNAVAILABLE', `Cannot open the Postgres database. ${reached}`))).toBe(
      'bellhop: Cannot open the Postgres database. The database cannot be reached: ECONNREFUSED.',
    );
    // Control: one that broke off while in use.
    expect(failureLine(new StoreError('STORE_UNAVAILABLE', reached))).toBe(`bellhop: ${reached}`);
  });
});
