import type { BatchJobHandler, ClaimedJob, JobContext, JobHandler } from '@bellhop/contracts';
import type { Clock, Logger } from '@bellhop/kernel';
import { checkWhole } from '@bellhop/store';
import { DELAY } from '../job-input.js';
import { batchEnds } from './batch-ends.js';
import { failure, type JobEnd } from './job-end.js';
import { toMessage } from './job-message.js';
import type { JobUnit, UnitOutcome } from './job-unit.js';
import { longTimer } from './long-timer.js';

export type UnitHandler = { readonly one: JobHandler } | { readonly batch: BatchJobHandler };

export interface AttemptPorts {
  readonly handler: UnitHandler;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Renews the unit's claims at once. False: they are lost. */
  readonly renew: (unit: JobUnit) => Promise<boolean>;
  /** Notes how far a unit of one job is. False: it is lost. */
  readonly progress: (unit: JobUnit, percent: number) => Promise<boolean>;
}

/** Thrown by `snooze`, so that nothing after it runs. What becomes of it is of no matter: that it was asked for is noted. */
class Snooze extends Error {
  override readonly name = 'Snooze';
}

/** Why an attempt is over before its handler is. */
type CutShort = 'stopped' | 'timed out';

/**
 * Runs a unit's handler and says what it comes to, for each job. Never throws, and never lasts beyond the abort of its signal: whatever a handler
 * does, throws, or leaves undone is its own jobs' failed attempt and nobody else's.
 *
 * @param signal aborts when the claim is lost, and at the deadline of a stop.
 */
export async function attemptUnit(unit: JobUnit, ports: AttemptPorts, signal: AbortSignal): Promise<UnitOutcome> {
  const startedAt = ports.clock.monotonic();
  const readable = unit.jobs.filter(({ data }) => data !== undefined);
  const ends = readable.length === 0 ? [] : await run({ key: unit.key, jobs: readable }, unit, ports, signal);
  let at = 0;
  return {
    ends: unit.jobs.map(({ data }) => (data === undefined ? UNREADABLE : (ends[at++] as JobEnd))),
    durationMs: ports.clock.monotonic() - startedAt,
  };
}

/** Not for a handler: it would be given what nobody published. */
const UNREADABLE: JobEnd = { kind: 'failed', permanent: true, error: 'The stored data is no JSON text: something else wrote it.' };

async function run(readable: JobUnit, unit: JobUnit, ports: AttemptPorts, signal: AbortSignal): Promise<readonly JobEnd[]> {
  const { clock } = ports;
  const { jobs } = readable;
  const attempt = new Attempt(unit, jobs, ports, signal);
  let ends: readonly JobEnd[];
  try {
    const returned = await Promise.race([attempt.call(), attempt.cutShort]);
    ends = 'batch' in ports.handler ? batchEnds(jobs, returned, clock.now()) : [{ kind: 'completed' }];
  } catch (thrown) {
    ends = jobs.map(() => failure(thrown));
  }
  attempt.end();
  if (attempt.cut === 'stopped') return jobs.map(() => ({ kind: 'released' }));
  if (attempt.cut === 'timed out') return jobs.map(() => failure(attempt.signal.reason));
  return attempt.snoozedUntil === null ? ends : jobs.map(() => ({ kind: 'snoozed', dueAt: attempt.snoozedUntil as number }));
}

/** One call of a handler: what it is told, and what it asked for. */
class Attempt {
  cut: CutShort | null = null;
  /** Epoch milliseconds. */
  snoozedUntil: number | null = null;
  /** Resolves when it is over before the handler is. */
  readonly cutShort: Promise<void>;
  private readonly over = new AbortController();
  private tellCut: () => void = () => {};
  private readonly onAbort: () => void;
  private readonly timer: { cancel(): void } | null;

  constructor(
    private readonly unit: JobUnit,
    private readonly jobs: readonly ClaimedJob[],
    private readonly ports: AttemptPorts,
    private readonly claimSignal: AbortSignal,
  ) {
    this.cutShort = new Promise((resolve) => {
      this.tellCut = resolve;
    });
    this.onAbort = () => this.cutOff('stopped', claimSignal.reason);
    claimSignal.addEventListener('abort', this.onAbort);
    const limitMs = timeoutOf(jobs);
    const expire = () => this.cutOff('timed out', new Error(`The handler did not finish within ${limitMs} ms.`));
    this.timer = limitMs === 0 ? null : longTimer(ports.clock, expire, limitMs);
    if (claimSignal.aborted) this.onAbort();
  }

  get signal(): AbortSignal {
    return this.over.signal;
  }

  /** What it throws, at once or later, is the promise's. */
  async call(): Promise<unknown> {
    const { handler } = this.ports;
    const first = this.jobs[0] as ClaimedJob;
    if (this.cut) return undefined;
    if ('batch' in handler) return handler.batch(this.jobs.map(toMessage), this.batchContext(first.queue));
    return handler.one(toMessage(first), this.context(first));
  }

  /** Forgets timer and listener: what the handler does from here on changes nothing. */
  end(): void {
    this.timer?.cancel();
    this.claimSignal.removeEventListener('abort', this.onAbort);
  }

  private cutOff(why: CutShort, reason: unknown): void {
    if (this.cut) return;
    this.cut = why;
    this.over.abort(reason);
    this.tellCut();
  }

  private batchContext(queue: string) {
    return {
      signal: this.signal,
      logger: this.ports.logger.child({ queue, jobs: this.jobs.length }),
      heartbeat: () => this.ports.renew(this.unit),
    };
  }

  private context({ id, queue, attempts }: ClaimedJob): JobContext {
    return {
      signal: this.signal,
      attempt: attempts,
      logger: this.ports.logger.child({ queue, jobId: id, attempt: attempts }),
      heartbeat: () => this.ports.renew(this.unit),
      progress: (percent) => this.ports.progress(this.unit, percent),
      snooze: (delayMs) => {
        this.snoozedUntil = this.ports.clock.now() + checkWhole(delayMs, 'delayMs', DELAY);
        throw new Snooze(`Snoozed for ${delayMs} ms.`);
      },
    };
  }
}

/** A batch may take as long as the least patient of its jobs; 0: no limit. */
function timeoutOf(jobs: readonly ClaimedJob[]): number {
  const limits = jobs.map(({ timeoutMs }) => timeoutMs).filter((ms) => ms > 0);
  return limits.length === 0 ? 0 : Math.min(...limits);
}
