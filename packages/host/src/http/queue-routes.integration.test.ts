/** Queues and jobs over HTTP, as publishers and operators use them. What consumers do is in `pull-routes.integration.test.ts`. */
import { JOB_STORE, QUEUE, STORE } from '@bellhop/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeyStore } from '../keys/key-store.js';
import { type RunningHost, runHost } from '../running-host.fixture.js';

let running: RunningHost;
let acme: string;
let umbrella: string;
beforeEach(async () => {
  running = await runHost({ queue: { work: false } });
  const keys = new KeyStore(running.host.kernel.resolve(STORE));
  [acme, umbrella] = [(await keys.create('acme')).key, (await keys.create('umbrella')).key];
});
afterEach(() => running.host.stop());

const as = (key: string) => ({
  get: (path: string) => running.call('GET', path, { key }),
  post: (path: string, body?: unknown) => running.call('POST', path, { key, ...(body === undefined ? {} : { body }) }),
  remove: (path: string) => running.call('DELETE', path, { key }),
});

/** Dead jobs of acme, the last one the last to die. */
async function deadJobs(count: number, queue = 'mail'): Promise<string[]> {
  const jobs = running.host.kernel.resolve(JOB_STORE);
  const ids: string[] = [];
  for (let left = count; left > 0; left -= 1) {
    const { body } = await as(acme).post(`/v1/queues/${queue}/jobs`, { data: left, options: { maxAttempts: 1 } });
    const [claim] = await jobs.claim({ workerId: 'w', queues: [{ queue, limit: 1, leaseMs: 60_000 }] });
    await jobs.ack([{ claim: claim!, result: { outcome: 'dead', error: 'no such mailbox' } }]);
    ids.push(body.id);
  }
  return ids;
}

describe('publishing', () => {
  it('stores one job with its options for the organization of the key, and shows it to that one only', async () => {
    const options = {
      delayMs: 60_000,
      priority: 7,
      maxAttempts: 5,
      backoff: { type: 'fixed', delayMs: 10 },
      idempotencyKey: 'order-1',
      groupKey: 'eu',
      groupConcurrency: 2,
      timeoutMs: 0,
      metadata: { from: 'shop' },
    };
    const published = await as(acme).post('/v1/queues/mail/jobs', { data: { to: ['ada'] }, options });
    expect([published.status, published.body]).toEqual([202, { id: expect.any(String), deduped: false }]);
    const { id } = published.body;
    const again = await as(acme).post('/v1/queues/mail/jobs', { data: 'other', options: { idempotencyKey: 'order-1' } });
    expect(again.body).toEqual({ id, deduped: true });
    expect((await as(acme).get(`/v1/jobs/${id}`)).body).toMatchObject({
      id,
      organizationId: 'acme',
      queue: 'mail',
      status: 'scheduled',
      data: { to: ['ada'] },
      metadata: { from: 'shop' },
      priority: 7,
      maxAttempts: 5,
      attempts: 0,
      backoff: { type: 'fixed', delayMs: 10 },
      groupKey: 'eu',
      idempotencyKey: 'order-1',
      timeoutMs: 0,
      lastError: null,
    });
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/cancel'],
      ['POST', '/replay'],
      ['DELETE', ''],
    ] as const) {
      const answer = await running.call(method, `/v1/jobs/${id}${path}`, { key: umbrella });
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 404, 'JOB_NOT_FOUND']);
    }
    const foreign = await as(umbrella).post(`/v1/jobs/${id}/reschedule`, { at: 1 });
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'JOB_NOT_FOUND']);
    // Control: the root key reaches it, for the organization it names.
    expect((await running.call('GET', `/v1/jobs/${id}`, { organization: 'acme' })).status).toBe(200);
    expect((await running.call('GET', `/v1/jobs/${id}`)).status).toBe(404);
  });

  it('stores many in their order, or none of them', async () => {
    const { status, body } = await as(acme).post('/v1/queues/mail/jobs', { jobs: [{ data: 1 }, { data: 2, options: { priority: 1 } }] });
    expect([status, body.jobs.length]).toEqual([202, 2]);
    expect((await as(acme).get(`/v1/jobs/${body.jobs[1].id}`)).body).toMatchObject({ data: 2, priority: 1 });
    const refused = await as(acme).post('/v1/queues/mail/jobs', { jobs: [{ data: 3 }, { data: 4, options: { priority: -1 } }] });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'INVALID_INPUT']);
    expect(refused.body.error.message).toMatch(/^jobs\[1\]\.options\.priority: /);
    expect((await as(acme).get('/v1/queues/mail/stats')).body.pending).toBe(2);
    expect((await as(acme).post('/v1/queues/mail/jobs', { jobs: [] })).body).toEqual({ jobs: [] });
  });

  it('takes a queue of any name that a path can carry', async () => {
    const queue = 'mail/eu ü?%';
    const path = `/v1/queues/${encodeURIComponent(queue)}`;
    expect((await as(acme).post(`${path}/jobs`, { data: null })).status).toBe(202);
    expect((await as(acme).get(`${path}/stats`)).body).toMatchObject({ queue, pending: 1 });
  });

  it('runs the job in a process that subscribes', async () => {
    const working = await runHost();
    const ran = new Promise((resolve) => working.host.kernel.resolve(QUEUE).subscribe('mail', (message) => resolve(message)));
    await working.call('POST', '/v1/queues/mail/jobs', { organization: 'acme', body: { data: { to: 'ada' } } });
    expect(await ran).toMatchObject({ data: { to: 'ada' }, organizationId: 'acme' });
    await working.host.stop();
  });
});

describe('statistics', () => {
  it("count the organization's jobs, and nobody else's", async () => {
    await as(acme).post('/v1/queues/mail/jobs', { jobs: [{ data: 1 }, { data: 2, options: { delayMs: 60_000 } }] });
    await as(acme).post('/v1/queues/report/jobs', { data: 1 });
    await as(umbrella).post('/v1/queues/mail/jobs', { data: 1 });
    const own = (await as(acme).get('/v1/queues/mail/stats')).body;
    expect(own).toMatchObject({ queue: 'mail', paused: false, pending: 1, scheduled: 1, running: 0, dead: 0, oldestDeadMs: null });
    expect(own.oldestPendingMs).toBeGreaterThanOrEqual(0);
    expect((await as(acme).get('/v1/queues')).body.items.map(({ queue }: { queue: string }) => queue)).toEqual(['mail', 'report']);
    expect((await as(umbrella).get('/v1/queues')).body.items).toMatchObject([{ queue: 'mail', pending: 1, scheduled: 0 }]);
    expect((await as(umbrella).get('/v1/queues/report/stats')).body).toMatchObject({ queue: 'report', pending: 0, paused: false });
  });

  it('tell that a queue is paused also where it holds nothing of the organization', async () => {
    expect((await running.call('POST', '/v1/queues/mail/pause')).body).toEqual({ paused: true });
    expect((await as(acme).get('/v1/queues/mail/stats')).body).toMatchObject({ paused: true, pending: 0 });
    await as(acme).post('/v1/queues/mail/jobs', { data: 1 });
    expect((await as(acme).get('/v1/queues/mail/stats')).body).toMatchObject({ paused: true, pending: 1 });
    expect((await running.call('POST', '/v1/queues/mail/resume')).body).toEqual({ paused: false });
    expect((await as(acme).get('/v1/queues/mail/stats')).body).toMatchObject({ paused: false, pending: 1 });
  });

  it('[403] a bound key pauses nothing: a queue is shared by all organizations', async () => {
    for (const action of ['pause', 'resume']) {
      const answer = await as(acme).post(`/v1/queues/mail/${action}`);
      expect([answer.status, answer.body.error.code]).toEqual([403, 'FORBIDDEN']);
    }
    expect((await as(acme).get('/v1/queues/mail/stats')).body.paused).toBe(false);
  });
});

describe('single jobs', () => {
  it('are moved and cancelled while they have not started, and told that they are past it', async () => {
    const { id } = (await as(acme).post('/v1/queues/mail/jobs', { data: 1 })).body;
    const at = Date.parse('2100-01-01');
    expect((await as(acme).post(`/v1/jobs/${id}/reschedule`, { at })).body).toEqual({ rescheduled: true });
    expect((await as(acme).get(`/v1/jobs/${id}`)).body).toMatchObject({ status: 'scheduled', dueAt: at });
    expect((await as(acme).post(`/v1/jobs/${id}/cancel`)).body).toEqual({ cancelled: true });
    expect((await as(acme).post(`/v1/jobs/${id}/cancel`)).body).toEqual({ cancelled: false });
    expect((await as(acme).post(`/v1/jobs/${id}/reschedule`, { at })).body).toEqual({ rescheduled: false });
    expect((await as(acme).get(`/v1/jobs/${id}`)).body).toMatchObject({ status: 'cancelled' });
  });

  it('[404] an id that there is none of', async () => {
    for (const [method, path] of [
      ['GET', '/v1/jobs/nothing'],
      ['POST', '/v1/jobs/nothing/cancel'],
      ['POST', '/v1/jobs/nothing/replay'],
      ['DELETE', '/v1/jobs/nothing'],
    ] as const) {
      const answer = await running.call(method, path, { key: acme });
      expect([path, answer.status, answer.body.error.code]).toEqual([path, 404, 'JOB_NOT_FOUND']);
    }
  });

  it('are replayed and removed when they are dead, and only then', async () => {
    const [one, other] = await deadJobs(2);
    expect((await as(acme).post(`/v1/jobs/${one}/replay`)).body).toEqual({ replayed: 1 });
    expect((await as(acme).get(`/v1/jobs/${one}`)).body).toMatchObject({ status: 'pending', attempts: 0, lastError: 'no such mailbox' });
    expect((await as(acme).post(`/v1/jobs/${one}/replay`)).status).toBe(404);
    expect((await as(acme).remove(`/v1/jobs/${one}`)).status).toBe(404);
    expect((await as(acme).remove(`/v1/jobs/${other}`)).body).toEqual({ removed: 1 });
    expect((await as(acme).get(`/v1/jobs/${other}`)).status).toBe(404);
  });
});

describe('failed jobs', () => {
  it('are listed with their total, page by page, those that died last first', async () => {
    const ids = await deadJobs(5);
    await deadJobs(1, 'report');
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const from: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await as(acme).get(`/v1/jobs/failed?queue=mail&limit=2${from}`);
      expect(body.total).toBe(5);
      expect(body.items.every(({ status }: { status: string }) => status === 'dead')).toBe(true);
      seen.push(...body.items.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(seen.toSorted()).toEqual(ids.toSorted());
    expect((await as(acme).get('/v1/jobs/failed')).body.total).toBe(6);
    expect((await as(umbrella).get('/v1/jobs/failed')).body).toEqual({ items: [], nextCursor: null, total: 0 });
  });

  it('are replayed queue by queue, those of the organization; an empty queue replays 0, and purges 0', async () => {
    await deadJobs(3);
    await deadJobs(1, 'report');
    expect((await as(umbrella).post('/v1/queues/mail/replay')).body).toEqual({ replayed: 0 });
    expect((await as(acme).post('/v1/queues/mail/replay')).body).toEqual({ replayed: 3 });
    expect((await as(acme).post('/v1/queues/mail/replay')).body).toEqual({ replayed: 0 });
    expect((await as(acme).get('/v1/queues/report/stats')).body.dead).toBe(1);
    expect((await as(umbrella).post('/v1/queues/mail/purge')).body).toEqual({ purged: 0 });
    expect((await as(acme).post('/v1/queues/mail/purge')).body).toEqual({ purged: 3 });
    expect((await as(acme).post('/v1/queues/nothing/purge')).body).toEqual({ purged: 0 });
  });
});

it('[401] every route wants a key', async () => {
  for (const [method, path] of [
    ['GET', '/v1/queues'],
    ['POST', '/v1/queues/mail/jobs'],
    ['GET', '/v1/queues/mail/stats'],
    ['POST', '/v1/queues/mail/pause'],
    ['GET', '/v1/jobs/failed'],
    ['GET', '/v1/jobs/x'],
  ] as const) {
    expect([path, (await running.call(method, path, { key: null })).status]).toEqual([path, 401]);
  }
});
