import type { Clock } from '@bellhop/kernel';

/** Milliseconds a stop may take before the process ends anyway: what a container runtime waits before it kills. */
export const STOP_DEADLINE_MS = 10_000;

const SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;
type StopSignal = keyof typeof SIGNALS;

export interface ShutdownParts {
  readonly clock: Clock;
  /** Stops everything. Called once, on the first signal. */
  readonly stop: (signal: StopSignal) => Promise<void>;
  /** Says why the process ends with an error. */
  readonly report: (line: string) => void;
  /** Default: this process. Tests give their own. */
  readonly process?: Pick<NodeJS.Process, 'on' | 'off' | 'exit'>;
}

/** The first SIGINT or SIGTERM stops gracefully, within {@link STOP_DEADLINE_MS}; the second ends the process at once. */
export function stopOnSignals({ clock, stop, report, process: target = process }: ShutdownParts): void {
  let stopping = false;
  for (const signal of Object.keys(SIGNALS) as StopSignal[]) {
    target.on(signal, () => {
      // As a shell reports a process that a signal ended.
      if (stopping) target.exit(128 + SIGNALS[signal]);
      stopping = true;
      void shutDown(signal);
    });
  }

  async function shutDown(signal: StopSignal): Promise<void> {
    const deadline = clock.setTimeout(() => {
      report(`bellhop: the stop took longer than ${STOP_DEADLINE_MS} ms; what still ran was cut off.`);
      target.exit(1);
    }, STOP_DEADLINE_MS);
    try {
      await stop(signal);
      target.exit(0);
    } catch (error) {
      report(`bellhop: the stop failed: ${String(error)}`);
      target.exit(1);
    } finally {
      deadline.cancel();
    }
  }
}
