import type { ClaimedJob, Job, NewJob } from '@bellhop/contracts';
import { TimeIndex } from '@bellhop/store';
import { rankAt } from '../job-rank.js';
import { laneOf } from '../lane.js';
import { MemoryLanes } from './memory-lanes.js';

/** A job as the memory store keeps it. Data and metadata stay JSON text, so what is handed out is always a copy. */
export interface JobRow extends Omit<Job, 'data' | 'metadata'>, Pick<NewJob, 'dataText' | 'metadataText' | 'groupConcurrency'> {
  readonly lane: string;
  readonly claimToken: string | null;
  /** Whether the idempotency key is its own. */
  readonly holdsKey: boolean;
  readonly idempotencyUntil: number | null;
}

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

  lanes(queue: string): MemoryLanes {
    let lanes = this.#queues.get(queue);
    if (!lanes) {
      lanes = new MemoryLanes();
      this.#queues.set(queue, lanes);
    }
    return lanes;
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
    else if (row.status === 'pending') this.lanes(row.queue).add(waiting(row));
    else if (row.status === 'running') {
      this.expiries.add(row.lockedUntil as number, row.id);
      if (row.groupConcurrency !== null) this.lanes(row.queue).hold(row.lane);
    } else endIndex(this, this.#keyed, row).add(endTime(row), row.id);
  }

  #unindex(row: JobRow): void {
    const key = row.holdsKey ? keyOf(row) : null;
    if (key !== null) this.#keys.delete(key);
    if (row.status === 'scheduled') this.due.remove(row.dueAt, row.id);
    else if (row.status === 'pending') this.lanes(row.queue).remove(waiting(row));
    else if (row.status === 'running') {
      this.expiries.remove(row.lockedUntil as number, row.id);
      if (row.groupConcurrency !== null) this.lanes(row.queue).letGo(row.lane);
    } else endIndex(this, this.#keyed, row).remove(endTime(row), row.id);
  }
}

function endIndex(table: MemoryJobTable, keyed: TimeIndex, { status, holdsKey }: JobRow): TimeIndex {
  if (status === 'dead') return table.dead;
  return holdsKey ? keyed : table.done;
}

function endTime({ holdsKey, idempotencyUntil, finishedAt }: JobRow): number {
  return (holdsKey ? idempotencyUntil : finishedAt) as number;
}

type KeyOwner = Pick<NewJob, 'organizationId' | 'queue' | 'idempotencyKey'>;

/** JSON, because no separator is safe inside names. Null without a key. */
export function keyOf({ organizationId, queue, idempotencyKey }: KeyOwner): string | null {
  return idempotencyKey === null ? null : JSON.stringify([organizationId, queue, idempotencyKey]);
}

function waiting(row: JobRow) {
  return { id: row.id, lane: row.lane, rankAt: rankAt(row), groupConcurrency: row.groupConcurrency };
}

/** Scheduled or pending, by whether its due time has come. */
export function waitingStatus(dueAt: number, now: number): 'scheduled' | 'pending' {
  return dueAt <= now ? 'pending' : 'scheduled';
}

/** @param createdAt when it was published; `now` is later for what waited for a commit. */
export function newRow(job: NewJob, createdAt: number, now: number): JobRow {
  return {
    ...job,
    status: waitingStatus(job.dueAt, now),
    attempts: 0,
    progress: 0,
    claimedBy: null,
    lockedUntil: null,
    claimToken: null,
    lastError: null,
    createdAt,
    updatedAt: createdAt,
    finishedAt: null,
    lane: laneOf(job.organizationId, job.groupKey),
    holdsKey: job.idempotencyKey !== null,
  };
}

/** The row with its claim taken off, in a status it waits in. */
export function unclaimed(row: JobRow, status: 'scheduled' | 'pending', now: number): JobRow {
  return { ...row, status, claimedBy: null, lockedUntil: null, claimToken: null, updatedAt: now };
}

/** The row at its end. Only a completed one keeps its key, until the window ends. */
export function ended(row: JobRow, status: 'completed' | 'dead' | 'cancelled', now: number): JobRow {
  const holdsKey = status === 'completed' && row.holdsKey && now < (row.idempotencyUntil as number);
  return { ...row, status, claimedBy: null, lockedUntil: null, claimToken: null, holdsKey, updatedAt: now, finishedAt: now };
}

export function toJob(row: JobRow): Job {
  const { dataText, metadataText, lane: _lane, claimToken: _token, holdsKey: _holds, ...rest } = row;
  const { idempotencyUntil: _until, groupConcurrency: _cap, ...job } = rest;
  return { ...job, data: JSON.parse(dataText) as unknown, metadata: metadataText === null ? null : JSON.parse(metadataText) };
}

export function toClaimed(row: JobRow): ClaimedJob {
  return {
    ...toJob(row),
    status: 'running',
    claimToken: row.claimToken as string,
    lockedUntil: row.lockedUntil as number,
    lane: row.lane,
  };
}
