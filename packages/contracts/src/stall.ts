import { token } from '@bellhop/kernel';
import type { BoardScope } from './board.js';

/**
 * Why a queue is quiet, the first that applies. `healthy` is `too_young` with a claim in the last ten minutes.
 */
export const STALL_STATES = [
  'endpoint_revoked',
  'endpoint_expired',
  'out_of_scope',
  'drained',
  'ungated_only',
  'no_hook',
  'hook_filtered',
  'healthy',
  'too_young',
  'exhausted',
  'busy',
  'waiting',
  'due',
] as const;
export type StallState = (typeof STALL_STATES)[number];

export interface StallExplanation {
  readonly endpointId: string;
  readonly queue: string;
  readonly state: StallState;
  /** In a sentence. */
  readonly reason: string;
  /** Epoch milliseconds of the next nudge if nothing changes; null: there will be none. The sweep that makes it may come 33 s later. */
  readonly nextWakeAt: number | null;
  /** What would bring a wake, or a sooner one. */
  readonly change: string;
}

/** What became of nudges in one queue name since the start of this process. */
export interface NudgeCounts {
  readonly queue: string;
  readonly charged: number;
  readonly delivered: number;
  /** Nobody was told: failed, dropped, or nothing left to claim. */
  readonly suppressed: number;
  /** Times a pair ran out of nudges. */
  readonly exhausted: number;
}

export interface IStall {
  /** @param idOrSlug of the endpoint. @throws BellhopError `NOT_FOUND`; InputError for a queue that is no name. */
  explain(idOrSlug: string, queue: string, scope: BoardScope): Promise<StallExplanation>;
  counts(): readonly NudgeCounts[];
  /** Pairs that get no nudge any more until something changes. */
  exhaustedPairs(): Promise<number>;
}

export const STALL = token<IStall>('STALL');
