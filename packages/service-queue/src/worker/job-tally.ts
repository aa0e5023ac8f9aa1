import type { WrittenJob } from './job-unit.js';

/** Jobs, since the worker was made. */
export interface JobCounts {
  readonly claimed: number;
  readonly completed: number;
  /** Attempts that failed and are tried again. */
  readonly retried: number;
  readonly dead: number;
  /** Put off by their handlers, or handed back by a stop that cut them short. */
  readonly snoozed: number;
  /** Claims that somebody else took over. */
  readonly lost: number;
  /** Suspects of having ended a process, put off so that they run one at a time. */
  readonly putOff: number;
  /** Expired leases this worker returned, of whichever queue. */
  readonly reclaimed: number;
  /** Scheduled jobs this worker made claimable, of whichever queue. */
  readonly promoted: number;
}

/** Counts what becomes of jobs. */
export class JobTally {
  readonly counts = {
    claimed: 0,
    completed: 0,
    retried: 0,
    dead: 0,
    snoozed: 0,
    lost: 0,
    putOff: 0,
    reclaimed: 0,
    promoted: 0,
  } satisfies JobCounts;

  written({ result, outcome }: WrittenJob): void {
    if (outcome === 'lost') this.counts.lost += 1;
    else if (result.outcome === 'retry') this.counts.retried += 1;
    else if (result.outcome === 'snooze') this.counts.snoozed += 1;
    else this.counts[result.outcome] += 1;
  }
}
