/** Every kind of bad input about queues gets a clear 4xx in the one error shape, stores no job, and leaves no payload in the log. */
import { STORE } from '@bellhop/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Call, type RunningHost, runHost } from '../running-host.fixture.js';

const SECRET = 'hunter2-the-payload';
let running: RunningHost;
const lines: string[] = [];
beforeAll(async () => {
  const log = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  running = await runHost({ queue: { work: false } }, { logger });
});
afterAll(() => running.host.stop());

const rows = async () => Number((await running.host.kernel.resolve(STORE).knex('queue_job').count({ n: '*' }))[0]?.n);

/** Nothing was written, and a good request still passes. */
afterEach(async () => {
  const before = await rows();
  expect((await running.call('POST', '/v1/queues/mail/jobs', { body: { data: SECRET } })).status).toBe(202);
  expect(await rows()).toBe(before + 1);
});

afterAll(() => {
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join('\n')).not.toContain(SECRET);
});

async function refused(method: string, path: string, call: Call, status: number, code: string, message: RegExp) {
  const before = await rows();
  const answer = await running.call(method, path, call);
  expect([answer.status, answer.body?.error?.code]).toEqual([status, code]);
  expect(answer.body.error.message).toMatch(message);
  expect(answer.body.error.message).not.toContain(SECRET);
  expect(Object.keys(answer.body)).toEqual(['error']);
  expect(await rows()).toBe(before);
}

const options = (given: object): Call => ({ body: { data: SECRET, options: given } });

describe('POST /v1/queues/:queue/jobs', () => {
  it.each<[string, Call, RegExp]>([
    ['malformed JSON', { raw: `{"data":"${SECRET}"` }, /Malformed JSON/],
    ['an empty body', { raw: '' }, /Malformed JSON/],
    ['a priority that is NaN', { raw: `{"data":"${SECRET}","options":{"priority":NaN}}` }, /Malformed JSON/],
    ['a priority without end', { raw: `{"data":"${SECRET}","options":{"priority":1e999}}` }, /priority/],
    ['bytes that are no UTF-8', { raw: new Uint8Array([0x22, 0xff, 0x22]) }, /not well-formed UTF-8/],
    ['no object', { body: [SECRET] }, /expected object/],
    ['nothing', { body: {} }, /the body: data it is required, or jobs expected array/],
    ['an unknown field', { body: { data: SECRET, delayMs: 5 } }, /unknown field "delayMs"/],
    ['both forms at once', { body: { data: SECRET, jobs: [] } }, /unknown field/],
    ['an unknown option', options({ prioritty: 1 }), /options: unknown field "prioritty"/],
    ['an organization of its own', options({ organizationId: 'umbrella' }), /unknown field "organizationId"/],
    ['an unknown field of the backoff', options({ backoff: { delay: 1 } }), /unknown field "delay"/],
    ['a negative delay', options({ delayMs: -1 }), /options\.delayMs: /],
    ['a delay of part of a millisecond', options({ delayMs: 0.5 }), /options\.delayMs/],
    ['a delay past its bound', options({ delayMs: 31_536_000_001 }), /options\.delayMs: /],
    ['delay and time together', options({ delayMs: 1, runAt: 1 }), /options\.runAt: given together with delayMs/],
    ['a priority below 0', options({ priority: -1 }), /options\.priority: /],
    ['a priority that is a text', options({ priority: '1' }), /priority/],
    ['no attempt', options({ maxAttempts: 0 }), /options\.maxAttempts: /],
    ['a window without its key', options({ idempotencyWindowMs: 5 }), /options\.idempotencyWindowMs: given without idempotencyKey/],
    ['a limit without its group', options({ groupConcurrency: 5 }), /options\.groupConcurrency: given without groupKey/],
    ['an empty key', options({ idempotencyKey: '' }), /options\.idempotencyKey: /],
    ['a key that is too long', options({ groupKey: 'x'.repeat(256) }), /options\.groupKey: /],
    ['metadata that are no object', options({ metadata: [1] }), /metadata/],
    ['U+0000 in the data', { body: { data: { a: [`${SECRET}\0`] } } }, /data\.a\[0\]: the text holds U\+0000/],
    ['a lone surrogate', { raw: '{"data":"\\ud800"}' }, /data: the text holds a lone surrogate/],
    ['U+0000 in a key', options({ groupKey: 'a\0b' }), /options\.groupKey: the text holds U\+0000/],
    ['jobs that are no list', { body: { jobs: { data: 1 } } }, /jobs/],
    ['a job without data among others', { body: { jobs: [{ data: SECRET }, {}] } }, /jobs\.1\.data: it is required/],
    ['more than 10 000 jobs', { body: { jobs: Array.from({ length: 10_001 }, () => ({ data: 1 })) } }, /jobs: 10001 given; at most 10000/],
  ])('[400] refuses %s', async (_what, call, message) => {
    await refused('POST', '/v1/queues/mail/jobs', call, 400, 'INVALID_INPUT', message);
  });

  it.each([
    ['with U+0000', '%00', /U\+0000/],
    ['of 256 characters', 'x'.repeat(256), /queue/],
    ['of a byte that is no UTF-8', '%ff', /percent-encoded/],
    ['of half a character', '%E0%A4', /percent-encoded/],
    ['with a bare %', '50%', /Write a % as %25/],
  ])('[400] refuses a queue %s', async (_what, queue, message) => {
    await refused('POST', `/v1/queues/${queue}/jobs`, { body: { data: 1 } }, 400, 'INVALID_INPUT', message);
  });

  it.each<[string, string, RegExp]>([
    ['jobs without data', `{"jobs":[${Array(200_000).fill('{}').join()}]}`, /jobs\.9\.data: it is required\. /],
    ['jobs that are none', `{"jobs":[${Array(380_000).fill('1').join()}]}`, /jobs\.9: expected object, received number\. /],
    ['unknown fields', `{"data":1,${Array.from({ length: 60_000 }, (_, at) => `"k${at}":1`).join()}}`, /"k9", 59990 more/],
    ['unknown options', `{"data":1,"options":{${Array.from({ length: 60_000 }, (_, at) => `"k${at}":1`).join()}}}`, /"k9", 59990 more/],
    ['letters in the name of a field', `{"data":1,"${'x'.repeat(700_000)}":1}`, /unknown field "x{80}…"/],
  ])('[400] names a few where there are hundreds of thousands of %s', async (_what, raw, message) => {
    await refused('POST', '/v1/queues/mail/jobs', { raw }, 400, 'INVALID_INPUT', message);
    const { body } = await running.call('POST', '/v1/queues/mail/jobs', { raw });
    expect(body.error.message.length).toBeLessThan(1_000);
  });

  it('[415] refuses what is not JSON', async () => {
    const call = { body: { data: 1 }, headers: { 'Content-Type': 'text/plain' } };
    await refused('POST', '/v1/queues/mail/jobs', call, 415, 'UNSUPPORTED_MEDIA_TYPE', /application\/json/);
  });

  it('[413] refuses data over 256 KiB, metadata over 16 KiB, and a body of 1 MiB', async () => {
    const big = (bytes: number) => 'x'.repeat(bytes);
    await refused(
      'POST',
      '/v1/queues/mail/jobs',
      { body: { data: big(256 * 1024) } },
      413,
      'PAYLOAD_TOO_LARGE',
      /^data: over 262144 bytes/,
    );
    await refused(
      'POST',
      '/v1/queues/mail/jobs',
      options({ metadata: { a: big(16 * 1024) } }),
      413,
      'PAYLOAD_TOO_LARGE',
      /metadata: over 16384/,
    );
    await refused('POST', '/v1/queues/mail/jobs', { body: { data: big(1024 * 1024) } }, 413, 'PAYLOAD_TOO_LARGE', /The body is over/);
    // Control: just under it.
    expect((await running.call('POST', '/v1/queues/mail/jobs', { body: { data: big(256 * 1024 - 2) } })).status).toBe(202);
  });
});

describe('reads and actions', () => {
  it.each<[string, string, string, Call, RegExp]>([
    ['a cursor that no page gave', 'GET', '/v1/jobs/failed?cursor=nonsense', {}, /cursor/],
    ['a limit of 0', 'GET', '/v1/jobs/failed?limit=0', {}, /limit/],
    ['a limit that is none', 'GET', '/v1/jobs/failed?limit=many', {}, /limit: expected an integer/],
    ['a limit past its bound', 'GET', '/v1/jobs/failed?limit=201', {}, /limit/],
    ['an unknown filter', 'GET', '/v1/jobs/failed?state=dead', {}, /the query: unknown field "state"/],
    ['a time that is none', 'POST', '/v1/jobs/x/reschedule', { body: { at: 'tomorrow' } }, /at: expected/],
    ['a time before 1970', 'POST', '/v1/jobs/x/reschedule', { body: { at: -1 } }, /at/],
    ['no time', 'POST', '/v1/jobs/x/reschedule', { body: {} }, /at: /],
    ['bytes that are no UTF-8 in a filter', 'GET', '/v1/jobs/failed?queue=%ff', {}, /percent-encoded/],
    ['U+0000 in an id', 'GET', '/v1/jobs/a%00b', {}, /U\+0000/],
    ['an id that is too long', 'POST', `/v1/jobs/${'x'.repeat(256)}/replay`, {}, /id/],
    ['U+0000 in a queue', 'POST', '/v1/queues/a%00b/pause', {}, /U\+0000/],
  ])('[400] refuse %s', async (_what, method, path, call, message) => {
    await refused(method, path, call, 400, 'INVALID_INPUT', message);
  });

  it.each([
    ['GET', '/v1/queues/mail/jobs', 'POST'],
    ['DELETE', '/v1/queues/mail/stats', 'GET, HEAD'],
    ['POST', '/v1/jobs/x', 'DELETE, GET, HEAD'],
    ['GET', '/v1/jobs/x/cancel', 'POST'],
  ])('[405] %s %s is told what is allowed', async (method, path, allowed) => {
    const answer = await running.call(method, path);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allowed]);
  });
});

it('tells in /openapi.json that a job has data', async () => {
  const { NewJob, Publish } = (await running.call('GET', '/openapi.json')).body.components.schemas;
  expect(NewJob.required).toEqual(['data']);
  expect(Publish.anyOf[1].properties.jobs.items).toEqual(Publish.anyOf[0]);
});
