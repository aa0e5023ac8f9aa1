import { type ClaimedJob, JOB_LEASE_EXPIRED } from '@bellhop/contracts';
import type { Clock } from '@bellhop/kernel';

/** The claim at hand is counted already: two before it, of which the last expired, make a suspect. So does the last attempt after an expiry. */
const SUSPECT_ATTEMPTS = 3;
/** Suspects that are put off come back so far apart, by how long the one at work has taken: most are done in milliseconds, one may take an hour. */
const LEAST_APART_MS = 50;
const MOST_APART_MS = 1_000;
/** No suspect is put off for longer. Those for which there is no place in that time come back together and are put off anew, by one statement. */
const PUT_OFF_MOST_MS = 60_000;

export interface Verdict {
  readonly run: readonly ClaimedJob[];
  /** To be written as not begun, and due again at this epoch millisecond. */
  readonly putOff: readonly { readonly claim: ClaimedJob; readonly dueAt: number }[];
}

/**
 * Finds the job that ends its process (an endless loop, memory, a crash in native code) without letting it take others along.
 *
 * A lease that expired counts as an attempt, for every job that was held when the process ended. With no more than that, a few crashes would
 * spend the attempts of jobs that only ran beside it. So jobs that come back from an expired lease a second time, or for their last attempt,
 * are suspects: no two of them are at work at once, and one whose turn it is not is put off, uncounted. What ends the process again spends its
 * own attempts and, of those that are no suspects, one that each can spare. Jobs that are no suspects are not held up.
 */
export class Suspects {
  private current: { readonly id: string; readonly since: number; readonly until: number } | null = null;
  /** Monotonic time at which the last of those that were put off comes back. */
  private lastBack = 0;

  constructor(private readonly clock: Clock) {}

  /**
   * Decides on what was claimed.
   *
   * @param held whether the process works on that job: then its lease ran out, and no process ended.
   */
  admit(jobs: readonly ClaimedJob[], { held, leaseMs }: { readonly held: (id: string) => boolean; readonly leaseMs: number }): Verdict {
    const run: ClaimedJob[] = [];
    const putOff: { claim: ClaimedJob; dueAt: number }[] = [];
    for (const job of jobs) {
      if (!isSuspect(job) || held(job.id) || this.begin(job, leaseMs)) run.push(job);
      else putOff.push({ claim: job, dueAt: this.clock.now() + this.putOffMs() });
    }
    return { run, putOff };
  }

  /** Its run is over, or it will not be run. */
  ended(id: string): void {
    if (this.current?.id === id) this.current = null;
  }

  /** One that has run for a whole lease is no longer waited for: what ends processes does so sooner. */
  private begin({ id }: ClaimedJob, leaseMs: number): boolean {
    const now = this.clock.monotonic();
    if (this.current && this.current.until > now) return false;
    this.current = { id, since: now, until: now + leaseMs };
    return true;
  }

  /**
   * How long the next one is put off: until after all that were put off before. One at work that takes long is met by few of them, as each that
   * comes too early goes to the end of the line, further apart.
   */
  private putOffMs(): number {
    const now = this.clock.monotonic();
    const elapsedMs = now - (this.current?.since ?? now);
    const apartMs = Math.min(Math.max(elapsedMs, LEAST_APART_MS), MOST_APART_MS);
    this.lastBack = Math.min(Math.max(this.lastBack, now) + apartMs, now + PUT_OFF_MOST_MS);
    return Math.ceil(this.lastBack - now);
  }
}

export function isSuspect({ attempts, maxAttempts, lastError }: ClaimedJob): boolean {
  return lastError === JOB_LEASE_EXPIRED && (attempts >= SUSPECT_ATTEMPTS || attempts >= maxAttempts);
}
