import assert from 'node:assert/strict';
import { type ClaimedJob, JOB_STATUSES, type Job, type JobResult, type JobStatus } from '@bellhop/contracts';
import { COMPLETED } from './held-job-claims.js';
import { type JobBench, type JobStoreConformanceOptions, jobSection, LEASE_MS, WINDOW_MS } from './job-bench.js';
import { JOB_OPERATIONS, JOB_STATE_TABLE, type JobOperation } from './job-state-table.js';

/** Every cell of the state table, on a job and a queue of its own. */
export function jobStateTableSection(options: JobStoreConformanceOptions): void {
  jobSection(options, 'state table', (test) => {
    for (const status of JOB_STATUSES) {
      test(`of a ${status} job: whatever is asked of it`, async (bench) => {
        for (const operation of JOB_OPERATIONS) await checkCell(bench, status, operation);
      });
    }
  });
}

async function checkCell(bench: JobBench, status: JobStatus, operation: JobOperation): Promise<void> {
  const cell = `${status} × ${operation}`;
  const claim = await bring(bench, `${status}-${operation}`, status);
  const before = await bench.row(claim.id);
  assert.equal(before.status, status, `${cell}: the job is there to begin with`);
  await bench.clock.advance(wait(operation));
  const expected = JOB_STATE_TABLE[status][operation];
  assert.equal(await perform(bench, claim, operation), expected.answer, `${cell}: the answer`);
  const after = await bench.store.get(claim.id);
  assert.equal(after?.status ?? 'gone', expected.to, `${cell}: the status after`);
  if (after && expected.to === status) assert.deepEqual(after, unchanged(before, after, operation, bench.clock.now()), cell);
  await clear(bench);
}

/** What the job was before, but for what the operation may write while it keeps the status. */
function unchanged(before: Job, after: Job, operation: JobOperation, now: number): Job {
  if (before.status === 'running' && operation === 'renew') return { ...before, lockedUntil: now + LEASE_MS, updatedAt: after.updatedAt };
  if (before.status === 'running' && operation === 'progress') return { ...before, progress: 50, updatedAt: after.updatedAt };
  // A waiting job is moved within its status.
  const moves = operation === 'reschedule to later' || operation === 'reschedule to now';
  return moves && (before.status === 'scheduled' || before.status === 'pending')
    ? { ...before, dueAt: after.dueAt, updatedAt: after.updatedAt }
    : before;
}

function wait(operation: JobOperation): number {
  if (operation === 'reclaim' || operation === 'promote') return LEASE_MS;
  return operation === 'sweep' ? WINDOW_MS : 1;
}

/** A job in that status, with the claim that was its last. */
async function bring(bench: JobBench, queue: string, status: JobStatus): Promise<ClaimedJob> {
  const now = bench.clock.now();
  await bench.enqueue({ queue, idempotencyKey: 'k' });
  const claim = await bench.claimOne({ queue });
  const results: Partial<Record<JobStatus, JobResult>> = {
    scheduled: { outcome: 'retry', error: 'again', dueAt: now + LEASE_MS },
    pending: { outcome: 'retry', error: 'again', dueAt: now },
    cancelled: { outcome: 'retry', error: 'again', dueAt: now },
    completed: COMPLETED,
    dead: { outcome: 'dead', error: 'gone' },
  };
  const result = results[status];
  if (result) assert.equal(await bench.ack(claim, result), 'acked');
  if (status === 'cancelled') assert.equal(await bench.store.cancel(claim.id), true);
  return claim;
}

async function perform(bench: JobBench, claim: ClaimedJob, operation: JobOperation): Promise<string> {
  const { store } = bench;
  const { queue, id } = claim;
  const now = bench.clock.now();
  const all = { completedBefore: now, deadBefore: now };
  switch (operation) {
    case 'enqueue again': {
      const result = await bench.enqueued({ queue, idempotencyKey: 'k' });
      return result.id === id && result.deduped ? 'holder' : 'another';
    }
    case 'claim': {
      const ids = await bench.claimIds({ queue });
      return ids.length === 0 ? 'none' : ids.join() === id ? 'the job' : 'other jobs';
    }
    case 'ack completed':
      return bench.ack(claim, COMPLETED);
    case 'ack retry':
      return bench.ack(claim, { outcome: 'retry', error: 'later', dueAt: now + 1_000 });
    case 'ack snooze':
      return bench.ack(claim, { outcome: 'snooze', dueAt: now + 1_000 });
    case 'ack dead':
      return bench.ack(claim, { outcome: 'dead', error: 'late' });
    case 'renew':
      return (await store.renew([{ claim, leaseMs: LEASE_MS }])).join();
    case 'release':
      return (await store.release([claim])).join();
    case 'progress':
      return store.progress(claim, 50);
    case 'promote':
      return String(await store.promote({ limit: 10 }));
    case 'reclaim':
      return String(await store.reclaim({ limit: 10 }));
    case 'cancel':
      return String(await store.cancel(id));
    case 'reschedule to later':
      return String(await store.reschedule(id, now + 5_000));
    case 'reschedule to now':
      return String(await store.reschedule(id, now));
    case 'replay':
      return String(await store.replay(id));
    case 'replayAll':
      return String(await store.replayAll(queue));
    case 'purge':
      return String(await store.purge(queue));
    case 'purgeFailed':
      return String(await store.purgeFailed(id));
    case 'sweep':
      return String(await store.sweep({ ...all, limit: 10 }));
  }
}

/** Ends and removes every job, out of the way of the cells that follow: some operations are store-wide. */
async function clear(bench: JobBench): Promise<void> {
  await bench.clock.advance(LEASE_MS);
  await bench.store.reclaim({ limit: 100 });
  for (const { id } of await bench.rows()) await bench.store.cancel(id);
  await bench.clock.advance(WINDOW_MS);
  const now = bench.clock.now();
  await bench.store.sweep({ completedBefore: now, deadBefore: now, limit: 100 });
  assert.deepEqual(await bench.rows(), []);
}
