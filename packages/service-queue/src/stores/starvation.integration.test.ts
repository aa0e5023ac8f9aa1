import type { JobStore, NewJob } from '@bellhop/contracts';
import { ManualClock, TEST_STORE_NAMES } from '@bellhop/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkJob } from '../job-input.js';
import { rankAt } from '../job-rank.js';
import { lane, seedJobs } from '../sql/seeded-jobs.fixture.js';
import { MemoryJobStore } from './memory-job-store.js';
import { type TwoJobStores, twoJobStores } from './sql-jobs.fixture.js';

// A due job must not wait behind jobs that are not: where a claim reads the most urgent rows there are and drops those of the future, some thirty
// of them hold everything up. How many rows each statement visits meanwhile, the gate statement-plans counts.

const QUEUES = [{ queue: 'mail', limit: 1, leaseMs: 30_000 }];
/** More urgent than any other, in an hour. */
const URGENT = { priority: 1, delayMs: 3_600_000 };

/** Whether the one due job is found at once, and nothing else. */
async function expectDueAlone(jobs: JobStore, due: NewJob, dueAtOfOthers: number): Promise<void> {
  expect(await jobs.promote({ limit: 1_000 })).toBe(0);
  expect(await jobs.survey({ queues: QUEUES })).toEqual({
    expired: false,
    promotable: false,
    claimable: ['mail'],
    nextDueAt: dueAtOfOthers,
  });
  const claims = await jobs.claim({ workerId: 'w', queues: QUEUES });
  expect(claims.map(({ id }) => id)).toEqual([due.id]);
  expect(await jobs.claim({ workerId: 'w', queues: QUEUES })).toEqual([]);
  expect(await jobs.ack(claims.map((claim) => ({ claim, result: { outcome: 'completed' } })))).toEqual(['acked']);
}

describe.each(TEST_STORE_NAMES)('on %s', (name) => {
  let nodes: TwoJobStores;
  let seeded = 0;
  beforeAll(async () => {
    nodes = await twoJobStores(name);
  });
  afterAll(() => nodes.database.drop());

  it.each([29, 30, 200_000])('a due job is claimed past %i more urgent ones of the future', async (count) => {
    const { store, jobs, job, clock, cost } = nodes;
    const dueAt = clock.now() + URGENT.delayMs;
    // In the very lane of the job that is due.
    await seedJobs(store, `future-${count}-`, count - seeded, {
      status: `'scheduled'`,
      organization_id: `'default'`,
      lane: lane('default'),
      priority: '1',
      due_at: `${dueAt}`,
      rank_at: `${rankAt({ dueAt, priority: 1 })}`,
      attempts: '0',
    });
    seeded = count;
    expect(await nodes.count({ status: 'scheduled' })).toBe(count);
    const due = job({ priority: 100 });
    await jobs.enqueue([due]);
    // A promotion, a survey, two claims and an ack: nothing reads page after page.
    expect(await cost(() => expectDueAlone(jobs, due, dueAt))).toMatchObject({ statements: 5 });
  });

  it('when their time has come the urgent ones go first (control: they were in the queue)', async () => {
    const { jobs, job, clock } = nodes;
    await clock.advance(URGENT.delayMs);
    expect(await jobs.promote({ limit: 10 })).toBe(10);
    const due = job({ priority: 100 });
    await jobs.enqueue([due]);
    const [first] = await jobs.claim({ workerId: 'w', queues: QUEUES });
    expect([first?.id.startsWith('future-'), first?.priority]).toEqual([true, 1]);
  });
});

describe('in memory', () => {
  it.each([29, 30, 200_000])('a due job is claimed past %i more urgent ones of the future', async (count) => {
    const clock = new ManualClock();
    const jobs = new MemoryJobStore({ clock });
    let made = 0;
    const make = (options: object) => {
      made += 1;
      const id = `job-${String(made).padStart(8, '0')}`;
      return checkJob({ queue: 'mail', data: {}, options }, { id: () => id, now: clock.now() });
    };
    await jobs.enqueue(Array.from({ length: count }, () => make(URGENT)));
    const due = make({ priority: 100 });
    await jobs.enqueue([due]);
    await expectDueAlone(jobs, due, clock.now() + URGENT.delayMs);
    // Control: when their time has come, the urgent ones go first.
    await clock.advance(URGENT.delayMs);
    expect(await jobs.promote({ limit: 10 })).toBe(10);
    await jobs.enqueue([make({ priority: 100 })]);
    expect((await jobs.claim({ workerId: 'w', queues: QUEUES })).map(({ priority }) => priority)).toEqual([1]);
  });
});
