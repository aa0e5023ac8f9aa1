import type { Enqueued, NewJob, Store, TransactionOption } from '@bellhop/contracts';
import { faultKind, GroupCommit, rowWeight } from '@bellhop/store';
import { findHolders, findStored, freeKeys, insertJob, insertJobs, insertKeyedJobs } from '../sql/enqueue-jobs.js';
import { charactersOf, keysOf, toHeads, toValues } from './job-rows.js';

/** Groups with idempotency keys under way at once on Postgres: one that waits for a key leaves room for the rest, and most of the pool for others. */
const KEYED_GROUPS = 4;

interface HolderRow {
  readonly place: number;
  readonly id: string;
}

/**
 * Stores jobs: one statement, and two more where keys were given, however many there are. Enqueues of one microtask turn share a transaction; the
 * jobs of one enqueue are never split.
 */
export class SqlJobEnqueuer {
  readonly #store: Store;
  readonly #plain: GroupCommit<readonly NewJob[], Enqueued[]>;
  /** Apart from the others: on Postgres an enqueue waits for an open transaction that holds its key, and its group waits with it. */
  readonly #keyed: GroupCommit<readonly NewJob[], Enqueued[]>;

  constructor(store: Store) {
    this.#store = store;
    const options = { store, commit: (calls: readonly (readonly NewJob[])[]) => this.#commit(calls), weigh };
    this.#plain = new GroupCommit(options);
    this.#keyed = new GroupCommit({ ...options, concurrency: store.dialect === 'postgres' ? KEYED_GROUPS : 1 });
  }

  async enqueue(jobs: readonly NewJob[], options: TransactionOption = {}): Promise<Enqueued[]> {
    if (jobs.length === 0) return [];
    if (options.trx) return this.#insert(jobs, this.#store.clock.now(), options);
    return (jobs.some(({ idempotencyKey }) => idempotencyKey !== null) ? this.#keyed : this.#plain).submit(jobs);
  }

  /** The calls of a group, in one transaction. */
  async #commit(calls: readonly (readonly NewJob[])[]): Promise<Enqueued[][]> {
    const enqueued = await this.#insertPatiently(calls.flat());
    let at = 0;
    return calls.map(({ length }) => {
      at += length;
      return enqueued.slice(at - length, at);
    });
  }

  /** After a lost answer it asks before it sends again: an id that is taken is an error, and must not be its own. */
  async #insertPatiently(jobs: readonly NewJob[]): Promise<Enqueued[]> {
    const now = this.#store.clock.now();
    try {
      return await this.#insert(jobs, now, {});
    } catch (error) {
      if (faultKind(error) !== 'connection') throw error;
      const ids = jobs.filter(({ idempotencyKey }) => idempotencyKey === null).map(({ id }) => id);
      const stored = ids.length === 0 ? [] : await this.#store.read(findStored, { ids: JSON.stringify(ids), now });
      // Jobs with keys may be sent again as they are: each finds its key held, by itself.
      if (ids.length === 0 || stored.length < ids.length) return this.#insert(jobs, now, {});
      const keys = keysOf(jobs);
      return toEnqueued(jobs, keys.length === 0 ? [] : await this.#store.read<HolderRow>(findHolders, { keys: JSON.stringify(keys) }));
    }
  }

  async #insert(jobs: readonly NewJob[], now: number, options: TransactionOption): Promise<Enqueued[]> {
    const scope = { organizationId: [...new Set(jobs.map(({ organizationId }) => organizationId))] };
    const keys = keysOf(jobs);
    const [only, ...others] = jobs;
    if (keys.length === 0 && only && others.length === 0) {
      await this.#store.write(insertJob, toValues(only, now), scope, options);
      return [{ id: only.id, deduped: false }];
    }
    const [heads = '[]', ...more] = toHeads(jobs, now);
    if (keys.length === 0) {
      // One statement is a transaction by itself: BEGIN and COMMIT around it would be two exchanges more on Postgres.
      if (more.length === 0) await this.#store.write(insertJobs, { now, heads }, scope, options);
      else
        await this.#store.batch(
          [heads, ...more].map((text) => ({ statement: insertJobs, params: { now, heads: text }, scope })),
          options,
        );
      return toEnqueued(jobs, []);
    }
    const keysText = JSON.stringify(keys);
    const writes = [
      { statement: freeKeys, params: { now, keys: keysText }, scope },
      ...[heads, ...more].map((text) => ({ statement: insertKeyedJobs, params: { now, heads: text }, scope })),
    ];
    if (options.trx && !this.#store.interactive) {
      // Inside a transaction of remote libSQL there is no reading back: whether a key was held shows at the commit only.
      await this.#store.batch(writes, options);
      return jobs.map(({ id, idempotencyKey }) => ({ id, deduped: idempotencyKey === null ? false : null }));
    }
    const results = await this.#store.batch([...writes, { statement: findHolders, params: { keys: keysText } }], options);
    return toEnqueued(jobs, (results.at(-1)?.rows ?? []) as unknown as HolderRow[]);
  }
}

function toEnqueued(jobs: readonly NewJob[], holders: readonly HolderRow[]): Enqueued[] {
  const held = new Map(holders.map(({ place, id }) => [place, id]));
  return jobs.map((job, place) => {
    const id = held.get(place) ?? job.id;
    return { id, deduped: id !== job.id };
  });
}

function weigh(jobs: readonly NewJob[]): number {
  return jobs.reduce((weight, job) => weight + rowWeight(charactersOf(job)), 0);
}
