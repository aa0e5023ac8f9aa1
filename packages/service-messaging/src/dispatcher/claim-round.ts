import type { ClaimedDelivery, ClaimOptions, DispatchLock, DispatchLockHandle, INotificationOutbox } from '@bellhop/contracts';
import type { Clock } from '@bellhop/kernel';
import type { ClaimPool, TickResult } from '@bellhop/loop';
import { type AttemptOutcome, type DeliveryUnit, digestUnits, singleUnit } from './delivery-unit.js';

export interface ClaimPorts {
  readonly outbox: INotificationOutbox;
  readonly pool: ClaimPool<DeliveryUnit, AttemptOutcome>;
  readonly lock: DispatchLock | undefined;
  readonly clock: Clock;
  /** Ids of the channels mounted on this node. */
  readonly mounted: () => readonly string[];
  readonly nodeId: string;
  readonly partitionCount: number;
  readonly batchSize: number;
  readonly claimTtlMs: number;
}

export interface Wanted {
  readonly rows: boolean;
  readonly digests: boolean;
}

/**
 * What one tick claims, and what went wrong. Each claim is handed to the pool as soon as it is home, and each failure is kept apart: a
 * partition that cannot be claimed never touches another.
 */
export class ClaimRound {
  claimed = 0;
  readonly failed: unknown[] = [];
  /** Another node held a lock. */
  lockedOut = false;
  /** The earliest due time among the rows claimed. */
  earliestDueAt = Number.POSITIVE_INFINITY;
  private latenessMs = 0;
  private more = false;
  private full = false;

  constructor(
    private readonly ports: ClaimPorts,
    private readonly signal: AbortSignal,
  ) {}

  /** The channels to claim for: those mounted here, without those that send as much as they may. */
  channels(): readonly string[] {
    const saturated = this.ports.pool.saturatedLanes();
    if (saturated.length > 0) this.full = true;
    return this.ports.mounted().filter((channel) => !saturated.includes(channel));
  }

  /** False when there is no use in asking: no free slot and no room to wait for one, or none in any lane. */
  hasRoom(): boolean {
    if (this.ports.pool.room() === 0) this.full = true;
    return this.ports.pool.room() > 0 && (this.channels().length > 0 || this.ports.mounted().length === 0);
  }

  /** One statement for each kind, over all partitions. */
  async claimAll(wanted: Wanted): Promise<void> {
    if (wanted.rows) await this.claim('claim');
    if (wanted.digests) await this.claim('claimDigest');
  }

  /** Partition after partition, beginning with `first`, each under its lock where there is a lock service. */
  async claimByPartition(wanted: Wanted, first: number): Promise<void> {
    const { partitionCount: count, lock, claimTtlMs } = this.ports;
    for (let step = 0; step < count && !this.signal.aborted; step += 1) {
      const partition = { index: (first + step) % count, count };
      let handle: DispatchLockHandle | null | undefined;
      try {
        handle = await lock?.acquire(`notification-dispatcher/partition/${partition.index}`, claimTtlMs);
        if (handle === null) {
          this.lockedOut = true;
          continue;
        }
      } catch (error) {
        this.failed.push(error);
        continue;
      }
      if (wanted.rows) await this.claim('claim', partition);
      if (wanted.digests) await this.claim('claimDigest', partition);
      await handle?.release().catch((error: unknown) => void this.failed.push(error));
    }
  }

  result(extra: Pick<TickResult, 'nextDueAt' | 'contended'> = {}): TickResult {
    return {
      claimed: this.claimed,
      more: this.more && this.ports.pool.room() > 0,
      full: this.full || (this.more && this.ports.pool.room() === 0),
      ...(this.failed.length > 0 ? { failed: this.failed } : {}),
      ...(this.claimed > 0 ? { latenessMs: this.latenessMs } : {}),
      ...extra,
    };
  }

  private async claim(kind: 'claim' | 'claimDigest', partition?: ClaimOptions['partition']): Promise<void> {
    const { outbox, pool, clock, nodeId, batchSize, claimTtlMs } = this.ports;
    const limit = Math.min(batchSize, pool.room());
    const channels = this.channels();
    if (limit === 0) this.full = true;
    if (limit === 0 || channels.length === 0 || this.signal.aborted) return;
    const claimedAt = clock.monotonic();
    let rows: ClaimedDelivery[];
    try {
      rows = await outbox[kind]({
        nodeId,
        limit,
        channels,
        claimTtlMs,
        // Only an outbox that is reaped apart from its claims may skip it: an older one would never reap again.
        skipReap: outbox.reap !== undefined,
        ...(partition ? { partition } : {}),
      });
    } catch (error) {
      this.failed.push(error);
      return;
    }
    const units = kind === 'claim' ? rows.map(singleUnit) : digestUnits(rows);
    this.count(rows);
    if (units.length >= limit) this.more = true;
    await pool.offer(units, claimedAt);
  }

  private count(rows: readonly ClaimedDelivery[]): void {
    const now = this.ports.clock.now();
    this.claimed += rows.length;
    for (const { dueAt } of rows) {
      this.earliestDueAt = Math.min(this.earliestDueAt, dueAt);
      this.latenessMs = Math.max(this.latenessMs, now - dueAt);
    }
  }
}
