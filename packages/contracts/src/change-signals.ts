/** A hint that something was committed. It may be lost or repeated: it costs latency, never work. */
export interface ChangeSignal {
  /** Epoch milliseconds at which the committed work is due; absent means now. */
  readonly dueAt?: number;
  /** At most 1 000 characters. */
  readonly payload?: string;
}

/**
 * Hints about commits, between the stores of one database. `signal` is called after a commit and coalesced per topic and payload;
 * listeners hear the commits of other stores only: a process wakes its own loops itself.
 */
export interface ChangeSignals {
  signal(topic: string, signal?: ChangeSignal): void;
  /** @returns the call that stops listening. */
  onRemoteSignal(topic: string, fn: (signal: ChangeSignal) => void): () => void;
  /** While muted nothing is sent or heard; the next-due timer and the idle interval remain. */
  mute(muted: boolean): void;
}
