import { token } from '@bellhop/kernel';

/** What every duty has. */
interface Duty {
  /** Unique: `queue.retention`. */
  readonly name: string;
  /** Lower first. Default 100. */
  readonly order?: number;
  /** What the log says at `info` after a run that did something, with its `duty` and `count`. Default: `a duty is done`. */
  readonly doneMessage?: string;
  /** Does it, in bounded batches, until nothing is left or the signal aborts. @returns how much, for the log. */
  run(ctx: { readonly now: number; readonly signal: AbortSignal }): Promise<number>;
}

/** A duty over a table of the store. */
export interface SqlReaperDuty extends Duty {
  /**
   * SQL of one row and one column, 1 or 0, that says whether there is work: the reaper puts the questions of all duties into one statement.
   * It must be able to stand in parentheses as a value, in both families of SQL. Parameters are named `:now` only (epoch milliseconds);
   * arithmetic with it needs `CAST(:now AS BIGINT)`.
   */
  readonly question: string;
}

/** A duty over anything else: a memory store, a folder, a service. */
export interface AskedReaperDuty extends Duty {
  /** Whether there is work. @param now epoch milliseconds. */
  hasWork(now: number): boolean | Promise<boolean>;
}

/**
 * Something that has to happen now and then: retention, expiry, a sweep. The reaper asks every duty whether it has work, each 30 s, and runs
 * those that have, in their order, each by itself: one that fails or hangs holds up no other.
 */
export type ReaperDuty = SqlReaperDuty | AskedReaperDuty;

/** Multi token: what each plugin adds. */
export const REAPER_DUTY = token<ReaperDuty>('REAPER_DUTY');
