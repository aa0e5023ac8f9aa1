import type { Clock, Timer } from '@bellhop/kernel';
import { answered } from './answered.js';
import type { ClaimOutcome, Held } from './pool-options.js';

export interface LeaseRenewalOptions<C, R> {
  readonly clock: Clock;
  readonly claimTtlMs: number;
  readonly renew: ((claims: readonly C[]) => Promise<readonly ClaimOutcome[]>) | undefined;
  /** All claims whose leases are to go on. */
  readonly renewable: () => readonly Held<C, R>[];
  readonly onLost: (held: Held<C, R>) => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Renews every held lease each third of its time, all in one call, so that two renewals may fail before one is lost.
 *
 * A claim is lost when a renewal says so, or when its lease has ended and no renewal could say otherwise: someone else may be at the work.
 */
export class LeaseRenewal<C, R> {
  private timer: Timer | null = null;
  private renewing: Promise<void> | null = null;
  renewals = 0;

  constructor(private readonly options: LeaseRenewalOptions<C, R>) {}

  /** Keeps the timer going while there is something to renew. */
  keepGoing(): void {
    if (!this.options.renew || this.timer) return;
    this.arm(this.thirdMs);
  }

  stop(): void {
    this.timer?.cancel();
    this.timer = null;
  }

  /** Renews all held leases now. Callers while it runs share it. Never rejects. */
  renewNow(): Promise<void> {
    this.renewing ??= this.renewAll().finally(() => {
      this.renewing = null;
    });
    return this.renewing;
  }

  private get thirdMs(): number {
    return this.options.claimTtlMs / 3;
  }

  private arm(ms: number): void {
    this.timer = this.options.clock.setTimeout(() => void this.onTimer(), ms);
  }

  private async onTimer(): Promise<void> {
    this.timer = null;
    const startedAt = this.options.clock.monotonic();
    await this.renewNow();
    if (this.timer || this.options.renewable().length === 0) return;
    this.arm(Math.max(0, startedAt + this.thirdMs - this.options.clock.monotonic()));
  }

  private async renewAll(): Promise<void> {
    const { renew, clock } = this.options;
    const asked = this.options.renewable().map((held) => ({ held, claim: held.claim }));
    if (!renew || asked.length === 0) return;
    const askedAt = clock.monotonic();
    try {
      const call = renew(asked.map(({ claim }) => claim));
      const outcomes = await answered(clock, call, { what: `The renewal of ${asked.length} claims`, ms: this.thirdMs });
      this.renewals += 1;
      asked.forEach(({ held, claim }, index) => {
        // Claimed again meanwhile, or being acked: the answer is about a claim that is history.
        if (held.gone || held.acking || held.claim !== claim) return;
        if (outcomes[index] === 'lost') this.options.onLost(held);
        else held.leaseUntil = askedAt + this.options.claimTtlMs;
      });
    } catch (error) {
      this.options.onError(error);
      this.loseEnded();
    }
  }

  private loseEnded(): void {
    const now = this.options.clock.monotonic();
    for (const held of this.options.renewable()) if (held.leaseUntil <= now && !held.acking) this.options.onLost(held);
  }
}
