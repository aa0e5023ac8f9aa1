import type { ReceiptState } from '@bellhop/contracts';
import { describe, expect, it } from 'vitest';
import { advances, isRead, RECEIPT_STATES, statesBelow } from './receipt-order.js';

describe('receipt order', () => {
  const moves: readonly [ReceiptState, ReceiptState, boolean][] = [
    ['delivered', 'delivered', false],
    ['delivered', 'read', true],
    ['delivered', 'clicked', true],
    ['delivered', 'dismissed', true],
    ['read', 'delivered', false],
    ['read', 'read', false],
    ['read', 'clicked', true],
    ['read', 'dismissed', true],
    ['clicked', 'delivered', false],
    ['clicked', 'read', false],
    ['clicked', 'clicked', false],
    ['clicked', 'dismissed', false],
    ['dismissed', 'delivered', false],
    ['dismissed', 'read', false],
    ['dismissed', 'clicked', false],
    ['dismissed', 'dismissed', false],
  ];

  it.each(moves)('%s → %s moves: %s', (from, to, moved) => {
    expect(advances(from, to)).toBe(moved);
    expect(statesBelow(to).includes(from)).toBe(moved);
  });

  it('covers every state', () => {
    expect(moves).toHaveLength(RECEIPT_STATES.length ** 2);
  });

  it('reads everything but delivered as read', () => {
    expect(RECEIPT_STATES.filter(isRead)).toEqual(['read', 'clicked', 'dismissed']);
  });
});
