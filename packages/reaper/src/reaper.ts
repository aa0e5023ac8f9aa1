import type { ReaperDuty, SqlReaperDuty, Store } from '@bellhop/contracts';
import {
  type Clock,
  errorMessage,
  type Logger,
  type PluginHealth,
  type Random,
  StoreError,
  silentLogger,
  systemClock,
  systemRandom,
} from '@bellhop/kernel';
import { DispatchLoop, type LoopCounters, type TickResult } from '@bellhop/loop';
import { DutyQuestions } from './duty-questions.js';
import { type DutyCounters, type DutyReport, DutyRun } from './duty-run.js';
import { inTime } from './in-time.js';

export interface ReaperOptions {
  /** Each name once. */
  readonly duties: readonly ReaperDuty[];
  /** Answers the questions of duties in SQL. Needed where there is one. */
  readonly store?: Pick<Store, 'read'>;
  /** Default: the machine's. Give the store's clock where there is a store. */
  readonly clock?: Clock;
  /** For the jitter. Default: the machine's. */
  readonly random?: Random;
  readonly logger?: Logger;
  /** Milliseconds between two ticks, at least. 1 to 31 536 000 000, default 30 000. */
  readonly intervalMs?: number;
  /** Part of the interval that is added at random, at most, so that many processes do not ask in step. 0 to 1, default 0.1. */
  readonly jitter?: number;
  /** Milliseconds that a run may take before it is left behind. 1 to 2 147 483 647, default 60 000. */
  readonly dutyTimeoutMs?: number;
}

export interface ReaperCounters extends LoopCounters {
  readonly duties: number;
  /** Those that run. */
  readonly running: number;
}

const YEAR_MS = 31_536_000_000;
/** Milliseconds for the one question to the store. */
const ASK_TIMEOUT_MS = 10_000;
/** Failed ticks in a row from which the reaper counts as failing, not just degraded. */
const FAILING_AFTER = 5;

interface Pass extends TickResult {
  readonly runs?: readonly Promise<DutyReport | null>[];
}

/** One that asks in SQL. */
type SqlRun = DutyRun & { readonly duty: SqlReaperDuty };

/**
 * Runs what has to happen now and then: each interval it asks in one read which duties have work, and begins those, in their order.
 *
 * Guarantees: no statement without duties; a duty, or its question, that throws or hangs holds up no other; never two runs of a duty at once in
 * this process. Other processes have reapers of their own: a duty must bear that two do it at once.
 */
export class Reaper {
  readonly #clock: Clock;
  readonly #runs: readonly DutyRun[];
  readonly #questions: DutyQuestions | undefined;
  readonly #loop: DispatchLoop;
  #failedTicks = 0;
  #lastError: string | undefined;

  /** @throws RangeError naming the option that is out of its bounds; Error for two duties of one name, or one in SQL without a store. */
  constructor(options: ReaperOptions) {
    const { duties, store, clock = systemClock, random = systemRandom, logger = silentLogger, dutyTimeoutMs = 60_000 } = options;
    const { intervalMs = 30_000, jitter = 0.1 } = options;
    if (!(dutyTimeoutMs >= 1 && dutyTimeoutMs <= 2_147_483_647)) {
      throw new RangeError(`dutyTimeoutMs: ${String(dutyTimeoutMs)} given; a number from 1 to 2147483647 is allowed.`);
    }
    if (!(intervalMs >= 1 && intervalMs <= YEAR_MS)) {
      throw new RangeError(`intervalMs: ${String(intervalMs)} given; a number from 1 to ${YEAR_MS} is allowed.`);
    }
    if (!(jitter >= 0 && jitter <= 1)) throw new RangeError(`jitter: ${String(jitter)} given; a number from 0 to 1 is allowed.`);
    refuseNames(duties);
    refuseWithoutStore(duties, store);
    this.#clock = clock;
    this.#questions = store && new DutyQuestions(store);
    this.#runs = duties
      .toSorted((one, other) => (one.order ?? 100) - (other.order ?? 100))
      .map((duty) => new DutyRun(duty, { clock, logger, timeoutMs: dutyTimeoutMs }));
    this.#loop = new DispatchLoop({
      clock,
      // The loop shortens what it is given; a reaper waits longer instead, or an idle host would ask more than once per interval.
      random: () => 1 - random(),
      intervalMs: intervalMs * (1 + jitter),
      maxIdleIntervalMs: 0,
      jitter: jitter / (1 + jitter),
      onTickError: (error) => {
        this.#lastError = errorMessage(error);
        logger.warn({ error: this.#lastError }, 'the reaper could not ask which duties have work');
      },
      tick: (signal) => this.#pass(signal),
    });
  }

  /** Ticks at once, then each interval. */
  start(): void {
    this.#loop.start();
  }

  /**
   * Asks at once, whether the reaper runs or not, and waits for the runs that this begins.
   *
   * @returns what came of them, in the order of the duties; those without work are left out.
   * @throws what kept it from asking. Duties that could be asked are begun all the same.
   */
  async tick(): Promise<DutyReport[]> {
    const pass: Pass = await this.#loop.tick();
    const reports = await Promise.all(pass.runs ?? []);
    const [failure] = pass.failed ?? [];
    if (failure !== undefined) throw failure;
    return reports.filter((report) => report !== null);
  }

  /**
   * Begins nothing more from this instant on, aborts what runs, and waits for its end.
   *
   * @param options.deadlineMs the most it waits: 0 to 2 147 483 647, default 5 000. What runs on after that is left behind.
   */
  async stop({ deadlineMs = 5_000 }: { readonly deadlineMs?: number } = {}): Promise<void> {
    const stopped = this.#loop.stop({ deadlineMs });
    for (const run of this.#runs) run.abort();
    await Promise.all([stopped, inTime(this.#clock, deadlineMs, this.#ended())]);
  }

  /** Resolves when no tick is running or owed at this instant and every duty has ended. Not while one waits for this clock. */
  async settled(): Promise<void> {
    await this.#loop.settled();
    await this.#ended();
  }

  counters(): ReaperCounters {
    return { ...this.#loop.counters(), duties: this.#runs.length, running: this.#runs.filter(({ running }) => running).length };
  }

  /** What each duty did, in their order. */
  dutyCounters(): DutyCounters[] {
    return this.#runs.map((run) => run.counters());
  }

  health(): PluginHealth {
    const details = { ...this.counters(), names: this.#runs.map(({ duty }) => duty.name) };
    const reasons = this.#runs.flatMap(({ duty, trouble, hangs }) =>
      trouble === null ? [] : [`${duty.name}: ${trouble}${hangs ? ', and has not ended' : ''}`],
    );
    if (this.#failedTicks > 0) reasons.unshift(`${this.#failedTicks} failed ticks in a row, the last with: ${this.#lastError}`);
    if (reasons.length === 0) return { status: 'ok', details };
    return { status: this.#failedTicks < FAILING_AFTER ? 'degraded' : 'failing', reason: reasons.join('; '), details };
  }

  async #pass(signal: AbortSignal): Promise<Pass> {
    const now = this.#clock.now();
    const free = this.#runs.filter(({ running }) => !running);
    const failed: unknown[] = [];
    const together = free.filter(isSql).filter(({ apart }) => !apart);
    const withWork = await this.#askTogether(together, now).catch((error: unknown) => {
      if (error instanceof StoreError) failed.push(error);
      // One question spoils the statement for all: each by itself tells which.
      else for (const run of together) run.apart = true;
      return new Set<DutyRun>();
    });
    this.#failedTicks = failed.length > 0 ? this.#failedTicks + 1 : 0;
    if (signal.aborted) return { claimed: 0 };

    const runs = free.flatMap((run) => {
      if (withWork.has(run)) return [run.begin(now)];
      if (!isSql(run)) return [run.begin(now, askOf(run.duty, now))];
      return run.apart ? [run.begin(now, () => this.#askAlone(run, now))] : [];
    });
    return { claimed: withWork.size, runs, ...(failed.length > 0 ? { failed } : {}) };
  }

  async #askTogether(runs: readonly SqlRun[], now: number): Promise<ReadonlySet<DutyRun>> {
    if (!this.#questions || runs.length === 0) return new Set();
    const asked = this.#questions.ask(
      runs.map(({ duty }) => duty),
      now,
    );
    const found = await inTime(this.#clock, ASK_TIMEOUT_MS, asked);
    if (!found) throw new Error(`The store did not answer within ${ASK_TIMEOUT_MS} ms which duties have work.`);
    const withWork = new Set<DutyRun>(runs.filter(({ duty }) => found.has(duty)));
    for (const run of runs) if (!withWork.has(run)) run.rest();
    return withWork;
  }

  async #askAlone(run: SqlRun, now: number): Promise<boolean> {
    const found = await this.#questions?.ask([run.duty], now);
    run.apart = false;
    return found?.has(run.duty) === true;
  }

  async #ended(): Promise<void> {
    await Promise.all(this.#runs.map(({ ended }) => ended));
  }
}

function isSql(run: DutyRun): run is SqlRun {
  return 'question' in run.duty;
}

function askOf(duty: ReaperDuty, now: number): () => boolean | Promise<boolean> {
  return () => 'hasWork' in duty && duty.hasWork(now);
}

function refuseNames(duties: readonly ReaperDuty[]): void {
  const names = duties.map(({ name }) => name);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw new Error(`Two duties are named ${JSON.stringify(twice)}; name each after its plugin and what it does.`);
}

function refuseWithoutStore(duties: readonly ReaperDuty[], store: unknown): void {
  const asking = duties.filter((duty) => 'question' in duty).map(({ name }) => name);
  if (asking.length === 0 || store) return;
  throw new Error(`No store answers the questions of ${asking.join(', ')}: load storePlugin, or give these duties \`hasWork\` instead.`);
}
