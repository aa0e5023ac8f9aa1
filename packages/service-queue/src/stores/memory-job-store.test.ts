import { existsSync } from 'node:fs';
import type { NewJob } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { JOB_STORE_SECTIONS, ManualClock, ManualTransactions } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { checkJob } from '../job-input.js';
import { memoryJobStoreConformance } from './memory-job-store.fixture.js';
import { MemoryJobStore } from './memory-job-store.js';
import { FILES_IN_MEMORY, SECTIONS_APART } from './sections-apart.fixture.js';

const apart: readonly string[] = ['histories', ...FILES_IN_MEMORY.flatMap((file) => SECTIONS_APART[file])];
memoryJobStoreConformance(JOB_STORE_SECTIONS.filter((section) => !apart.includes(section)));

it.each(['histories', ...FILES_IN_MEMORY])('the sections %s have their own file', (file) => {
  expect(existsSync(new URL(`./memory-job-store.${file}.test.ts`, import.meta.url))).toBe(true);
});

describe('MemoryJobStore', () => {
  const clock = new ManualClock();
  let made = 0;
  const job = (overrides: Partial<NewJob> = {}): NewJob => {
    made += 1;
    const id = () => `job-${String(made).padStart(6, '0')}`;
    return { ...checkJob({ queue: 'mail', data: made }, { id, now: clock.now() }), ...overrides };
  };
  const keyed = (idempotencyKey: string) => job({ idempotencyKey, idempotencyUntil: clock.now() + 1_000 });
  const claimAll = (store: MemoryJobStore, limit = 1_000) =>
    store.claim({ workerId: 'w', queues: [{ queue: 'mail', limit, leaseMs: 1_000 }] });

  it('stores nothing of a transaction before its root commits', async () => {
    const { afterCommit, transaction } = new ManualTransactions();
    const store = new MemoryJobStore({ clock, afterCommit });
    const waiting = job();
    await transaction(async (trx) => {
      await store.enqueue([waiting], { trx });
      expect(await store.get(waiting.id)).toBeNull();
      expect(await claimAll(store)).toEqual([]);
    });
    expect((await claimAll(store)).map(({ id }) => id)).toEqual([waiting.id]);
  });

  it('makes a job pending that came due while its transaction was open', async () => {
    const { afterCommit, transaction } = new ManualTransactions();
    const store = new MemoryJobStore({ clock, afterCommit });
    const soon = job({ dueAt: clock.now() + 10 });
    const publishedAt = clock.now();
    await transaction(async (trx) => {
      await store.enqueue([soon], { trx });
      await clock.advance(10);
    });
    expect(await store.get(soon.id)).toMatchObject({ status: 'pending', createdAt: publishedAt });
  });

  it('lets a key that was taken while the transaction was open stay with whoever took it', async () => {
    const { afterCommit, transaction } = new ManualTransactions();
    const store = new MemoryJobStore({ clock, afterCommit });
    const [inside, outside] = [keyed('k'), keyed('k')];
    await transaction(async (trx) => {
      await store.enqueue([inside], { trx });
      await store.enqueue([outside]);
    });
    expect(await store.get(inside.id)).toBeNull();
    expect(await store.enqueue([keyed('k')])).toEqual([{ id: outside.id, deduped: true }]);
  });

  it('refuses an id that a transaction has used already, and stores the rest of it', async () => {
    const { afterCommit, transaction } = new ManualTransactions();
    const store = new MemoryJobStore({ clock, afterCommit });
    const first = job();
    await transaction(async (trx) => {
      await store.enqueue([first], { trx });
      await expect(store.enqueue([job(), { ...first }], { trx })).rejects.toThrow(/^jobs\[1\]\.id: /);
    });
    expect((await claimAll(store)).map(({ id }) => id)).toEqual([first.id]);
  });

  it('refuses a transaction that it cannot wait for (control: without one it takes the job)', async () => {
    const { transaction } = new ManualTransactions();
    const store = new MemoryJobStore({ clock });
    const one = job();
    await expect(transaction((trx) => store.enqueue([one], { trx }))).rejects.toThrow(/afterCommit/);
    expect(await store.get(one.id)).toBeNull();
    await store.enqueue([one]);
    expect((await store.get(one.id))?.status).toBe('pending');
  });

  it('holds a bounded number of ended jobs: the one that ended first goes, and its key with it; jobs that wait never', async () => {
    const store = new MemoryJobStore({ clock, keepFinished: 2 });
    const jobs = [keyed('a'), job(), job(), job()] as const;
    await store.enqueue(jobs);
    for (const claim of await claimAll(store, 3)) await store.ack([{ claim, result: { outcome: 'completed' } }]);
    expect((await Promise.all(jobs.map(({ id }) => store.get(id)))).map((row) => row?.status)).toEqual([
      undefined,
      'completed',
      'completed',
      'pending',
    ]);
    expect((await store.enqueue([keyed('a')]))[0]?.deduped).toBe(false);
    for (const keepFinished of [-1, 1.5, Number.NaN]) expect(() => new MemoryJobStore({ clock, keepFinished })).toThrow(InputError);
  });

  it('replays a dead job out of the number of ended ones', async () => {
    const store = new MemoryJobStore({ clock, keepFinished: 1 });
    const [first, second] = [job(), job()];
    await store.enqueue([first]);
    for (const claim of await claimAll(store)) await store.ack([{ claim, result: { outcome: 'dead', error: 'x' } }]);
    await store.replay(first.id);
    await store.enqueue([second]);
    await store.cancel(second.id);
    expect((await store.get(first.id))?.status).toBe('pending');
    expect((await store.get(second.id))?.status).toBe('cancelled');
  });
});
