import type { ReaperDuty } from '@bellhop/contracts';
import { type Clock, errorMessage, type Logger } from '@bellhop/kernel';

/** What came of a duty that had work, or could not say whether it has. */
export type DutyReport =
  | { readonly duty: string; readonly outcome: 'done'; readonly count: number }
  | { readonly duty: string; readonly outcome: 'failed'; readonly error: unknown }
  /** Its time was up: its signal is aborted, and nobody waits for it. It is not begun again before it ends. */
  | { readonly duty: string; readonly outcome: 'late' };

/** What a duty did since its reaper was made. */
export interface DutyCounters {
  readonly duty: string;
  /** Runs that ended well, in time or not. */
  readonly done: number;
  /** Runs, and questions, that threw. */
  readonly failed: number;
  /** Runs that were left behind. */
  readonly late: number;
  /** How much all runs together say they did. */
  readonly count: number;
  readonly running: boolean;
}

export interface DutyRunPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Milliseconds a run may take, its question included. */
  readonly timeoutMs: number;
}

/**
 * One duty, and its run while there is one.
 *
 * Invariants: never two runs of a duty at once; whatever a duty does (throw, hang, ignore its signal), a run reports in time and rejects never.
 */
export class DutyRun {
  /** Its question failed among those of others: it is asked by itself until that succeeds. */
  apart = false;
  #abort: AbortController | null = null;
  #late = false;
  #ended: Promise<unknown> = Promise.resolve();
  #trouble: string | null = null;
  readonly #counts = { done: 0, failed: 0, late: 0, count: 0 };

  constructor(
    readonly duty: ReaperDuty,
    private readonly ports: DutyRunPorts,
  ) {}

  get running(): boolean {
    return this.#abort !== null;
  }

  /** Its time was up, and it still runs. */
  get hangs(): boolean {
    return this.running && this.#late;
  }

  /** Why its last run was no success; null when it was, or there was none. */
  get trouble(): string | null {
    return this.#trouble;
  }

  counters(): DutyCounters {
    return { duty: this.duty.name, ...this.#counts, running: this.running };
  }

  /** Resolves when the duty itself has ended, in time or not. */
  get ended(): Promise<unknown> {
    return this.#ended;
  }

  /**
   * @param ask whether there is work: part of the run, and of its time. Default: it is known that there is.
   * @returns null where there was none. It never rejects.
   */
  begin(now: number, ask: () => boolean | Promise<boolean> = () => true): Promise<DutyReport | null> {
    const { clock, timeoutMs } = this.ports;
    const abort = new AbortController();
    this.#abort = abort;
    this.#late = false;
    const ended = this.#attempt({ now, signal: abort.signal }, ask).finally(() => {
      this.#abort = null;
    });
    this.#ended = ended;
    return new Promise((resolve) => {
      const timer = clock.setTimeout(() => {
        this.#late = true;
        this.#counts.late += 1;
        resolve(this.#note({ duty: this.duty.name, outcome: 'late' }));
        abort.abort(new Error(`The duty ${this.duty.name} had ${timeoutMs} ms.`));
      }, timeoutMs);
      void ended.then((report) => {
        timer.cancel();
        // Of one that came too late all is said.
        if (!this.#late) resolve(this.#note(report, { stopped: abort.signal.aborted }));
      });
    });
  }

  /** It was asked, and has no work: what it failed at is done by now, by another process, or is no more. */
  rest(): void {
    this.#trouble = null;
  }

  /** Ends the run as far as its duty listens. */
  abort(): void {
    this.#abort?.abort(new Error('The reaper stops.'));
  }

  async #attempt(ctx: { now: number; signal: AbortSignal }, ask: () => boolean | Promise<boolean>): Promise<DutyReport | null> {
    const { name: duty } = this.duty;
    try {
      if (!(await ask()) || ctx.signal.aborted) return null;
      const count = await this.duty.run(ctx);
      this.#counts.done += 1;
      this.#counts.count += count;
      return { duty, outcome: 'done', count };
    } catch (error) {
      if (!ctx.signal.aborted) this.#counts.failed += 1;
      return { duty, outcome: 'failed', error };
    }
  }

  /** @param options.stopped that a stop made it fail is no trouble. */
  #note(report: DutyReport | null, { stopped = false } = {}): DutyReport | null {
    const { logger, timeoutMs } = this.ports;
    const { name: duty, doneMessage = 'a duty is done' } = this.duty;
    if (stopped) return report;
    if (report?.outcome === 'failed') {
      this.#trouble = errorMessage(report.error);
      logger.error({ duty, error: this.#trouble }, 'a duty failed');
    } else if (report?.outcome === 'late') {
      this.#trouble = `it took longer than ${timeoutMs} ms`;
      logger.error({ duty, timeoutMs }, 'a duty took too long: it is told to end, and not begun again before it has');
    } else {
      this.#trouble = null;
      // Silent while there is nothing to tell: another process may have been quicker.
      if (report?.count) logger.info({ duty, count: report.count }, doneMessage);
    }
    return report;
  }
}
