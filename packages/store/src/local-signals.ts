import type { ChangeSignal, ChangeSignals } from '@bellhop/contracts';
import { errorMessage, type Logger } from '@bellhop/kernel';

type Listener = (signal: ChangeSignal) => void;

/** The stores of this process, by the database they share: what one commits, the others hear. */
const databases = new Map<string, Set<LocalSignals>>();

/**
 * Signals between the stores of one process that share a database (several kernels, say). `signal` calls of one turn are coalesced per topic
 * and payload, the earliest due time winning, and a store never hears itself.
 */
export class LocalSignals implements ChangeSignals {
  readonly #database: string;
  readonly #logger: Logger;
  readonly #listeners = new Map<string, Set<Listener>>();
  #pending = new Map<string, { topic: string; signal: ChangeSignal }>();
  #muted = false;

  /** @param database what identifies the database: its address, or anything unique for a private one. */
  constructor(database: string, logger: Logger) {
    this.#database = database;
    this.#logger = logger;
    const members = databases.get(database) ?? new Set();
    databases.set(database, members.add(this));
  }

  signal(topic: string, signal: ChangeSignal = {}): void {
    if (this.#muted) return;
    const key = `${topic}\n${signal.payload ?? ''}`;
    const earlier = this.#pending.get(key)?.signal;
    this.#pending.set(key, { topic, signal: earlier ? sooner(earlier, signal) : signal });
    if (this.#pending.size === 1 && !earlier) process.nextTick(() => this.#flush());
  }

  onRemoteSignal(topic: string, fn: Listener): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(fn));
    return () => listeners.delete(fn);
  }

  mute(muted: boolean): void {
    this.#muted = muted;
  }

  /** Sends what is pending: who hands work back as it stops does so just before. */
  close(): void {
    this.#flush();
    const members = databases.get(this.#database);
    members?.delete(this);
    if (members?.size === 0) databases.delete(this.#database);
    this.#listeners.clear();
    this.#pending.clear();
  }

  #flush(): void {
    const pending = this.#pending;
    this.#pending = new Map();
    for (const member of databases.get(this.#database) ?? []) {
      if (member !== this) for (const { topic, signal } of pending.values()) member.#hear(topic, signal);
    }
  }

  #hear(topic: string, signal: ChangeSignal): void {
    if (this.#muted) return;
    for (const listener of this.#listeners.get(topic) ?? []) {
      try {
        listener(signal);
      } catch (error) {
        this.#logger.warn({ topic, error: errorMessage(error) }, 'a listener of change signals threw');
      }
    }
  }
}

function sooner(a: ChangeSignal, b: ChangeSignal): ChangeSignal {
  if (a.dueAt === undefined) return a;
  return b.dueAt === undefined || b.dueAt < a.dueAt ? b : a;
}
