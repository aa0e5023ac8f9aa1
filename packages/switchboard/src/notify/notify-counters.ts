import type { WakeOutcomeKind } from '@bellhop/contracts';
import { ATTEMPT_CLASSES, type AttemptClass } from './attempt-class.js';

/** Why a wake or a delivery was dropped: no room for wakes, none for deliveries, too many POSTs to one hook in a minute, the end of the process. */
export const DROP_CAUSES = ['wakes_full', 'deliveries_full', 'rate_limited', 'stopped'] as const;
export type DropCause = (typeof DROP_CAUSES)[number];

const OUTCOMES = ['delivered', 'failed', 'dropped', 'suppressed'] as const satisfies readonly WakeOutcomeKind[];

/** What the dispatcher of this process did since it was made. */
export interface NotifyCounters {
  /** Wakes that have ended, each over all its hooks. */
  readonly wakes: Readonly<Record<WakeOutcomeKind, number>>;
  /** The same of each wake and hook. */
  readonly deliveries: Readonly<Record<WakeOutcomeKind, number>>;
  /** POSTs. */
  readonly attempts: Readonly<Record<AttemptClass, number>>;
  readonly dropped: Readonly<Record<DropCause, number>>;
  /** Hooks that failed ten times in a row. */
  readonly hooksDisabled: number;
}

type Counting<T> = { -readonly [K in keyof T]: T[K] extends number ? number : { -readonly [L in keyof T[K]]: number } };

export function zeroCounters(): Counting<NotifyCounters> {
  const zeros = <Key extends string>(keys: readonly Key[]) => Object.fromEntries(keys.map((key) => [key, 0])) as Record<Key, number>;
  return {
    wakes: zeros(OUTCOMES),
    deliveries: zeros(OUTCOMES),
    attempts: zeros(ATTEMPT_CLASSES),
    dropped: zeros(DROP_CAUSES),
    hooksDisabled: 0,
  };
}
