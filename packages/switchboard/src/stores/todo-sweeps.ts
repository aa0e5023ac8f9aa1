import { randomUUID } from 'node:crypto';
import type { Store } from '@bellhop/contracts';
import type { MovedTodo } from '../board-announcements.js';
import { expireQuarantined } from '../sql/quarantined-todos.js';
import { closeReapedAttempts, reapTodos, requeueDueTodos } from '../sql/requeue-todos.js';
import { forgetEvents, sweepAttempts, sweepEvents, sweepTodos } from '../sql/sweep-board.js';
import { SWEPT_PREFIX } from '../sql/todo-columns.js';

const LEASES = { global: 'lease reaping: leases lapse in every organization, and what is returned names its own' };
const RETRIES = { global: 'retry scheduler: retries come due in every organization, and what is returned names its own' };
const RETENTION = { global: 'retention: what is old goes, in every organization' };

/** What a dead letter holds that nobody failed: its consumers died. */
const LAPSED_RESULT = JSON.stringify({ error: 'lease_expired' });

/** What the duties do to todos of every organization, some rows at a time. Any number of processes may do it at once. */
export class TodoSweeps {
  constructor(private readonly store: Store) {}

  /** Lapsed leases, back to pending or dead. */
  async reap(limit: number): Promise<MovedTodo[]> {
    const now = this.store.clock.now();
    const moved = SWEPT_PREFIX + randomUUID();
    const [reaped] = await this.store.batch([
      { statement: reapTodos, params: { now, moved, lapsed: LAPSED_RESULT, limit }, scope: LEASES },
      { statement: closeReapedAttempts, params: { now, moved }, scope: LEASES },
    ]);
    return (reaped?.rows ?? []) as unknown as MovedTodo[];
  }

  /** Due retries, back to pending. */
  async requeueDue(limit: number): Promise<MovedTodo[]> {
    const params = { now: this.store.clock.now(), moved: randomUUID(), limit };
    const { rows } = await this.store.write<MovedTodo>(requeueDueTodos, params, RETRIES);
    return rows;
  }

  /** Finished todos that ended before then. @returns rows. */
  async sweepTodos(before: number, limit: number): Promise<number> {
    // On Postgres the foreign key takes the attempts along: two statements would choose at two instants, and one that is retried in between would lose its history.
    if (this.store.family === 'postgres') return (await this.store.write(sweepTodos, { before, limit }, RETENTION)).changes ?? 0;
    const [, swept] = await this.store.batch([
      { statement: sweepAttempts, params: { before, limit }, scope: RETENTION },
      { statement: sweepTodos, params: { before, limit }, scope: RETENTION },
    ]);
    return swept?.changes ?? 0;
  }

  /** Events that came before then. @returns rows. */
  async sweepEvents(before: number, limit: number): Promise<number> {
    const [, swept] = await this.store.batch([
      { statement: forgetEvents, params: { before, limit }, scope: RETENTION },
      { statement: sweepEvents, params: { before, limit }, scope: RETENTION },
    ]);
    return swept?.changes ?? 0;
  }

  /** What waits in quarantine since before then. @returns rows. */
  async expireQuarantined(before: number, limit: number): Promise<number> {
    const params = { before, now: this.store.clock.now(), moved: randomUUID(), limit };
    const { changes } = await this.store.write(expireQuarantined, params, RETENTION);
    return changes ?? 0;
  }
}
