import { type ClaimedJob, JOB_LEASE_EXPIRED } from '@bellhop/contracts';
import type { Clock } from '@bellhop/kernel';

/** The claim at hand is counted already: two before it, of which the last expired, make a suspect. So does the last attempt after an expiry. */
const SUSPECT_ATTEMPTS = 3;
/** How long a suspect is put off whose turn it is not, for each that goes before it. */
const PUT_OFF_MS = 1_000;

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
  private current: { readonly id: string; readonly until: number } | null = null;

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
      else putOff.push({ claim: job, dueAt: this.clock.now() + PUT_OFF_MS * (putOff.length + 1) });
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
    this.current = { id, until: now + leaseMs };
    return true;
  }
}

export function isSuspect({ attempts, maxAttempts, lastError }: ClaimedJob): boolean {
  return lastError === JOB_LEASE_EXPIRED && (attempts >= SUSPECT_ATTEMPTS || attempts >= maxAttempts);
}
