import type { Store } from '@bellhop/contracts';
import { type Clock, errorMessage, type Logger } from '@bellhop/kernel';
import {
  chargeAttachRings,
  chargeHeartbeat,
  findDueRing,
  findLiveEndpoints,
  type PendingRecord,
  type RingRecord,
  readPending,
} from '../sql/doorbell.js';
import { DoorbellGate } from './doorbell-gate.js';
import { type DoorbellSession, DoorbellSessions } from './doorbell-sessions.js';

/** Todos that one signal rings for at most. */
const SIGNAL_TODOS_MAX = 16;
/** Rings for one who attaches. */
const ATTACH_RINGS_MAX = 3;
/** Rings of one sweep. */
const SWEEP_RINGS_MAX = 3;

const ATTACH = { global: 'doorbell: a session attached with the credential of its endpoint, whosever that is' };
const SWEEP = { global: 'doorbell: the heartbeat rings for every endpoint with a session here' };

/** A todo that this process made pending, and that passes the gate. */
export interface PendingTodo {
  readonly id: string;
  readonly endpointId: string;
  readonly queue: string;
  /** Whose it is alone: such a todo rings nobody, for those who listen could not claim it. */
  readonly assignee: string | null;
  /** Claims before it: with the id, which entry into pending it is. */
  readonly attemptsTotal: number;
}

export interface DoorbellPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface DoorbellCounters {
  /** Sessions attached in this process. */
  readonly sessions: number;
  readonly rung: number;
  /** Rings that no session had room for. */
  readonly dropped: number;
}

/**
 * Rings consumers that are attached to this process when a todo waits for them. A ring is a hint, to one session of the endpoint: the queue is the
 * record.
 *
 * Invariants: nothing is read for an endpoint without a session here; the gate of 60 s stands before what became pending here or was signalled,
 * never before the heartbeat or notify hooks; a todo that is assigned rings nobody; what the store cannot answer is logged and rings nobody.
 */
export class Doorbell {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #gate: DoorbellGate;
  readonly #sessions: DoorbellSessions;
  readonly #underWay = new Set<Promise<unknown>>();
  #rung = 0;
  #dropped = 0;

  constructor({ store, clock, logger }: DoorbellPorts) {
    this.#store = store;
    this.#logger = logger;
    this.#gate = new DoorbellGate(clock);
    this.#sessions = new DoorbellSessions(logger);
  }

  /**
   * Attaches a session, which is then rung for what waits: the oldest three of its queues that were not rung in the last minute.
   *
   * @returns the call that detaches it; it may be called again.
   * @throws BellhopError `RATE_LIMITED` when the endpoint has 100 sessions in this process.
   */
  attach(session: DoorbellSession): () => void {
    // A copy, for two attached with one object are two sessions.
    const own: DoorbellSession = {
      endpointId: session.endpointId,
      queues: [...session.queues],
      onRing: (event) => session.onRing(event),
      room: () => session.room(),
      onClose: () => session.onClose(),
    };
    this.#sessions.add(own);
    void this.#track(this.#ringAttached(own));
    return () => this.#sessions.remove(own);
  }

  get hasSessions(): boolean {
    return this.#sessions.count > 0;
  }

  counters(): DoorbellCounters {
    return { sessions: this.#sessions.count, rung: this.#rung, dropped: this.#dropped };
  }

  /** Rings for a todo that became pending by a commit of this process. @param reason as the ready hook was told: `created`, `requeued`. */
  ringPending({ id, endpointId, queue, assignee, attemptsTotal }: PendingTodo, reason: string): void {
    if (assignee === null && this.#sessions.listens(endpointId, queue)) this.#ringGated(id, attemptsTotal, endpointId, queue, reason);
  }

  /**
   * Another process has a todo ready.
   *
   * @param payload `<endpoint id>:<queue>`, where the queue may hold colons; anything else rings nobody.
   * @returns how many were rung. It never rejects.
   */
  onSignal(payload: string): Promise<number> {
    const colon = payload.indexOf(':');
    if (colon === -1) return Promise.resolve(0);
    const endpointId = payload.slice(0, colon);
    const queue = payload.slice(colon + 1);
    if (!this.#sessions.listens(endpointId, queue)) return Promise.resolve(0);
    return this.#track(this.#ringSignalled(endpointId, queue));
  }

  /**
   * The heartbeat: rings once more for what nobody has claimed, 5 min after it became pending, then 20 min, 1 h, 6 h and 6 h after the ring
   * before. Only for endpoints with a session here that has room: a ring that nobody hears would be spent for nothing. Those with less room than the
   * sweep has rings share one of them, so that none is charged what it could not take, nor slows the others down.
   *
   * @param limit rings at most. Default 3.
   * @returns how many were charged.
   */
  async sweep(limit = SWEEP_RINGS_MAX): Promise<number> {
    const rooms = this.#sessions.endpoints.map((id) => ({ id, room: this.#sessions.room(id) }));
    const free = rooms.filter(({ room }) => room >= limit);
    const tight = rooms.filter(({ room }) => room > 0 && room < limit);
    const shared = tight.length > 0 ? 1 : 0;
    return (await this.#beat(free, limit - shared)) + (await this.#beat(tight, shared));
  }

  async #beat(endpoints: readonly { readonly id: string }[], limit: number): Promise<number> {
    if (endpoints.length === 0) return 0;
    const params = { endpoints: JSON.stringify(endpoints.map(({ id }) => id)), now: this.#store.clock.now(), limit };
    const [due] = await this.#store.read<{ found: number }>(findDueRing, params);
    if (due?.found !== 1) return 0;
    const { rows } = await this.#store.write<RingRecord>(chargeHeartbeat, params, SWEEP);
    for (const { id, endpoint_id, queue } of oldestFirst(rows)) this.#ring(id, endpoint_id, queue, 'heartbeat');
    return rows.length;
  }

  /** Ends the sessions of an endpoint that was revoked, or has expired. */
  closeEndpoint(endpointId: string): void {
    this.#sessions.close(endpointId);
  }

  /** Ends the sessions of endpoints that another process has revoked, or that have expired or are gone. @returns of how many endpoints. */
  async closeEnded(): Promise<number> {
    const endpoints = this.#sessions.endpoints;
    if (endpoints.length === 0) return 0;
    const params = { endpoints: JSON.stringify(endpoints), now: this.#store.clock.now() };
    const live = new Set((await this.#store.read<{ id: string }>(findLiveEndpoints, params)).map(({ id }) => id));
    const ended = endpoints.filter((id) => !live.has(id));
    for (const id of ended) this.#sessions.close(id);
    return ended.length;
  }

  /** Ends all sessions. */
  close(): void {
    for (const id of this.#sessions.endpoints) this.#sessions.close(id);
  }

  /** Resolves once everyone who attached was rung for what waited, and signals have been looked at. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
  }

  async #ringAttached(session: DoorbellSession): Promise<number> {
    const { endpointId, queues } = session;
    const params = { endpointId, queues: JSON.stringify(queues), now: this.#store.clock.now(), limit: ATTACH_RINGS_MAX };
    const { rows } = await this.#store.write<RingRecord>(chargeAttachRings, params, ATTACH);
    for (const { id, queue } of oldestFirst(rows)) this.#ring(id, endpointId, queue, 'attach', session);
    return rows.length;
  }

  async #ringSignalled(endpointId: string, queue: string): Promise<number> {
    const rows = await this.#store.read<PendingRecord>(readPending, { endpointId, queue, limit: SIGNAL_TODOS_MAX });
    return rows.filter(({ id, attempts_total }) => this.#ringGated(id, attempts_total, endpointId, queue)).length;
  }

  /** @returns whether it rang. */
  #ringGated(todoId: string, entry: number, endpointId: string, queue: string, reason?: string): boolean {
    if (!this.#gate.pass(todoId, entry)) return false;
    const rung = this.#ring(todoId, endpointId, queue, reason);
    // Nobody heard it: the next signal may try again.
    if (!rung) this.#gate.forget(todoId);
    return rung;
  }

  #ring(todoId: string, endpointId: string, queue: string, reason?: string, first?: DoorbellSession): boolean {
    const rung = this.#sessions.ring(endpointId, reason === undefined ? { todoId, queue } : { todoId, queue, reason }, first);
    if (rung) this.#rung += 1;
    else this.#dropped += 1;
    return rung;
  }

  #track(rings: Promise<number>): Promise<number> {
    const tracked = rings.catch((error: unknown) => {
      this.#logger.warn({ error: errorMessage(error) }, 'the doorbell could not read what waits');
      return 0;
    });
    this.#underWay.add(tracked);
    void tracked.finally(() => this.#underWay.delete(tracked));
    return tracked;
  }
}

/** RETURNING gives rows in any order. */
function oldestFirst(rows: readonly RingRecord[]): RingRecord[] {
  return [...rows].sort((a, b) => a.pending_since - b.pending_since || (a.id < b.id ? -1 : 1));
}
