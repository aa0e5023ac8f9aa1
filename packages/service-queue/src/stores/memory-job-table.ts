import { TimeIndex } from '@bellhop/store';
import { rankAt } from '../job-rank.js';
import { type JobRow, type KeyOwner, keyOf } from './memory-job-row.js';
import { MemoryLanes, type WaitingJob } from './memory-lanes.js';

/**
 * The rows of the memory store with the indexes its operations need. A row is replaced, never changed, and only by `put` and `remove`, which
 * keep every index in step with it.
 */
export class MemoryJobTable {
  readonly #rows = new Map<string, JobRow>();
  readonly #keys = new Map<string, string>();
  readonly #queues = new Map<string, MemoryLanes>();
  /** Every row that has ended, in the order they did. */
  readonly #finished = new Set<string>();
  /** Completed rows by when their key is free. */
  readonly #keyed = new TimeIndex();
  /** Scheduled rows by due time. */
  readonly due = new TimeIndex();
  /** Running rows by the end of their lease. */
  readonly expiries = new TimeIndex();
  /** Completed and cancelled rows whose key is free, by when they ended. */
  readonly done = new TimeIndex();
  /** Dead rows by when they died. */
  readonly dead = new TimeIndex();

  /** @param keepFinished finished rows held at most; the one that finished first makes room. */
  constructor(readonly keepFinished: number) {}

  get(id: string): JobRow | undefined {
    return this.#rows.get(id);
  }

  all(): Iterable<JobRow> {
    return this.#rows.values();
  }

  /** Where jobs of the queue wait and run; none for a queue without. */
  lanes(queue: string): MemoryLanes | undefined {
    return this.#queues.get(queue);
  }

  /** The row that holds the key of `job`. A completed one holds it until its window ends. */
  holder(job: KeyOwner, now: number): JobRow | undefined {
    const id = this.#keys.get(keyOf(job) ?? '');
    const row = id === undefined ? undefined : (this.#rows.get(id) as JobRow);
    if (row?.status !== 'completed' || now < (row.idempotencyUntil as number)) return row;
    this.put({ ...row, holdsKey: false });
    return undefined;
  }

  /** Frees the keys of completed rows whose window has ended: retention may take them. */
  freeKeys(now: number): void {
    for (const { id } of [...this.#keyed.upTo(now)]) this.put({ ...(this.#rows.get(id) as JobRow), holdsKey: false });
  }

  put(row: JobRow): void {
    const before = this.#rows.get(row.id);
    if (before) this.#unindex(before);
    this.#rows.set(row.id, row);
    this.#index(row);
    // A row that stays finished keeps its turn.
    if (row.finishedAt === null) this.#finished.delete(row.id);
    else this.#finished.add(row.id);
    if (this.#finished.size > this.keepFinished) this.remove(this.#finished.values().next().value as string);
  }

  remove(id: string): void {
    this.#unindex(this.#rows.get(id) as JobRow);
    this.#rows.delete(id);
    this.#finished.delete(id);
  }

  #index(row: JobRow): void {
    const key = row.holdsKey ? keyOf(row) : null;
    if (key !== null) this.#keys.set(key, row.id);
    if (row.status === 'scheduled') this.due.add(row.dueAt, row.id);
    else if (row.status === 'pending') this.#inLanes(row, (lanes) => lanes.add(waiting(row)));
    else if (row.status === 'running') {
      this.expiries.add(row.lockedUntil as number, row.id);
      if (row.groupConcurrency !== null) this.#inLanes(row, (lanes) => lanes.hold(row.lane));
    } else endIndex(this, this.#keyed, row).add(endTime(row), row.id);
  }

  #unindex(row: JobRow): void {
    const key = row.holdsKey ? keyOf(row) : null;
    if (key !== null) this.#keys.delete(key);
    if (row.status === 'scheduled') this.due.remove(row.dueAt, row.id);
    else if (row.status === 'pending') this.#inLanes(row, (lanes) => lanes.remove(waiting(row)));
    else if (row.status === 'running') {
      this.expiries.remove(row.lockedUntil as number, row.id);
      if (row.groupConcurrency !== null) this.#inLanes(row, (lanes) => lanes.letGo(row.lane));
    } else endIndex(this, this.#keyed, row).remove(endTime(row), row.id);
  }

  /** Queues are kept while they hold something: their names come from callers, without end. */
  #inLanes({ queue }: JobRow, change: (lanes: MemoryLanes) => void): void {
    const lanes = this.#queues.get(queue) ?? new MemoryLanes();
    change(lanes);
    if (lanes.isEmpty) this.#queues.delete(queue);
    else this.#queues.set(queue, lanes);
  }
}

function endIndex(table: MemoryJobTable, keyed: TimeIndex, { status, holdsKey }: JobRow): TimeIndex {
  if (status === 'dead') return table.dead;
  return holdsKey ? keyed : table.done;
}

function endTime({ holdsKey, idempotencyUntil, finishedAt }: JobRow): number {
  return (holdsKey ? idempotencyUntil : finishedAt) as number;
}

function waiting(row: JobRow): WaitingJob {
  return { id: row.id, lane: row.lane, rankAt: rankAt(row), groupConcurrency: row.groupConcurrency };
}
