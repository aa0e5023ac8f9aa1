import type { Statement, Store } from '@bellhop/contracts';
import { StoreError } from '@bellhop/kernel';
import { openStore } from '@bellhop/store';
import { HRANA_FAULTS, startHranaServer } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { queueMigrations } from '../migrations/queue-migrations.js';
import { SqlJobStore } from './sql-job-store.js';
import { twoJobStores } from './sql-jobs.fixture.js';

describe.each(HRANA_FAULTS)('an enqueue over remote libSQL, %s', (fault) => {
  it('is stored once, with keys, without, and mixed', async () => {
    const { job } = await twoJobStores('memory');
    const server = await startHranaServer({ busyTimeoutMs: 0 });
    const store = await openStore({ url: server.url });
    await store.migrate(queueMigrations);
    const jobs = new SqlJobStore({ store });
    const batches = [
      [job()],
      [job(), job()],
      [job({ idempotencyKey: 'a' })],
      [job({ idempotencyKey: 'b' }), job(), job({ idempotencyKey: 'b' })],
    ];
    for (const batch of batches) {
      server.failNext(fault, 1);
      const results = await jobs.enqueue(batch);
      expect(results.map(({ deduped }) => deduped)).toEqual(batch.map((_, at) => at === 2));
    }
    const stored = batches.flatMap((batch) => batch.slice(0, 2).map(({ id }) => id));
    expect(await store.knex('queue_job').orderBy('id').pluck('id')).toEqual(stored);
    await store.close();
    await server.close();
  });
});

describe.each(['sqlite', 'libsql-remote', 'postgres'] as const)('on %s', (name) => {
  it('an id that is taken is an error, and takes its call with it, and no other', async () => {
    const { jobs, job, count, database } = await twoJobStores(name);
    const taken = job();
    await jobs.enqueue([taken]);
    const results = await Promise.allSettled([
      jobs.enqueue([job(), job()]),
      jobs.enqueue([job(), taken]),
      jobs.enqueue([taken]),
      jobs.enqueue([job()]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(await count()).toBe(4);
    await database.drop();
  });
});

describe('a claim of several statements', () => {
  /** A store whose claims fail from the one so many on. */
  function failing(store: Store, from: number): Store {
    let claims = 0;
    return new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return async (...given: [Statement, ...unknown[]]) => {
          if (name === 'write' && given[0].label === 'queue.claim') {
            claims += 1;
            if (claims >= from) throw new StoreError('STORE_UNAVAILABLE', 'gone');
          }
          return member.apply(target, given);
        };
      },
    });
  }
  // More than 64 jobs are a statement by themselves.
  const queues = ['a', 'b'].map((queue) => ({ queue, limit: 100, leaseMs: 30_000 }));

  it('gives what it took before one failed, for it is held; with nothing taken it fails', async () => {
    const { jobs, job, store, count } = await twoJobStores('memory');
    await jobs.enqueue([job({}, 'a'), job({}, 'b')]);
    await expect(new SqlJobStore({ store: failing(store, 1) }).claim({ workerId: 'w', queues })).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    expect(await count({ status: 'running' })).toBe(0);
    const claimed = await new SqlJobStore({ store: failing(store, 2) }).claim({ workerId: 'w', queues });
    expect(claimed.map(({ queue }) => queue)).toEqual(['a']);
    expect(await count({ status: 'running' })).toBe(1);
    // Control: without a failure both are taken.
    expect((await jobs.claim({ workerId: 'w', queues })).map(({ queue }) => queue)).toEqual(['b']);
  });
});
