import type { Store, WakeOutcome } from '@bellhop/contracts';
import { errorMessage, type Logger } from '@bellhop/kernel';
import type { NudgeTally } from './nudge-counts.js';
import { nudgedAtOf } from './nudge-id.js';
import { type SettledNudge, settleNudges } from './sql/settle-nudges.js';

/** Rows of one statement. */
const MAX_ROWS = 500;
/** Outcomes that wait to be written down at most; of what is beyond, the nudge counts. */
const MAX_WAITING = 10_000;

/**
 * Writes down what came of nudges: one that nobody accepted is taken back, so that a receiver's outage does not use up what its consumer is given.
 *
 * Invariants: an outcome touches only the nudge it belongs to, and once; one write at a time, which takes all that has come meanwhile; it never throws
 * at whoever tells of an outcome.
 */
export class NudgeOutcomes {
  #waiting: SettledNudge[] = [];
  #writing: Promise<void> | undefined;

  constructor(
    private readonly store: Store,
    private readonly tally: NudgeTally,
    private readonly logger: Logger,
  ) {}

  /** For `BoardWakes.onWakeOutcome`: outcomes of others' wakes are passed over. @returns when it has been written down, or could not be. */
  readonly note = ({ todo, reason, outcome, wakeId }: WakeOutcome): void | Promise<void> => {
    const nudgedAt = nudgedAtOf(wakeId);
    if (reason !== 'stalled' || nudgedAt === undefined) return;
    const delivered = outcome === 'delivered';
    if (delivered) this.tally.delivered(todo, nudgedAt);
    else this.tally.suppressed(todo);
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push({
      endpoint_id: todo.endpointId,
      queue: todo.queue,
      last_nudged_at: nudgedAt,
      outcome,
      taken_back: delivered ? 0 : 1,
    });
    this.#writing ??= this.#write();
    return this.#writing;
  };

  /** Resolves when everything noted so far has been written down, or could not be. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    // Whatever else is told of in this turn comes along.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const nudges = this.#waiting.splice(0, MAX_ROWS);
      try {
        await this.store.write(
          settleNudges,
          { nudges: JSON.stringify(nudges) },
          { global: 'what came of wakes is written down for the queues of every organization' },
        );
      } catch (error) {
        this.logger.warn(
          { nudges: nudges.length, error: errorMessage(error) },
          'what came of stall nudges could not be written down: they count',
        );
      }
    }
    // In the turn that found nothing left: what is noted after it begins another.
    this.#writing = undefined;
  }
}
