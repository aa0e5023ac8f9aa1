import type { WorkerReport } from '../contenders/worker-process.js';

export interface RunTally {
  /** Jobs that ran. */
  readonly ran: number;
  /** Jobs that never did. */
  readonly lost: number;
  /** Runs of a job after its first, in whichever process. */
  readonly duplicates: number;
  /** When the last run was. */
  readonly lastAt: number;
}

/** What workers did of so many jobs, by the list each of them kept. */
export function tallyRuns(reports: readonly WorkerReport[], jobs: number): RunTally {
  const runs = reports.flatMap(({ ran }) => ran);
  const ran = new Set(runs).size;
  return { ran, lost: jobs - ran, duplicates: runs.length - ran, lastAt: Math.max(...reports.map(({ lastAt }) => lastAt)) };
}
