/** Consumers over HTTP, on a real server, with every store. */
import { type IncomingMessage, request } from 'node:http';
import { JOB_STORE, QUEUE, STORE } from '@bellhop/contracts';
import { JOB_PULL, QUEUE_WORKER } from '@bellhop/service-queue';
import { ManualClock, TEST_STORE_NAMES, testDatabase } from '@bellhop/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { KeyStore } from '../keys/key-store.js';
import { ROOT_KEY, type RunningHost, runHost, until } from '../running-host.fixture.js';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(...args: Parameters<typeof runHost>): Promise<RunningHost> {
  const running = await runHost(...args);
  ends.push(() => running.host.stop());
  return running;
}

const mail = '/v1/queues/mail';

/** Until so many consumers wait. */
const waiting = ({ host }: RunningHost, count: number) =>
  until(
    async () => ({ status: 0, headers: new Headers(), body: host.kernel.resolve(JOB_PULL).counters() }),
    ({ body }) => body.waiting === count && body.trying === 0,
    5_000,
  );

describe.each(TEST_STORE_NAMES)('a consumer over HTTP on %s', (name) => {
  it('claims, keeps, settles and loses jobs of its own organization, and leaves no finding', async () => {
    const database = await testDatabase(name);
    ends.push(() => database.drop());
    const running = await start({ database: database.options });
    const { host, call } = running;
    const keys = new KeyStore(host.kernel.resolve(STORE));
    const [acme, umbrella] = [(await keys.create('acme')).key, (await keys.create('umbrella')).key];
    const post = async (path: string, body: unknown, key = acme) => {
      const answer = await call('POST', path, { key, body });
      return [answer.status, answer.body.error?.code ?? answer.body] as const;
    };

    const { id } = (await call('POST', `${mail}/jobs`, { key: acme, body: { data: { to: 'ada' }, options: { maxAttempts: 2 } } })).body;
    expect(await post(`${mail}/claim`, {}, umbrella)).toEqual([200, { jobs: [] }]);
    const [, { jobs }] = await post(`${mail}/claim`, { limit: 5, leaseMs: 60_000 });
    expect(jobs).toMatchObject([
      { id, organizationId: 'acme', status: 'running', data: { to: 'ada' }, attempts: 1, claimToken: expect.any(String) },
    ]);
    expect(jobs[0]).not.toHaveProperty('lane');
    const { claimToken } = jobs[0];
    const at = `/v1/jobs/${id}`;
    expect(await post(`${at}/heartbeat`, { claimToken, leaseMs: 90_000, progress: 50 })).toEqual([
      200,
      { lockedUntil: expect.any(Number) },
    ]);
    for (const action of ['heartbeat', 'complete', 'release']) {
      expect(await post(`${at}/${action}`, { claimToken }, umbrella)).toEqual([404, 'JOB_NOT_FOUND']);
      expect(await post(`${at}/${action}`, { claimToken: 'another' })).toEqual([409, 'CLAIM_LOST']);
    }
    expect(await post(`${at}/fail`, { claimToken: 'another', error: 'x' })).toEqual([409, 'CLAIM_LOST']);
    expect(await post(`${at}/release`, { claimToken })).toEqual([200, { status: 'pending', dueAt: expect.any(Number) }]);
    expect(await post(`${at}/complete`, { claimToken })).toEqual([409, 'CLAIM_LOST']);

    // One that waits gets what another publishes.
    const [, { jobs: again }] = await post(`${mail}/claim`, {});
    expect(again).toMatchObject([{ id, attempts: 1, progress: 50 }]);
    const waits = post(`${mail}/claim`, { waitMs: 30_000 });
    await waiting(running, 1);
    expect(await post(`${at}/fail`, { claimToken: again[0].claimToken, error: 'busy', retryDelayMs: 0 })).toMatchObject([
      200,
      { status: 'pending' },
    ]);
    const [, { jobs: woken }] = await waits;
    expect(woken).toMatchObject([{ id, attempts: 2, lastError: 'busy' }]);
    expect(await post(`${at}/complete`, { claimToken: woken[0].claimToken })).toEqual([200, { status: 'completed', dueAt: null }]);
    expect((await call('GET', at, { key: acme })).body).toMatchObject({ status: 'completed', attempts: 2 });
    expect(host.kernel.resolve(STORE).audit.findings()).toEqual([]);
  });
});

describe('a claim that waits', () => {
  it('costs nobody a statement of its own: two loops of the host, one survey each per interval', async () => {
    const clock = new ManualClock();
    const running = await start({}, { clock });
    const { host, call } = running;
    const answers = Array.from({ length: 20 }, () => call('POST', `${mail}/claim`, { body: { waitMs: 30_000 } }));
    await waiting(running, 20);
    const { meter } = host.kernel.resolve(STORE);
    const worker = host.kernel.resolve(QUEUE_WORKER);
    meter.reset();
    await clock.runFor(29_999, { settle: () => worker.settled() });
    const { byLabel, writes } = meter.snapshot();
    expect([Object.keys(byLabel).sort(), writes]).toEqual([['outbox.survey', 'queue.survey'], 0]);
    expect(byLabel['queue.survey']?.statements).toBeLessThanOrEqual(14);
    await clock.runFor(1);
    for (const answer of await Promise.all(answers)) expect([answer.status, answer.body]).toEqual([200, { jobs: [] }]);
  });

  it('is answered at once when the host stops', async () => {
    // Time stands still: nothing else ends the wait, nor the deadline of the stop.
    const running = await start({}, { clock: new ManualClock() });
    const answer = running.call('POST', `${mail}/claim`, { body: { waitMs: 30_000 } });
    await waiting(running, 1);
    await running.host.stop();
    expect([(await answer).status, (await answer).body]).toEqual([200, { jobs: [] }]);
  });

  it('ends when its caller hangs up, and the next job is not claimed for it', async () => {
    const running = await start();
    const gone = new AbortController();
    const answer = fetch(`${running.host.url}${mail}/claim`, {
      method: 'POST',
      signal: gone.signal,
      headers: { Authorization: `Bearer ${ROOT_KEY}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ waitMs: 30_000 }),
    }).catch((error: Error) => error.name);
    await waiting(running, 1);
    gone.abort();
    expect(await answer).toBe('AbortError');
    await waiting(running, 0);
    const { id } = (await running.call('POST', `${mail}/jobs`, { body: { data: 1 } })).body;
    expect((await running.call('GET', `/v1/jobs/${id}`)).body).toMatchObject({ status: 'pending', attempts: 0 });
  });

  it('gets nothing by a key that was revoked while it waited, and the job goes back unburnt', async () => {
    const clock = new ManualClock();
    const running = await start({}, { clock });
    const keys = new KeyStore(running.host.kernel.resolve(STORE));
    const { key, id: keyId } = await keys.create('acme');
    const { key: other } = await keys.create('acme');
    const body = { waitMs: 30_000 };
    const publish = async () => (await running.call('POST', `${mail}/jobs`, { key: other, body: { data: 1 } })).body.id;
    // Control: one that is good gets its job, and the answer is kept for a while.
    const good = running.call('POST', `${mail}/claim`, { key, body });
    await waiting(running, 1);
    const first = await publish();
    expect((await good).body.jobs).toMatchObject([{ id: first }]);

    const answer = running.call('POST', `${mail}/claim`, { key, body });
    await waiting(running, 1);
    await keys.revoke(keyId);
    await clock.runFor(5_000, { settle: () => running.host.kernel.resolve(QUEUE_WORKER).settled() });
    const second = await publish();
    expect([(await answer).status, (await answer).body.error.code]).toEqual([401, 'UNAUTHENTICATED']);
    const { body: job } = await running.call('GET', `/v1/jobs/${second}`, { key: other });
    expect(job).toMatchObject({ status: 'pending', attempts: 0, claimedBy: null });
  });

  it('gives back unburnt what was claimed for a caller that hangs up before its answer is there', async () => {
    const running = await start();
    const jobs = running.host.kernel.resolve(JOB_STORE);
    const claim = jobs.claim.bind(jobs);
    let goOn = (): void => {};
    const claimed = new Promise<void>((resolve) => {
      jobs.claim = async (options) => {
        const taken = await claim(options);
        resolve();
        await new Promise<void>((gate) => (goOn = gate));
        return taken;
      };
    });
    const { id } = (await running.call('POST', `${mail}/jobs`, { body: { data: 1 } })).body;
    const sent = request(`${running.host.url}${mail}/claim`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ROOT_KEY}`, 'Content-Type': 'application/json' },
    });
    const hungUp = new Promise((resolve) => sent.on('error', resolve));
    sent.end('{}');
    await claimed;
    expect((await running.call('GET', `/v1/jobs/${id}`)).body).toMatchObject({ status: 'running', attempts: 1 });
    sent.destroy();
    await hungUp;
    // The server has seen it once it answers on another connection, and once more.
    for (let left = 3; left > 0; left -= 1) await running.call('GET', '/healthz');
    goOn();
    await until(
      () => running.call('GET', `/v1/jobs/${id}`),
      ({ body }) => body.status === 'pending',
    );
    expect((await running.call('GET', `/v1/jobs/${id}`)).body).toMatchObject({ status: 'pending', attempts: 0, claimedBy: null });
  });

  it('gives back unburnt what a caller that hangs up has read half of', async () => {
    const running = await start({ queue: { work: false } });
    // More than the buffers of a connection hold.
    const jobs = Array.from({ length: 100 }, () => ({ data: 'x'.repeat(250_000) }));
    await running.host.kernel.resolve(QUEUE).publishMany('mail', jobs);
    const sent = request(`${running.host.url}${mail}/claim`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ROOT_KEY}`, 'Content-Type': 'application/json' },
    });
    const answered = new Promise<IncomingMessage>((resolve) => sent.on('response', resolve));
    sent.end('{"limit":100}');
    const answer = await answered;
    answer.on('error', () => {});
    const counts = async () => (await running.call('GET', `${mail}/stats`)).body;
    expect(await counts()).toMatchObject({ pending: 0, running: 100 });
    answer.destroy();
    const released = await until(
      () => running.call('GET', `${mail}/stats`),
      ({ body }) => body.pending === 100,
      5_000,
    );
    expect(released.body).toMatchObject({ pending: 100, running: 0 });
    const [job] = (await running.call('POST', `${mail}/claim`, { body: {} })).body.jobs;
    expect(job.attempts).toBe(1);
  });

  it('gets the job of a consumer that died when its lease expires, not at the next look of the worker', async () => {
    const clock = new ManualClock();
    const running = await start({}, { clock });
    const { host, call } = running;
    const worker = host.kernel.resolve(QUEUE_WORKER);
    // A node that starts takes nothing back for a while: it cannot know whether its clock was set.
    await clock.runFor(100_000, { settle: () => worker.settled() });
    const { id } = (await call('POST', `${mail}/jobs`, { body: { data: 1 } })).body;
    await call('POST', `${mail}/claim`, { body: { leaseMs: 2_000 } });
    const answer = call('POST', `${mail}/claim`, { body: { waitMs: 3_000 } });
    await waiting(running, 1);
    await clock.runFor(3_000, { settle: () => worker.settled() });
    expect((await answer).body.jobs).toMatchObject([{ id, attempts: 2, lastError: 'lease expired' }]);
  });
});

describe('bad input', () => {
  it.each<[string, string, unknown, RegExp]>([
    ['a limit of 0', `${mail}/claim`, { limit: 0 }, /limit: /],
    ['a wait past its bound', `${mail}/claim`, { waitMs: 30_001 }, /waitMs: /],
    ['a lease that is too short', `${mail}/claim`, { leaseMs: 10 }, /leaseMs: /],
    ['an unknown field', `${mail}/claim`, { wait: 5 }, /unknown field "wait"/],
    ['a list', `${mail}/claim`, [], /expected object/],
    ['no token', '/v1/jobs/x/complete', {}, /claimToken: /],
    ['a token with U+0000', '/v1/jobs/x/heartbeat', { claimToken: '\0' }, /U\+0000/],
    ['progress past 100', '/v1/jobs/x/heartbeat', { claimToken: 'x', progress: 101 }, /progress: /],
    ['no error', '/v1/jobs/x/fail', { claimToken: 'x' }, /error: /],
    ['a negative delay', '/v1/jobs/x/release', { claimToken: 'x', delayMs: -1 }, /delayMs: /],
  ])('[400] %s is refused', async (_what, path, body, message) => {
    const { call } = await start();
    const answer = await call('POST', path, { body });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_INPUT']);
    expect(answer.body.error.message).toMatch(message);
  });

  it('[404] an id that there is none of, [400] malformed JSON, [413] a body of 1 MiB', async () => {
    const { call } = await start();
    expect((await call('POST', '/v1/jobs/nothing/complete', { body: { claimToken: 'x' } })).body.error.code).toBe('JOB_NOT_FOUND');
    expect((await call('POST', `${mail}/claim`, { raw: '{"limit":NaN}' })).status).toBe(400);
    const big = { claimToken: 'x', error: 'x'.repeat(1024 * 1024) };
    expect((await call('POST', '/v1/jobs/x/fail', { body: big })).body.error.code).toBe('PAYLOAD_TOO_LARGE');
  });
});
