import { token } from '@bellhop/kernel';

/**
 * Something that has to happen now and then: retention, expiry, a sweep. The reaper asks every duty whether it has work, each 30 s, and runs
 * those that have, in their order, each by itself: one that fails holds up no other.
 */
export interface ReaperDuty {
  /** Unique: `queue.retention`. */
  readonly name: string;
  /** Lower first. Default 100. */
  readonly order?: number;
  /**
   * SQL of one row and one column, 1 or 0, that says whether there is work: the reaper puts the questions of all duties into one statement.
   * Parameters are named `:now` only (epoch milliseconds).
   */
  readonly question: { readonly table: string; readonly sql: string };
  /** Does it, in bounded batches, until nothing is left or the signal aborts. @returns how much, for the log. */
  run(ctx: { readonly now: number; readonly signal: AbortSignal }): Promise<number>;
}

/** Multi token: what each plugin adds. */
export const REAPER_DUTY = token<ReaperDuty>('REAPER_DUTY');
