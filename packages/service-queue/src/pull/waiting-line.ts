/**
 * Consumers that wait for a job. One loop looks for all of them: what is announced is claimed for those who wait for its queue, everything else is
 * found by one survey of all their queues, at due times and at an interval that backs off. Whoever came first is served first.
 *
 * Invariants: nobody waits past its time; a claim for somebody who is gone is handed back, its attempt not counted; without anybody who waits
 * nothing is asked of the store.
 */
import type { ClaimedJob, JobStore, JobSurvey } from '@bellhop/contracts';
import { type Clock, errorMessage, type Logger } from '@bellhop/kernel';
import { DispatchLoop, type TickHint, type TickResult } from '@bellhop/loop';
import type { CheckedPullClaim } from './pull-input.js';
import { type Group, groupKey, handOut, type Turn, turnsOf, type Waiter } from './turns.js';

/** A look at the store serves whoever comes within so many milliseconds: what it did not see was announced, or waits for the next look. */
const SURVEY_EVERY_MS = 5_000;
/** Rows that a tick promotes at most. */
const PROMOTE_LIMIT = 1_000;

export interface WaitingLinePorts {
  readonly jobs: Pick<JobStore, 'survey' | 'promote'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds between two looks while there is work, and the longest between two while there is none. */
  readonly intervalMs?: number | undefined;
  readonly maxIdleIntervalMs?: number | undefined;
  /** Claims for several, each another queue or organization. @returns jobs in the order of those asked for. */
  readonly claim: (wanted: readonly Omit<CheckedPullClaim, 'waitMs'>[]) => Promise<ClaimedJob[][]>;
  /** Told when a lease has expired: whoever works returns it. */
  readonly onExpired: () => void;
  readonly giveBack: (jobs: readonly ClaimedJob[]) => Promise<void>;
}

export class WaitingLine {
  private readonly groups = new Map<string, Group>();
  /** Groups by queue: a publish must not look through them all. */
  private readonly ofQueue = new Map<string, Set<Group>>();
  private readonly loop: DispatchLoop;
  private announced = new Set<string>();
  /** Announcements so far: who tried meanwhile may have missed one. */
  private announcements = 0;
  private surveyedAt = Number.NEGATIVE_INFINITY;
  private open = false;

  constructor(private readonly ports: WaitingLinePorts) {
    const { clock, logger, intervalMs, maxIdleIntervalMs } = ports;
    this.loop = new DispatchLoop({
      clock,
      ...(intervalMs === undefined ? {} : { intervalMs }),
      ...(maxIdleIntervalMs === undefined ? {} : { maxIdleIntervalMs }),
      onTickError: (error) => logger.warn({ error: errorMessage(error) }, 'a look for pulled jobs failed'),
      tick: (_signal, hint) => this.tick(hint),
    });
  }

  /** Who waits. */
  get size(): number {
    return [...this.groups.values()].reduce((size, { waiters }) => size + waiters.size, 0);
  }

  /** Of those who wait, for whom a claim is under way. */
  get trying(): number {
    return [...this.groups.values()].reduce((sum, { waiters }) => sum + [...waiters].filter(({ trying }) => trying).length, 0);
  }

  start(): void {
    this.open = true;
    this.loop.start();
  }

  /** Nobody waits any longer: each gets what a claim under way brings it, or nothing. */
  close(): void {
    this.open = false;
    for (const { waiters } of this.groups.values()) for (const waiter of waiters) this.end(waiter, 'over');
  }

  /** As `close`, and nothing is looked for any more. */
  async stop(): Promise<void> {
    this.close();
    await this.loop.stop();
  }

  /** Jobs became claimable. @param queue theirs, where it is known. */
  wake(queue?: string): void {
    if (queue === undefined ? this.groups.size === 0 : !this.ofQueue.has(queue)) return;
    this.announcements += 1;
    if (queue === undefined) this.surveyedAt = Number.NEGATIVE_INFINITY;
    else this.announced.add(queue);
    this.loop.wake();
  }

  /** Jobs come due at `at`, epoch milliseconds. */
  due(at: number): void {
    this.loop.due(at);
  }

  /**
   * Jobs for a consumer: those that are there, else those that come within its time. Empty when none did, when `signal` aborts, and after `close`.
   *
   * @throws what the claim threw.
   */
  async wait(wanted: CheckedPullClaim, signal: AbortSignal | undefined): Promise<readonly ClaimedJob[]> {
    if (signal?.aborted) return [];
    const group = this.join(wanted);
    // Others wait for the same: there is nothing, as far as anybody knows.
    const first = group.waiters.size === 0;
    const seen = this.announcements;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        timer?.cancel();
        signal?.removeEventListener('abort', onAbort);
        group.waiters.delete(waiter);
        if (group.waiters.size === 0) this.disband(group);
      };
      const waiter: Waiter = {
        wanted,
        trying: first,
        state: this.open && wanted.waitMs > 0 ? 'waiting' : 'over',
        settle: (jobs) => {
          leave();
          resolve(jobs);
        },
        fail: (error) => {
          leave();
          reject(error);
        },
      };
      const onAbort = (): void => this.end(waiter, 'gone');
      signal?.addEventListener('abort', onAbort);
      group.waiters.add(waiter);
      const timer = waiter.state === 'waiting' ? this.ports.clock.setTimeout(() => this.end(waiter, 'over'), wanted.waitMs) : undefined;
      if (first || waiter.state === 'over') {
        void this.serve([{ group, waiters: [waiter], limit: wanted.limit, leaseMs: wanted.leaseMs }], []).then(() => this.settleDown(seen));
      } else {
        this.settleDown(seen);
      }
    });
  }

  /** Somebody began to wait: whatever nobody announced is looked for, unless somebody just has. */
  private settleDown(seen: number): void {
    if (this.groups.size === 0) return;
    if (seen !== this.announcements) this.loop.wake();
    else if (!this.surveyIsFresh()) this.loop.due(this.ports.clock.now());
  }

  private join({ queue, organizationId }: CheckedPullClaim): Group {
    const key = groupKey({ queue, organizationId });
    const found = this.groups.get(key);
    if (found) return found;
    const group: Group = { key, queue, organizationId, waiters: new Set() };
    this.groups.set(key, group);
    this.ofQueue.set(queue, (this.ofQueue.get(queue) ?? new Set()).add(group));
    return group;
  }

  private disband(group: Group): void {
    this.groups.delete(group.key);
    const beside = this.ofQueue.get(group.queue);
    beside?.delete(group);
    if (beside?.size === 0) this.ofQueue.delete(group.queue);
  }

  private end(waiter: Waiter, state: 'over' | 'gone'): void {
    if (waiter.state !== 'gone') waiter.state = state;
    if (!waiter.trying) waiter.settle([]);
  }

  /** One claim for all of these. @returns how many jobs each turn took. What fails is told to those it was for, and noted in `failed`. */
  private async serve(turns: readonly Turn[], failed: unknown[]): Promise<number[]> {
    for (const { waiters } of turns) for (const waiter of waiters) waiter.trying = true;
    let taken: ClaimedJob[][];
    try {
      taken = await this.ports.claim(
        turns.map(({ group: { queue, organizationId }, limit, leaseMs }) => ({ queue, organizationId, limit, leaseMs })),
      );
    } catch (error) {
      failed.push(error);
      for (const { waiters } of turns) for (const waiter of waiters) waiter.fail(error);
      return turns.map(() => 0);
    }
    const unclaimed = turns.flatMap(({ waiters }, place) => handOut(waiters, taken[place] ?? []));
    if (unclaimed.length > 0) await this.ports.giveBack(unclaimed);
    return taken.map(({ length }) => length);
  }

  private async tick(hint: TickHint): Promise<TickResult> {
    const announced = this.announced;
    this.announced = new Set();
    const groups = [...this.groups.values()];
    if (groups.length === 0) return { claimed: 0 };
    if ((hint === 'wake' || hint === 'more') && this.surveyIsFresh()) {
      const failed: unknown[] = [];
      const claimed = await this.serveAll(
        [...announced].flatMap((queue) => [...(this.ofQueue.get(queue) ?? [])]),
        failed,
      );
      if (claimed > 0 || failed.length > 0) return { claimed, failed };
    }
    return this.surveyAndServe(groups);
  }

  private async surveyAndServe(groups: readonly Group[]): Promise<TickResult> {
    const { jobs, clock } = this.ports;
    const askedAt = clock.now();
    const survey = await jobs.survey({ queues: groups.map(({ queue, organizationId }) => ({ queue, organizationId })) });
    this.surveyedAt = clock.monotonic();
    const failed: unknown[] = [];
    if (survey.promotable) await jobs.promote({ limit: PROMOTE_LIMIT }).catch((error: unknown) => failed.push(error));
    const claimable = new Set(survey.claimable);
    if (survey.expired) this.ports.onExpired();
    // What was just promoted may be of any queue.
    const claimed = await this.serveAll(survey.promotable ? groups : groups.filter(({ queue }) => claimable.has(queue)), failed);
    return {
      claimed,
      failed,
      // An expired lease is returned by a worker, perhaps of another process that tells nobody.
      contended: claimed === 0 && failed.length === 0 && (claimable.size > 0 || survey.expired),
      nextDueAt: nextTime(survey, askedAt),
    };
  }

  /** Claims for groups until each has no one left or nothing more. @returns jobs. */
  private async serveAll(groups: readonly Group[], failed: unknown[]): Promise<number> {
    let claimed = 0;
    for (let turns = turnsOf(groups); turns.length > 0; ) {
      const taken = await this.serve(turns, failed);
      claimed += taken.reduce((sum, count) => sum + count, 0);
      turns = turnsOf(turns.filter((_, place) => (taken[place] ?? 0) > 0).map(({ group }) => group));
    }
    return claimed;
  }

  private surveyIsFresh(): boolean {
    return this.ports.clock.monotonic() - this.surveyedAt < SURVEY_EVERY_MS;
  }
}

function nextTime({ nextDueAt, nextExpiryAt }: JobSurvey, askedAt: number): number | null {
  const times = [nextDueAt, nextExpiryAt].filter((time): time is number => time !== undefined && time > askedAt);
  return times.length > 0 ? Math.min(...times) : null;
}
