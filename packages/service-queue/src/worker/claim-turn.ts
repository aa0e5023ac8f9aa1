import type { ClaimedJob, JobStore } from '@bellhop/contracts';
import type { Clock } from '@bellhop/kernel';
import type { SharedSlots, TickResult } from '@bellhop/loop';
import type { JobSubscription } from './job-subscription.js';
import type { JobTally } from './job-tally.js';

export interface TurnPorts {
  readonly jobs: JobStore;
  readonly clock: Clock;
  readonly workerId: string;
  readonly sharedSlots: SharedSlots;
  readonly tally: JobTally;
}

/**
 * What one tick claims, and what went wrong. One statement serves all queues; each gets what there is room for, and a queue whose claim fails is
 * claimed for alone until it succeeds.
 */
export class ClaimTurn {
  claimed = 0;
  readonly failed: unknown[] = [];
  /** The earliest due time among the jobs claimed. */
  earliestDueAt = Number.POSITIVE_INFINITY;
  /** Some subscription was left out because others hold the shared slots. */
  crowded = false;
  /** Epoch milliseconds at which suspects that were put off are due again. */
  readonly putOffUntil: number[] = [];
  private latenessMs = 0;

  constructor(
    private readonly ports: TurnPorts,
    private readonly signal: AbortSignal,
  ) {}

  /** Claims for subscriptions that have room. */
  async claim(subscriptions: readonly JobSubscription[]): Promise<void> {
    const limits = this.allot(subscriptions);
    for (const group of groups([...limits.keys()])) {
      if (this.signal.aborted) return;
      await this.claimOnce(group, limits);
    }
  }

  result(): TickResult {
    return {
      claimed: this.claimed,
      ...(this.failed.length > 0 ? { failed: this.failed } : {}),
      ...(this.claimed > 0 ? { latenessMs: this.latenessMs } : {}),
    };
  }

  /** Jobs to ask for: all there is room for while there are slots for all; else the slots are shared out, the least to those that can use fewest. */
  private allot(subscriptions: readonly JobSubscription[]): Map<JobSubscription, number> {
    const { sharedSlots } = this.ports;
    const wanted = subscriptions.reduce((sum, { pool }) => sum + pool.free(), 0);
    if (wanted <= sharedSlots.free) return withRoom(subscriptions.map((each) => [each, each.room()]));
    let left = sharedSlots.free;
    const order = subscriptions.toSorted((one, other) => one.pool.free() - other.pool.free());
    const limits = order.map((each, place): [JobSubscription, number] => {
      const slots = Math.min(each.pool.free(), Math.ceil(left / (order.length - place)));
      left -= slots;
      if (slots === 0) this.crowded = true;
      return [each, slots * (each.options.batch ?? 1)];
    });
    return withRoom(limits);
  }

  private async claimOnce(group: readonly JobSubscription[], limits: ReadonlyMap<JobSubscription, number>): Promise<void> {
    const { jobs, clock, workerId } = this.ports;
    const claimedAt = clock.monotonic();
    let rows: ClaimedJob[];
    try {
      rows = await jobs.claim({ workerId, queues: group.map((each) => each.claim(limits.get(each) as number)) });
    } catch (error) {
      this.failed.push(error);
      for (const each of group) each.apart = true;
      return;
    }
    const byQueue = new Map<string, ClaimedJob[]>();
    for (const row of rows) {
      const of = byQueue.get(row.queue);
      if (of) of.push(row);
      else byQueue.set(row.queue, [row]);
    }
    this.count(rows);
    for (const each of group) {
      each.apart = false;
      await this.putOff(await each.take(byQueue.get(each.queue) ?? [], limits.get(each) as number, claimedAt));
    }
  }

  /** Suspects whose turn it is not go back, due a little later; without an answer they come back when their leases expire. */
  private async putOff(suspects: readonly { readonly claim: ClaimedJob; readonly dueAt: number }[]): Promise<void> {
    if (suspects.length === 0) return;
    try {
      await this.ports.jobs.ack(suspects.map(({ claim, dueAt }) => ({ claim, result: { outcome: 'snooze', dueAt } })));
      this.ports.tally.counts.putOff += suspects.length;
      this.putOffUntil.push(...suspects.map(({ dueAt }) => dueAt));
    } catch (error) {
      this.failed.push(error);
    }
  }

  private count(rows: readonly ClaimedJob[]): void {
    const now = this.ports.clock.now();
    this.claimed += rows.length;
    for (const { dueAt } of rows) {
      this.earliestDueAt = Math.min(this.earliestDueAt, dueAt);
      this.latenessMs = Math.max(this.latenessMs, now - dueAt);
    }
  }
}

function withRoom(limits: readonly (readonly [JobSubscription, number])[]): Map<JobSubscription, number> {
  return new Map(limits.filter(([, limit]) => limit > 0));
}

/** Who is claimed for together: what comes back is told apart by its queue, so no queue is twice in a group. */
function groups(subscriptions: readonly JobSubscription[]): JobSubscription[][] {
  const together: JobSubscription[][] = [];
  for (const each of subscriptions) {
    if (each.apart) continue;
    const group = together.find((others) => !others.some(({ queue }) => queue === each.queue));
    if (group) group.push(each);
    else together.push([each]);
  }
  return [...together, ...subscriptions.filter(({ apart }) => apart).map((each) => [each])];
}
