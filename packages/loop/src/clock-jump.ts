import type { Clock } from '@bellhop/kernel';

/** The clocks are read one after the other, and are slewed by time servers: less than this is no jump. */
const TOLERANCE_MS = 1_000;

/**
 * Notices that the wall clock was set forward, or that the machine was suspended: wall and monotonic time have come apart.
 *
 * Claims expire by the wall clock. After a jump the live claims of every node on this machine look expired, so nobody may return them before
 * their owners had the time to renew. A node that starts cannot know whether there was a jump, and waits as well.
 */
export class ClockJump {
  private wall: number;
  private monotonic: number;
  private guardUntil = Number.NEGATIVE_INFINITY;
  private beginGuardUntil = Number.NEGATIVE_INFINITY;

  /** @param guardMs milliseconds that owners need to renew: one claim TTL, where renewals come every third of it. */
  constructor(
    private readonly clock: Clock,
    private readonly guardMs: () => number,
  ) {
    this.wall = clock.now();
    this.monotonic = clock.monotonic();
  }

  /** This node has seen nothing yet, so the clock may have jumped just before: it waits as after a jump. */
  begin(): void {
    this.look();
    this.beginGuardUntil = this.clock.monotonic() + this.guardMs();
  }

  /** Compares the clocks with the last time. @returns true when the wall clock has jumped forward since. */
  look(): boolean {
    const wall = this.clock.now();
    const monotonic = this.clock.monotonic();
    const jumped = wall - this.wall - (monotonic - this.monotonic) > TOLERANCE_MS;
    this.wall = wall;
    this.monotonic = monotonic;
    if (jumped) this.guardUntil = monotonic + this.guardMs();
    return jumped;
  }

  /**
   * Milliseconds for which no expired claim may be returned; 0 when there is no need to wait.
   *
   * @param knowsOfExpired a claim is known to look expired. Who returns them without having asked does so from the first tick on.
   */
  guardLeftMs(knowsOfExpired: boolean): number {
    return Math.max(0, this.guardUntil - this.clock.monotonic(), knowsOfExpired ? this.beginGuardUntil - this.clock.monotonic() : 0);
  }
}
