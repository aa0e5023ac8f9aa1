import type { ClaimedDelivery, ClaimOptions, DispatchLock, DispatchLockHandle, INotificationOutbox } from '@bellhop/contracts';
import type { Clock } from '@bellhop/kernel';
import type { ClaimPool, TickResult } from '@bellhop/loop';
import { type AttemptOutcome, type DeliveryUnit, digestUnits, singleUnit } from './delivery-unit.js';
import type { Quarantine } from './quarantine.js';

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
  /** The tick reaps for its claims. */
  readonly skipReap: boolean;
  readonly quarantine: Quarantine;
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
    if (this.limit() === 0) this.full = true;
    return this.limit() > 0 && (this.channels().length > 0 || this.ports.mounted().length === 0);
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
      more: this.more && this.limit() > 0,
      full: this.full || (this.more && this.limit() === 0),
      ...(this.failed.length > 0 ? { failed: this.failed } : {}),
      ...(this.claimed > 0 ? { latenessMs: this.latenessMs } : {}),
      ...extra,
    };
  }

  private async claim(kind: 'claim' | 'claimDigest', partition?: ClaimOptions['partition']): Promise<void> {
    const { outbox, pool, clock, nodeId, claimTtlMs, skipReap } = this.ports;
    const limit = this.limit();
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
        skipReap,
        ...(partition ? { partition } : {}),
      });
    } catch (error) {
      this.failed.push(error);
      return;
    }
    const units = kind === 'claim' ? rows.map(singleUnit) : digestUnits(rows);
    const { send, handBack } = await this.quarantined(units);
    this.count(send.flatMap((unit) => unit.rows));
    if (units.length >= limit || handBack.length > 0) this.more = true;
    await pool.offer(send, claimedAt);
  }

  /** Units to ask for now. */
  private limit(): number {
    const { pool, batchSize, quarantine } = this.ports;
    if (!quarantine.on) return Math.min(batchSize, pool.room());
    return pool.held().length === 0 ? 1 : 0;
  }

  /** Sorts suspects out, and hands back those that may not be sent beside others. An outbox that takes nothing back gets no such care. */
  private async quarantined(units: readonly DeliveryUnit[]): Promise<{ send: readonly DeliveryUnit[]; handBack: readonly DeliveryUnit[] }> {
    const { outbox, pool, quarantine } = this.ports;
    if (!outbox.release) return { send: units, handBack: [] };
    const held = new Set(pool.held().map(({ key }) => key));
    const verdict = quarantine.admit(units, { held, alone: quarantine.on && held.size === 0 });
    if (verdict.handBack.length === 0) return verdict;
    try {
      await outbox.release(verdict.handBack.flatMap(({ rows }) => rows));
    } catch (error) {
      // They come back when their claims expire, as they did before.
      this.failed.push(error);
    }
    return verdict;
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
