import { BellhopError, errorMessage, type Logger } from '@bellhop/kernel';

/** What a session is told. Nothing of the todo but where it is: it is claimed to be read. */
export interface RingEvent {
  readonly todoId: string;
  readonly queue: string;
  /** `created`, `requeued`, `attach`, `heartbeat`; absent where another process made it ready. */
  readonly reason?: string | undefined;
}

export interface DoorbellSession {
  readonly endpointId: string;
  /** The queues it listens to: the endpoint's scope. */
  readonly queues: readonly string[];
  /** Must not block. @returns false: its buffer is full, and another session is tried. */
  onRing(event: RingEvent): boolean;
  /** Rings that it would take now; 0: its buffer is full. The heartbeat spends none on those without room. */
  room(): number;
  /** The endpoint's credential is accepted no longer, or the doorbell closes: it is rung no more. */
  onClose(): void;
}

/** Sessions of one endpoint in one process. */
export const SESSIONS_PER_ENDPOINT_MAX = 100;

/**
 * Who is attached in this process. Each ring goes to one session of its endpoint, in turn.
 *
 * Invariant: a session that throws is passed by as if it were full, and keeps no other from being rung or closed.
 */
export class DoorbellSessions {
  /** By endpoint; the one whose turn it is stands first. An endpoint without sessions has no entry. */
  readonly #sessions = new Map<string, DoorbellSession[]>();

  constructor(private readonly logger: Logger) {}

  /** @throws BellhopError `RATE_LIMITED` when the endpoint has 100. */
  add(session: DoorbellSession): void {
    const others = this.#sessions.get(session.endpointId) ?? [];
    if (others.length >= SESSIONS_PER_ENDPOINT_MAX) {
      throw new BellhopError(
        'RATE_LIMITED',
        `The endpoint has ${others.length} doorbell sessions here; at most ${SESSIONS_PER_ENDPOINT_MAX} are allowed. Close one first.`,
      );
    }
    this.#sessions.set(session.endpointId, [...others, session]);
  }

  remove(session: DoorbellSession): void {
    const left = (this.#sessions.get(session.endpointId) ?? []).filter((each) => each !== session);
    if (left.length > 0) this.#sessions.set(session.endpointId, left);
    else this.#sessions.delete(session.endpointId);
  }

  get endpoints(): string[] {
    return [...this.#sessions.keys()];
  }

  get count(): number {
    return [...this.#sessions.values()].reduce((sum, { length }) => sum + length, 0);
  }

  listens(endpointId: string, queue: string): boolean {
    return this.#sessions.get(endpointId)?.some(({ queues }) => queues.includes(queue)) ?? false;
  }

  /** Rings that the sessions of an endpoint would take now, all together. */
  room(endpointId: string): number {
    return (this.#sessions.get(endpointId) ?? []).reduce((sum, session) => sum + this.#roomOf(session), 0);
  }

  /**
   * Rings one session that listens to the queue.
   *
   * @param first is tried before the others, whosever turn it is.
   * @returns false: none has room.
   */
  ring(endpointId: string, event: RingEvent, first?: DoorbellSession): boolean {
    const turn = this.#sessions.get(endpointId) ?? [];
    const order = first && turn.includes(first) ? [first, ...turn.filter((each) => each !== first)] : turn;
    const rung = order.find((session) => session.queues.includes(event.queue) && this.#rings(session, event));
    if (!rung) return false;
    // Looked up again: a session that closes itself on a ring is not brought back.
    const left = this.#sessions.get(endpointId);
    if (left?.includes(rung)) this.#sessions.set(endpointId, [...left.filter((each) => each !== rung), rung]);
    return true;
  }

  close(endpointId: string): void {
    const sessions = this.#sessions.get(endpointId) ?? [];
    this.#sessions.delete(endpointId);
    for (const session of sessions) {
      try {
        session.onClose();
      } catch (error) {
        this.logger.warn({ endpointId, error: errorMessage(error) }, 'a doorbell session threw at its close');
      }
    }
  }

  #roomOf(session: DoorbellSession): number {
    try {
      return session.room();
    } catch (error) {
      this.logger.warn({ endpointId: session.endpointId, error: errorMessage(error) }, 'a doorbell session threw when asked for its room');
      return 0;
    }
  }

  #rings(session: DoorbellSession, event: RingEvent): boolean {
    try {
      return session.onRing(event);
    } catch (error) {
      this.logger.warn({ endpointId: session.endpointId, error: errorMessage(error) }, 'a doorbell session threw at a ring');
      return false;
    }
  }
}
