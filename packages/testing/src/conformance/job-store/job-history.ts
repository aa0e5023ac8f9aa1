import assert from 'node:assert/strict';
import type { ClaimedJob, Job, JobResult, JobStore, QueueClaim } from '@bellhop/contracts';
import { checkClaimChoice } from './claim-choice.js';
import type { JobBench } from './job-bench.js';
import { GROUPS, type HistoryStep, QUEUES } from './job-history-steps.js';
import { JobStoreModel, type ModelJob } from './job-store-model.js';

type Of<Op extends HistoryStep['op']> = Extract<HistoryStep, { op: Op }>;

/**
 * One history, on a store and on the model. Which jobs a claim takes is the store's to choose within the contract: the choice is checked, and the
 * model follows it.
 */
export class JobHistory {
  readonly #model = new JobStoreModel();
  /** Every claim ever made, held or not, with its number in the model. */
  readonly #claims: { readonly claim: number; readonly job: ClaimedJob }[] = [];
  readonly #ids: string[] = [];
  readonly #lastLane = new Map<string, string>();
  claimed = 0;

  constructor(readonly bench: JobBench) {}

  /** Performs the step on both, and compares the answers and the job it was about. */
  async take(step: HistoryStep): Promise<void> {
    const { bench } = this;
    const { store } = bench;
    const model = this.#model;
    const now = bench.clock.now();
    switch (step.op) {
      case 'enqueue':
        return this.#enqueue(step, now);
      case 'claim':
        return this.#claim(step, now);
      case 'ack':
        return this.#settle(step.pick, async (job, claim) => {
          const result = resultOf(step, now);
          assert.equal(await bench.ack(job, result, this.#node(step)), model.ack(job.id, claim, result, now), 'the outcome of the ack');
        });
      case 'renew':
        return this.#settle(step.pick, async (job, claim) =>
          assert.deepEqual(await store.renew([{ claim: job, leaseMs: 3_000 }]), [model.renew(job.id, claim, now + 3_000)]),
        );
      case 'release':
        return this.#settle(step.pick, async (job, claim) => assert.deepEqual(await store.release([job]), [model.release(job.id, claim)]));
      case 'progress':
        return this.#settle(step.pick, async (job, claim) =>
          assert.equal(await store.progress(job, step.percent), model.progress(job.id, claim, step.percent)),
        );
      case 'promote':
        return this.#promote(step.limit, now);
      case 'reclaim': {
        const expired = model.reclaim(now);
        assert.equal(await store.reclaim({ limit: 1_000 }), expired.length, 'jobs reclaimed');
        return this.#compare(expired.map(({ id }) => id));
      }
      case 'cancel':
        return this.#about(step.pick, async (id) => assert.equal(await store.cancel(id), model.cancel(id, now)));
      case 'reschedule':
        return this.#about(step.pick, async (id) =>
          assert.equal(await store.reschedule(id, now + step.delayMs), model.reschedule(id, now + step.delayMs, now)),
        );
      case 'replay':
        return this.#about(step.pick, async (id) => assert.equal(await store.replay(id), model.replay(id, now)));
      case 'replayAll':
        assert.equal(await store.replayAll(step.queue, scope(step.organization)), model.replayAll(step.queue, step.organization, now));
        return;
      case 'purge':
        assert.equal(await store.purge(step.queue, scope(step.organization)), model.purge(step.queue, step.organization));
        return;
      case 'purgeFailed':
        return this.#about(step.pick, async (id) => assert.equal(await store.purgeFailed(id), model.purgeFailed(id)));
      case 'sweep': {
        const before = now - step.agoMs;
        const cut = { completedBefore: before, deadBefore: before };
        const removed = model.sweep(cut, now);
        // It may be true for keys that are over, too.
        if (step.asks && removed > 0) assert.equal(await store.sweepable(cut), true, 'there is something to sweep');
        assert.equal(await store.sweep({ ...cut, limit: 1_000 }), removed, 'jobs swept');
        if (step.asks) assert.equal(await store.sweepable(cut), false, 'nothing is left to sweep');
        return;
      }
      case 'pause':
        if (step.paused) model.paused.add(step.queue);
        else model.paused.delete(step.queue);
        return store.setPaused(step.queue, step.paused);
      case 'survey':
        return this.#survey(step, now);
      case 'advance':
        await bench.clock.advance(step.ms);
    }
  }

  /** Every job there is, and that there are no others. */
  async compareAll(): Promise<void> {
    await this.#compare(this.#ids);
    const stats = await this.bench.store.stats();
    const total = stats.reduce(
      (sum, { scheduled, pending, running, completed, dead, cancelled }) =>
        sum + scheduled + pending + running + completed + dead + cancelled,
      0,
    );
    assert.equal(total, this.#model.jobs.length, 'jobs in the store');
    const { total: failed } = await this.bench.store.listFailed();
    assert.equal(failed, this.#model.jobs.filter(({ status }) => status === 'dead').length, 'dead jobs');
  }

  async #enqueue(step: Of<'enqueue'>, now: number): Promise<void> {
    const jobs = step.jobs.map((each) =>
      this.bench.job({
        queue: each.queue,
        organizationId: each.organization,
        groupKey: each.group,
        groupConcurrency: each.group && GROUPS[each.group],
        priority: each.priority,
        maxAttempts: each.maxAttempts,
        dueAt: now + each.delayMs,
        idempotencyKey: each.key,
        idempotencyUntil: each.key === null ? null : now + each.windowMs,
      }),
    );
    const expected = jobs.map((job) => {
      const { id, organizationId, queue, groupKey, priority, maxAttempts, dueAt } = job;
      const cap = job.groupConcurrency;
      const until = job.idempotencyUntil ?? 0;
      const key = job.idempotencyKey;
      const holder = this.#model.enqueue({ id, organizationId, queue, groupKey, cap, priority, maxAttempts, dueAt, until, key }, now);
      return { id: holder, deduped: holder !== id };
    });
    assert.deepEqual(await this.#node(step).enqueue(jobs), expected, 'what enqueue says');
    this.#ids.push(...jobs.map(({ id }) => id));
    return this.#compare(jobs.map(({ id }) => id));
  }

  async #claim(step: Of<'claim'>, now: number): Promise<void> {
    const queues = QUEUES.flatMap((queue): QueueClaim[] => {
      const asked = step[queue];
      if (!asked) return [];
      const afterLane = asked.goesOn ? this.#lastLane.get(queue) : undefined;
      const { limit, leaseMs } = asked;
      return [{ queue, limit, leaseMs, ...scope(asked.organization), ...(afterLane === undefined ? {} : { afterLane }) }];
    });
    const claimed = await this.#node(step).claim({ workerId: step.second ? 'worker-b' : 'worker-a', queues });
    const rest = [...claimed];
    for (const asked of queues) {
      const taken = rest.splice(0, rest.findIndex(({ queue }) => queue !== asked.queue) >>> 0);
      checkClaimChoice(this.#model, asked, taken);
      const claim = this.#model.take(
        taken.map(({ id }) => id),
        now,
        asked.leaseMs,
      );
      for (const job of taken) this.#claims.push({ claim, job });
      const last = taken.at(-1);
      if (last) this.#lastLane.set(asked.queue, last.lane);
    }
    assert.deepEqual(rest, [], 'queue by queue, in the order they were asked for');
    this.claimed += claimed.length;
    return this.#compare(claimed.map(({ id }) => id));
  }

  async #promote(limit: number, now: number): Promise<void> {
    const due = this.#model.jobs.filter(({ status, dueAt }) => status === 'scheduled' && dueAt <= now);
    const bound = Math.min(limit, due.length);
    assert.equal(await this.bench.store.promote({ limit }), bound, 'jobs promoted');
    // Which of several of one due time, is the store's to choose.
    const rows = await Promise.all(due.map(({ id }) => this.bench.row(id)));
    const promoted = due.filter((_, at) => rows[at]?.status === 'pending');
    assert.equal(promoted.length, bound);
    const latest = Math.max(...promoted.map(({ dueAt }) => dueAt));
    for (const job of due) if (!promoted.includes(job)) assert.ok(job.dueAt >= latest, 'the earliest are promoted first');
    for (const job of promoted) job.status = 'pending';
    return this.#compare(due.map(({ id }) => id));
  }

  async #survey(step: Of<'survey'>, now: number): Promise<void> {
    const queues = QUEUES.map((queue) => ({ queue, organizationId: step[queue] }));
    const asked = queues.map(({ queue, organizationId }) => ({ queue, ...scope(organizationId) }));
    const seen = await this.#node(step).survey({ queues: asked });
    const expected = this.#model.survey(queues, now);
    const plain = ({ expired, promotable, claimable, nextDueAt, nextExpiryAt }: typeof seen) => ({
      expired,
      promotable,
      claimable: [...claimable].sort(),
      nextDueAt,
      nextExpiryAt,
    });
    assert.deepEqual(plain(seen), plain(expected), 'the survey');
  }

  /** With one of the latest claims: mostly held, some lost. */
  async #settle(pick: number, step: (job: ClaimedJob, claim: number) => Promise<void>): Promise<void> {
    const recent = this.#claims.slice(-6);
    const picked = recent[pick % Math.max(1, recent.length)];
    if (!picked) return;
    await step(picked.job, picked.claim);
    return this.#compare([picked.job.id]);
  }

  /** With one of the latest jobs. */
  async #about(pick: number, step: (id: string) => Promise<void>): Promise<void> {
    const recent = this.#ids.slice(-10);
    const id = recent[pick % Math.max(1, recent.length)];
    if (id === undefined) return;
    await step(id);
    return this.#compare([id]);
  }

  async #compare(ids: readonly string[]): Promise<void> {
    for (const id of new Set(ids)) {
      const row = await this.bench.store.get(id);
      assert.deepEqual(row && essence(row), essence(this.#model.find(id) ?? null), `the job ${id}`);
    }
  }

  #node({ second }: { readonly second: boolean }): JobStore {
    return second ? this.bench.second : this.bench.store;
  }
}

/** What the model knows of a job. */
function essence(job: Job | ModelJob | null): object | null {
  if (!job) return null;
  const { id, status, attempts, dueAt, lastError, progress, finishedAt, lockedUntil } = job;
  return { id, status, attempts, dueAt, lastError, progress, finishedAt, lockedUntil };
}

function scope(organizationId: string | null): { organizationId?: string } {
  return organizationId === null ? {} : { organizationId };
}

function resultOf({ outcome, delayMs }: Of<'ack'>, now: number): JobResult {
  switch (outcome) {
    case 'completed':
      return { outcome };
    case 'dead':
      return { outcome, error: 'gone' };
    case 'snooze':
      return { outcome, dueAt: now + delayMs };
    default:
      return { outcome: 'retry', error: 'again', dueAt: now + delayMs };
  }
}
