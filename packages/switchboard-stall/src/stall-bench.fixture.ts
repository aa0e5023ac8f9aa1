// A board whose rows are written by hand, and a sweep over it: nothing but the tables and the ledger's own rules take part.
import type { BoardWakes, ReadyTodo, Store, WakeOutcome, WakeOutcomeKind } from '@bellhop/contracts';
import { type LogFields, silentLogger } from '@bellhop/kernel';
import { boardMigrations, wakeSql } from '@bellhop/switchboard';
import { emptyTables, ManualClock, type TestDatabase, type TestStoreName, testDatabase } from '@bellhop/testing';
import { stallMigrations } from './migrations/stall-migrations.js';
import { NudgeTally } from './nudge-counts.js';
import { NudgeOutcomes } from './nudge-outcomes.js';
import { Stall } from './stall.js';
import { StallSweep } from './stall-sweep.js';

export const ORGANIZATION = 'org-a';
export const MINUTE = 60_000;
const TABLES = ['queue_stall_nudges', 'board_attempt', 'board_todo', 'board_notify_hook', 'board_endpoint'];

export interface Fired {
  readonly todo: ReadyTodo;
  readonly reason: string;
  readonly wakeId: string | undefined;
}

/** Wakes that are written down instead of delivered; a test says what became of them. */
export class ScriptedWakes implements BoardWakes {
  hooksOn = true;
  readonly fired: Fired[] = [];
  /** Called as a wake is fired. */
  onFire: (fired: Fired) => void = () => {};
  readonly #listeners = new Set<(outcome: WakeOutcome) => void | Promise<void>>();

  readonly wakeSql = wakeSql;

  fireReady(todo: ReadyTodo, reason: string, wakeId?: string): void {
    const fired = { todo, reason, wakeId };
    this.fired.push(fired);
    this.onFire(fired);
  }

  onWakeOutcome(fn: (outcome: WakeOutcome) => void | Promise<void>): () => void {
    this.#listeners.add(fn);
    return () => void this.#listeners.delete(fn);
  }

  /** Resolves when all who listen are through with it. */
  async end({ todo, reason, wakeId }: Fired, outcome: WakeOutcomeKind): Promise<void> {
    await Promise.all([...this.#listeners].map((listener) => listener({ todo, reason, outcome, wakeId })));
  }
}

export type Columns = Readonly<Record<string, string | number | null>>;

export interface LedgerRow {
  readonly endpoint_id: string;
  readonly queue: string;
  readonly nudges: number;
  readonly last_nudged_at: number;
  readonly last_outcome: string | null;
  readonly quiet_since: number | null;
}

/** One process: a sweep with its wakes and what it counts. */
export function sweeper(store: Store) {
  const warnings: LogFields[] = [];
  const logger = { ...silentLogger, warn: (fields: LogFields) => void warnings.push(fields) };
  const tally = new NudgeTally(logger);
  const wakes = new ScriptedWakes();
  const outcomes = new NudgeOutcomes(store, tally, logger);
  wakes.onWakeOutcome(outcomes.note);
  const sweep = new StallSweep({ store, wakes, tally });
  return { wakes, tally, outcomes, warnings, sweep, stall: new Stall({ store, wakes, tally }) };
}

export class StallBench {
  readonly clock: ManualClock;
  #number = 0;
  #process;

  private constructor(
    readonly database: TestDatabase,
    readonly store: Store,
    clock: ManualClock,
  ) {
    this.clock = clock;
    this.#process = sweeper(store);
  }

  static async open(name: TestStoreName): Promise<StallBench> {
    const database = await testDatabase(name);
    const clock = new ManualClock();
    const store = await database.open({ clock });
    await store.migrate(boardMigrations);
    await store.migrate(stallMigrations);
    return new StallBench(database, store, clock);
  }

  drop(): Promise<void> {
    return this.database.drop();
  }

  /** Empties the tables and takes another process. */
  async clear(): Promise<void> {
    await this.#process.outcomes.settled();
    await emptyTables(this.store, TABLES);
    this.#process = sweeper(this.store);
  }

  get process() {
    return this.#process;
  }

  get wakes() {
    return this.#process.wakes;
  }

  get now(): number {
    return this.clock.now();
  }

  /** Moves the time on. */
  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
  }

  async sweep(): Promise<number> {
    return this.#process.sweep.run(this.now);
  }

  /** Sweeps, and gives the names of the todos told of. */
  async swept(): Promise<string[]> {
    const before = this.wakes.fired.length;
    await this.sweep();
    return this.wakes.fired.slice(before).map(({ todo }) => todo.id);
  }

  /** Tells what became of the newest wake. */
  async end(outcome: WakeOutcomeKind): Promise<void> {
    await this.wakes.end(this.wakes.fired.at(-1) as Fired, outcome);
  }

  async statementsOf(work: () => Promise<unknown>): Promise<string[]> {
    const before = this.#byLabel();
    await work();
    return [...this.#byLabel()].flatMap(([label, count]) => Array<string>(count - (before.get(label) ?? 0)).fill(label));
  }

  #byLabel(): Map<string, number> {
    return new Map(Object.entries(this.store.meter.snapshot().byLabel).map(([label, { statements }]) => [label, statements]));
  }

  async endpoint(id = 'ep', columns: Columns = {}): Promise<string> {
    await this.store.knex('board_endpoint').insert({
      id,
      organization_id: ORGANIZATION,
      slug: id,
      credential_hash: `hash-${id}`,
      credential_prefix: 'sbk_x',
      queues: '["mail","other","a:b"]',
      verbs: '[]',
      state: 'active',
      created_at: 0,
      ...columns,
    });
    return id;
  }

  async hook(endpointId = 'ep', columns: Columns = {}): Promise<string> {
    const id = `nh-${this.#next()}`;
    await this.store.knex('board_notify_hook').insert({
      id,
      organization_id: ORGANIZATION,
      endpoint_id: endpointId,
      url: 'https://a.example/',
      secret: 's',
      queues: '[]',
      enabled: 1,
      failures: 0,
      opened_at: 0,
      created_at: 0,
      ...columns,
    });
    return id;
  }

  /** A pending todo that passes the gate, since now unless told. */
  async todo(columns: Columns = {}): Promise<string> {
    const id = String(columns.id ?? `td-${this.#next()}`);
    await this.store.knex('board_todo').insert(this.todoRow({ id, ...columns }));
    return id;
  }

  todoRow(columns: Columns): Columns {
    const since = columns.pending_since ?? this.now;
    return {
      organization_id: ORGANIZATION,
      endpoint_id: 'ep',
      queue: 'mail',
      state: 'pending',
      gate: 1,
      moved_by: 'm',
      source: 'operator',
      title: 't',
      attempt: 0,
      max_attempts: 5,
      attempts_total: 0,
      ring_attempts: 0,
      created_at: since,
      pending_since: since,
      updated_at: since,
      payload: '{}',
      ...columns,
    };
  }

  setTodo(id: string, columns: Columns): Promise<unknown> {
    return this.store.knex('board_todo').where({ id }).update(columns);
  }

  /** Claims a todo now, for five minutes unless told. */
  async claim(todoId: string, { leaseMs = 5 * MINUTE, at = this.now }: { leaseMs?: number; at?: number } = {}): Promise<Attempt> {
    const todo = await this.store.knex('board_todo').where({ id: todoId }).first();
    const seq = todo.attempts_total + 1;
    await this.setTodo(todoId, { state: 'claimed', attempts_total: seq });
    await this.store.knex('board_attempt').insert({
      todo_id: todoId,
      seq,
      organization_id: ORGANIZATION,
      endpoint_id: todo.endpoint_id,
      queue: todo.queue,
      claimed_at: at,
      lease_until: at + leaseMs,
    });
    return { todoId, seq };
  }

  /** Ends a claim now: `completed` leaves the todo done, everything else pending again. */
  async endClaim({ todoId, seq }: Attempt, outcome: string): Promise<void> {
    await this.store.knex('board_attempt').where({ todo_id: todoId, seq }).update({ ended_at: this.now, outcome });
    await this.setTodo(todoId, outcome === 'completed' ? { state: 'done' } : { state: 'pending', pending_since: this.now });
  }

  async ledger(): Promise<LedgerRow[]> {
    const rows: LedgerRow[] = await this.store.knex('queue_stall_nudges').select('*').orderBy(['endpoint_id', 'queue']);
    // The query builder gives Postgres' 64-bit integers as text.
    return rows.map((row) => ({
      ...row,
      last_nudged_at: Number(row.last_nudged_at),
      quiet_since: row.quiet_since === null ? null : Number(row.quiet_since),
    }));
  }

  async insertLedger(columns: Partial<LedgerRow> = {}): Promise<void> {
    await this.store
      .knex('queue_stall_nudges')
      .insert({ endpoint_id: 'ep', queue: 'mail', nudges: 1, last_nudged_at: this.now, ...columns });
  }

  /** An endpoint with a hook, and todos that are old enough. */
  async stalled(todos = 1): Promise<string[]> {
    await this.endpoint();
    await this.hook();
    const ids: string[] = [];
    for (let index = 0; index < todos; index += 1) ids.push(await this.todo({ pending_since: this.now - 3 * MINUTE + index }));
    return ids;
  }

  #next(): number {
    this.#number += 1;
    return this.#number;
  }
}

export interface Attempt {
  readonly todoId: string;
  readonly seq: number;
}
