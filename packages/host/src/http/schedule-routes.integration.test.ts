import { STORE } from '@bellhop/contracts';
import { ManualClock } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KeyStore } from '../keys/key-store.js';
import { type RunningHost, runHost, until } from '../running-host.fixture.js';

const HOUR_MS = 3_600_000;
const HOURLY = { timing: { everyMs: HOUR_MS }, queue: 'report', data: { kind: 'short' } };

let running: RunningHost;
let clock: ManualClock;
let acme: string;
let umbrella: string;
beforeEach(async () => {
  clock = new ManualClock();
  running = await runHost({}, { clock });
  const keys = new KeyStore(running.host.kernel.resolve(STORE));
  [acme, umbrella] = [(await keys.create('acme')).key, (await keys.create('umbrella')).key];
});
afterEach(() => running.host.stop());

const call = async (method: string, path: string, body?: unknown, key = acme) => {
  const answer = await running.call(method, `/v1/schedules${path}`, { key, ...(body === undefined ? {} : { body }) });
  return [answer.status, answer.body.error?.code ?? answer.body] as const;
};

describe('schedules over HTTP', () => {
  it('are made, listed, replaced and removed', async () => {
    const [status, made] = await call('PUT', '/hourly', HOURLY);
    expect([status, made]).toMatchObject([
      200,
      {
        name: 'hourly',
        organizationId: 'acme',
        paused: false,
        nextFireAt: clock.now() + HOUR_MS,
        lastFireAt: null,
        spec: { queue: 'report', data: { kind: 'short' }, misfire: 'once', overlap: 'allow' },
      },
    ]);
    expect(await call('PUT', '/hourly', HOURLY)).toEqual([200, made]);
    expect(
      await call('PUT', '/hourly', {
        ...HOURLY,
        timing: { cron: '0 9 * * *', timeZone: 'Europe/Berlin' },
        misfire: { all: 3 },
        overlap: 'queue',
      }),
    ).toMatchObject([200, { spec: { timing: { cron: '0 9 * * *', timeZone: 'Europe/Berlin' }, misfire: { all: 3 }, overlap: 'queue' } }]);
    expect(await call('GET', '')).toMatchObject([200, { items: [{ name: 'hourly' }] }]);
    expect(await call('DELETE', '/hourly')).toEqual([200, { removed: 1 }]);
    expect(await call('DELETE', '/hourly')).toEqual([404, 'SCHEDULE_NOT_FOUND']);
    expect(await call('GET', '')).toEqual([200, { items: [] }]);
  });

  it('fire, tell when they will and what came of it, and are triggered out of turn', async () => {
    await call('PUT', '/hourly', HOURLY);
    const first = clock.now() + HOUR_MS;
    expect(await call('GET', '/hourly/preview?count=2')).toEqual([200, { items: [first, first + HOUR_MS] }]);
    expect(((await call('GET', '/hourly/preview'))[1] as { items: number[] }).items).toHaveLength(5);
    const [status, published] = await call('POST', '/hourly/trigger');
    expect([status, published]).toEqual([202, { id: expect.any(String), deduped: false }]);
    expect((await running.call('GET', `/v1/jobs/${published.id}`, { key: acme })).body).toMatchObject({
      queue: 'report',
      metadata: { schedule: 'hourly', triggered: true },
    });
    expect(await call('GET', '/hourly/runs')).toEqual([200, { items: [] }]);
    await clock.runFor(HOUR_MS);
    const fired = await until(
      () => running.call('GET', '/v1/schedules/hourly/runs', { key: acme }),
      ({ body }) => body.items.length > 0,
    );
    expect(fired.body.items).toMatchObject([{ name: 'hourly', fireAt: first, outcome: 'published', jobId: expect.any(String) }]);
  });

  it('are paused and resumed', async () => {
    await call('PUT', '/hourly', HOURLY);
    expect(await call('POST', '/hourly/pause')).toEqual([200, { paused: true }]);
    expect(await call('GET', '')).toMatchObject([200, { items: [{ paused: true }] }]);
    expect(await call('POST', '/hourly/resume')).toEqual([200, { paused: false }]);
    expect(await call('GET', '')).toMatchObject([200, { items: [{ paused: false }] }]);
  });

  it("[404] are nobody's but their organization's, whose name for one is taken", async () => {
    await call('PUT', '/hourly', HOURLY);
    expect(await call('GET', '', undefined, umbrella)).toEqual([200, { items: [] }]);
    for (const [method, path] of [
      ['DELETE', '/hourly'],
      ['GET', '/hourly/preview'],
      ['GET', '/hourly/runs'],
      ['POST', '/hourly/trigger'],
      ['POST', '/hourly/pause'],
      ['POST', '/hourly/resume'],
    ] as const) {
      expect([path, await call(method, path, undefined, umbrella)]).toEqual([path, [404, 'SCHEDULE_NOT_FOUND']]);
      expect([path, (await call(method, path.replace('hourly', 'nothing')))[0]]).toEqual([path, 404]);
    }
    expect(await call('PUT', '/hourly', HOURLY, umbrella)).toEqual([400, 'INVALID_INPUT']);
    expect(await call('GET', '')).toMatchObject([200, { items: [{ organizationId: 'acme', paused: false }] }]);
  });

  it.each<[string, object, RegExp]>([
    ['no timing', { queue: 'report' }, /timing: /],
    ['two timings', { ...HOURLY, timing: { everyMs: HOUR_MS, once: 5 } }, /unknown field/],
    ['a cron that is none', { ...HOURLY, timing: { cron: '61 * * * *' } }, /spec\.timing/],
    ['a time zone there is none of', { ...HOURLY, timing: { cron: '0 9 * * *', timeZone: 'Mars/Base' } }, /spec\.timing/],
    ['an interval that is too short', { ...HOURLY, timing: { everyMs: 1 } }, /spec\.timing\.everyMs: /],
    ['a policy there is none of', { ...HOURLY, overlap: 'both' }, /overlap: /],
    ['an organization of its own', { ...HOURLY, organizationId: 'umbrella' }, /unknown field "organizationId"/],
    ['a negative jitter', { ...HOURLY, jitterMs: -1 }, /spec\.jitterMs: /],
    ['U+0000 in the data', { ...HOURLY, data: '\0' }, /U\+0000/],
    ['an empty queue', { ...HOURLY, queue: '' }, /spec\.queue: empty/],
  ])('[400] refuse %s', async (_what, body, message) => {
    const answer = await running.call('PUT', '/v1/schedules/hourly', { key: acme, body });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'INVALID_INPUT']);
    expect(answer.body.error.message).toMatch(message);
    expect(await call('GET', '')).toEqual([200, { items: [] }]);
  });

  it('[400] refuse a count or a limit out of bounds, [413] a body of 1 MiB', async () => {
    await call('PUT', '/hourly', HOURLY);
    for (const path of [
      '/hourly/preview?count=101',
      '/hourly/preview?count=0',
      '/hourly/runs?limit=201',
      '/hourly/runs?limit=x',
      '/a%00b/runs',
    ]) {
      expect([path, await call('GET', path)]).toEqual([path, [400, 'INVALID_INPUT']]);
    }
    expect(await call('PUT', '/hourly', { ...HOURLY, data: 'x'.repeat(1024 * 1024) })).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });
});
