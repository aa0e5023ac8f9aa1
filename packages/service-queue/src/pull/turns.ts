// Whose turn it is: those who wait, in groups that one claim can serve. Pure, but for the notes in the waiters.
import type { ClaimedJob } from '@bellhop/contracts';
import type { CheckedPullClaim } from './pull-input.js';

/** One who waits. */
export interface Waiter {
  readonly wanted: CheckedPullClaim;
  /** A claim is under way in which it has a part. */
  trying: boolean;
  /** `over`: it takes what a claim under way brings, and waits no longer. `gone`: nobody would take it. */
  state: 'waiting' | 'over' | 'gone';
  readonly settle: (jobs: readonly ClaimedJob[]) => void;
  readonly fail: (error: unknown) => void;
}

/** Those who wait for one queue's jobs of one organization, first come first. */
export interface Group {
  readonly key: string;
  readonly queue: string;
  readonly organizationId: string;
  readonly waiters: Set<Waiter>;
}

/** Those of a group for whom one claim is made. */
export interface Turn {
  readonly group: Group;
  readonly waiters: readonly Waiter[];
  readonly limit: number;
  readonly leaseMs: number;
}

/** What a claim may take of one queue. */
const CLAIM_LIMIT = 1_000;

/** Names the group of a claim, or of a job. */
export function groupKey({ queue, organizationId }: Pick<CheckedPullClaim, 'queue' | 'organizationId'>): string {
  return JSON.stringify([queue, organizationId]);
}

/** For each group the first who wait and want the same lease, together. */
export function turnsOf(groups: readonly Group[]): Turn[] {
  return groups.flatMap((group) => {
    const waiters: Waiter[] = [];
    let limit = 0;
    for (const waiter of group.waiters) {
      if (waiter.trying || waiter.state !== 'waiting') continue;
      if (waiters[0] && (waiters[0].wanted.leaseMs !== waiter.wanted.leaseMs || limit + waiter.wanted.limit > CLAIM_LIMIT)) break;
      waiters.push(waiter);
      limit += waiter.wanted.limit;
    }
    return waiters[0] ? [{ group, waiters, limit, leaseMs: waiters[0].wanted.leaseMs }] : [];
  });
}

/** The jobs of a turn to those it was for, the first one first. @returns what nobody is there for. */
export function handOut(waiters: readonly Waiter[], jobs: readonly ClaimedJob[]): readonly ClaimedJob[] {
  let rest = jobs;
  for (const waiter of waiters) {
    waiter.trying = false;
    const share = waiter.state === 'gone' ? [] : rest.slice(0, waiter.wanted.limit);
    rest = rest.slice(share.length);
    if (share.length > 0 || waiter.state !== 'waiting') waiter.settle(share);
  }
  return rest;
}
