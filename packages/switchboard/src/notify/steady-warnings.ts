import type { Clock, LogFields, Logger } from '@bellhop/kernel';

/** Milliseconds between two lines of one reason. */
const QUIET_MS = 10_000;

/** Warnings that may come by the thousand: one line per reason in 10 s, which says how many it stands for. */
export class SteadyWarnings {
  readonly #lines = new Map<string, { at: number; suppressed: number }>();

  constructor(
    private readonly clock: Pick<Clock, 'monotonic'>,
    private readonly logger: Logger,
  ) {}

  /** @param reason one of a fixed set. */
  warn(reason: string, fields: LogFields, message: string): void {
    const now = this.clock.monotonic();
    const line = this.#lines.get(reason);
    if (line && now - line.at < QUIET_MS) {
      line.suppressed += 1;
      return;
    }
    this.#lines.set(reason, { at: now, suppressed: 0 });
    this.logger.warn({ ...fields, reason, suppressed: line?.suppressed ?? 0 }, message);
  }
}
