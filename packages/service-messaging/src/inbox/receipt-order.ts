import type { ReceiptState } from '@bellhop/contracts';

/**
 * How far a receipt has come: delivered < read < clicked, dismissed. A receipt moves up and never down or sideways, so a late `read` does not
 * hide that a message was clicked. Stores in SQL write this rule as `state IN (:below)`.
 */
const RANK: Readonly<Record<ReceiptState, number>> = { delivered: 0, read: 1, clicked: 2, dismissed: 2 };

export const RECEIPT_STATES = Object.keys(RANK) as readonly ReceiptState[];

/** Whether a receipt in state `from` moves to `to`. */
export function advances(from: ReceiptState, to: ReceiptState): boolean {
  return RANK[to] > RANK[from];
}

/** The states from which a receipt moves to `to`. */
export function statesBelow(to: ReceiptState): readonly ReceiptState[] {
  return RECEIPT_STATES.filter((from) => advances(from, to));
}

/** Read, clicked and dismissed messages count as read. */
export function isRead(state: ReceiptState): boolean {
  return RANK[state] >= RANK.read;
}
