import type { DeliveryStatus } from '@bellhop/contracts';

/** What may be asked of a delivery. `ack`, `renew` and `release` come from whoever claimed it last. */
export const DELIVERY_OPERATIONS = [
  'enqueue again',
  'claim',
  'ack success',
  'ack retry',
  'ack uncounted retry',
  'ack dead',
  'ack suppressed',
  'renew',
  'release',
  'reap',
  'cancel',
] as const;
export type DeliveryOperation = (typeof DELIVERY_OPERATIONS)[number];

export interface DeliveryTransition {
  readonly to: DeliveryStatus;
  /** What the caller is told: the first id, the row or none, the ack's outcome, the number of rows, nothing. */
  readonly answer: 'first id' | 'the row' | 'none' | 'acked' | 'lost' | '1' | '0' | 'nothing';
}

/** A claim that is not held, or was, changes nothing; neither does anything once the row is finished. */
function inert(status: DeliveryStatus): Record<DeliveryOperation, DeliveryTransition> {
  return {
    'enqueue again': { to: status, answer: 'first id' },
    claim: { to: status, answer: 'none' },
    'ack success': { to: status, answer: 'lost' },
    'ack retry': { to: status, answer: 'lost' },
    'ack uncounted retry': { to: status, answer: 'lost' },
    'ack dead': { to: status, answer: 'lost' },
    'ack suppressed': { to: status, answer: 'lost' },
    renew: { to: status, answer: 'lost' },
    release: { to: status, answer: 'nothing' },
    reap: { to: status, answer: '0' },
    cancel: { to: status, answer: '0' },
  };
}

/**
 * The whole life of a delivery: every status against everything that may be asked. `reap` is of an expired claim below the attempt limit;
 * at the limit it leads to `dead`. Where a cell keeps its status, no column changes either, but for the expiry that `renew` moves.
 */
export const DELIVERY_STATE_TABLE: Readonly<Record<DeliveryStatus, Readonly<Record<DeliveryOperation, DeliveryTransition>>>> = {
  pending: { ...inert('pending'), claim: { to: 'in_flight', answer: 'the row' }, cancel: { to: 'cancelled', answer: '1' } },
  in_flight: {
    ...inert('in_flight'),
    'ack success': { to: 'success', answer: 'acked' },
    'ack retry': { to: 'pending', answer: 'acked' },
    'ack uncounted retry': { to: 'pending', answer: 'acked' },
    'ack dead': { to: 'dead', answer: 'acked' },
    'ack suppressed': { to: 'suppressed', answer: 'acked' },
    renew: { to: 'in_flight', answer: 'acked' },
    release: { to: 'pending', answer: 'nothing' },
    reap: { to: 'pending', answer: '1' },
  },
  success: inert('success'),
  dead: inert('dead'),
  suppressed: inert('suppressed'),
  cancelled: inert('cancelled'),
};
