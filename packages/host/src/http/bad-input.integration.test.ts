/** Every kind of bad input gets a clear 4xx in the one error shape, and writes nothing; the host goes on serving. */
import { connect } from 'node:net';
import { NOTIFICATION_OUTBOX, STORE } from '@bellhop/contracts';
import { StoreError } from '@bellhop/kernel';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Call, ROOT_KEY, type RunningHost, runHost } from '../running-host.fixture.js';
import { BODY_MAX_BYTES } from './json-body.js';

let running: RunningHost;
beforeAll(async () => {
  running = await runHost({ messaging: { dispatch: false } });
});
afterAll(() => running.host.stop());

const rows = async () => Number((await running.host.kernel.resolve(STORE).knex('notification').count({ n: '*' }))[0]?.n);

/** Nothing was written, and a good request still passes. */
afterEach(async () => {
  const before = await rows();
  const { status } = await running.call('POST', '/v1/notifications', { body: { topic: 't', audience: 'ada' } });
  expect(status).toBe(202);
  expect(await rows()).toBe(before + 1);
});

async function refused(method: string, path: string, call: Call, status: number, code: string, message: RegExp) {
  const before = await rows();
  const answer = await running.call(method, path, call);
  expect([answer.status, answer.body?.error?.code]).toEqual([status, code]);
  expect(answer.body.error.message).toMatch(message);
  expect(Object.keys(answer.body)).toEqual(['error']);
  expect(await rows()).toBe(before);
  return answer;
}

const emit = { topic: 't', audience: 'ada' };

describe('[400] a body of faults is told of a few of them', () => {
  const many = (length: number) => Array(length).fill(7);
  it.each<[string, string, Call]>([
    ['channels', '/v1/notifications', { body: { ...emit, channels: many(300_000) } }],
    ['an audience', '/v1/notifications', { body: { topic: 't', audience: many(300_000) } }],
    ['ids', '/v1/inbox/ada/read', { body: { ids: many(300_000) } }],
  ])('%s', async (_what, path, call) => {
    const answer = await refused('POST', path, call, 400, 'INVALID_INPUT', /\b9:? expected string, received number/);
    expect(answer.body.error.message).not.toMatch(/\b10:? expected string/);
    expect(answer.body.error.message.length).toBeLessThan(1_000);
  });
});

it.each(['/v1/inbox/%ff', '/v1/deliveries?notificationId=%ff'])('[400] an address that is no UTF-8: %s', async (path) => {
  await refused('GET', path, {}, 400, 'INVALID_INPUT', /percent-encoded/);
});

describe('POST /v1/notifications', () => {
  it.each<[string, Call, RegExp]>([
    ['malformed JSON', { raw: '{"topic":' }, /Malformed JSON/],
    ['an empty body', { raw: '' }, /Malformed JSON/],
    ['bytes that are no UTF-8', { raw: new Uint8Array([0x22, 0xff, 0x22]) }, /not well-formed UTF-8/],
    ['no object', { body: [emit] }, /the body: expected object, received array/],
    ['null', { body: null }, /the body: expected object/],
    ['nothing of what is required', { body: {} }, /topic: .*audience: /],
    ['an unknown field', { body: { ...emit, dedupkey: 'x' } }, /the body: unknown field "dedupkey"/],
    ['an organization in the body', { body: { ...emit, organizationId: 'acme' } }, /unknown field "organizationId"/],
    ['an unknown field of the source', { body: { ...emit, source: { type: 'a', id: 'b', x: 1 } } }, /source: unknown field "x"/],
    ['a wrong type', { body: { ...emit, topic: 7 } }, /topic: expected string, received number/],
    ['a payload that is no object', { body: { ...emit, payload: [1] } }, /payload: expected a JSON object/],
    ['a severity there is none of', { body: { ...emit, severity: 'loud' } }, /severity: expected one of "info"\|"warning"\|"critical"/],
    ['a time that is none', { body: { ...emit, notBefore: 1.5 } }, /notBefore: /],
    ['an empty topic', { body: { ...emit, topic: '' } }, /topic/],
    ['a topic that is too long', { body: { ...emit, topic: 'x'.repeat(256) } }, /topic/],
    ['U+0000 in a name', { body: { ...emit, topic: 'a\0b' } }, /topic: the text holds U\+0000/],
    ['U+0000 in the payload', { body: { ...emit, payload: { a: { b: ['\0'] } } } }, /payload\.a\.b\[0\]: the text holds U\+0000/],
    [
      'a lone surrogate',
      { raw: '{"topic":"t","audience":"ada","payload":{"title":"\\ud800"}}' },
      /payload\.title: the text holds a lone surrogate/,
    ],
    ['a lone surrogate in a user id', { raw: '{"topic":"t","audience":["\\udfff"]}' }, /lone surrogate/],
    [
      'a number that no double holds',
      { raw: '{"topic":"t","audience":"ada","payload":{"a":[1,1e400]}}' },
      /payload\.a\[1\]: a number beyond/,
    ],
    [
      'nesting that no stack can hold',
      { raw: `{"topic":"t","audience":"ada","payload":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}` },
      /payload/,
    ],
  ])('[400] refuses %s', async (_what, call, message) => {
    await refused('POST', '/v1/notifications', call, 400, 'INVALID_INPUT', message);
  });

  it.each([['text/plain'], ['application/x-www-form-urlencoded'], ['multipart/form-data; boundary=x'], ['application/jsonp'], ['']])(
    '[415] refuses Content-Type %j',
    async (type) => {
      await refused(
        'POST',
        '/v1/notifications',
        { body: emit, headers: { 'Content-Type': type } },
        415,
        'UNSUPPORTED_MEDIA_TYPE',
        /application\/json/,
      );
    },
  );

  it.each([['application/json; charset=utf-8'], ['Application/JSON'], ['application/vnd.acme+json']])(
    'accepts Content-Type %j (the control)',
    async (type) => {
      expect((await running.call('POST', '/v1/notifications', { body: emit, headers: { 'Content-Type': type } })).status).toBe(202);
    },
  );

  it('[413] refuses a payload over 256 KiB', async () => {
    const body = { ...emit, payload: { text: 'x'.repeat(256 * 1024) } };
    await refused('POST', '/v1/notifications', { body }, 413, 'PAYLOAD_TOO_LARGE', /payload: over 262144 bytes/);
    // Control: just under it, also when every character is written as an escape of three times its length.
    const fits = 'é'.repeat(130_000);
    const escaped = `{"topic":"t","audience":"ada","payload":{"text":"${'\\u00e9'.repeat(fits.length / 2)}"}}`;
    expect((await running.call('POST', '/v1/notifications', { body: { ...emit, payload: { text: fits } } })).status).toBe(202);
    expect((await running.call('POST', '/v1/notifications', { raw: escaped })).status).toBe(202);
  });

  it('[413] refuses a body of 1 MiB, announced or streamed', async () => {
    const raw = JSON.stringify({ ...emit, payload: { text: 'x'.repeat(1024 * 1024) } });
    await refused('POST', '/v1/notifications', { raw }, 413, 'PAYLOAD_TOO_LARGE', /The body is over/);
    const stream = new ReadableStream({
      start(controller) {
        for (let at = 0; at < raw.length; at += 65_536) controller.enqueue(new TextEncoder().encode(raw.slice(at, at + 65_536)));
        controller.close();
      },
    });
    await refused('POST', '/v1/notifications', { raw: stream }, 413, 'PAYLOAD_TOO_LARGE', /The body is over/);
  });

  it('[413] stops reading a body that never ends at its bound', async () => {
    const socket = connect(Number(new URL(running.host.url).port), '127.0.0.1');
    socket.on('error', () => {});
    const answer = new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += String(chunk);
        if (text.includes('}}')) resolve(text);
      });
    });
    socket.write(
      `POST /v1/notifications HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ROOT_KEY}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = 'x'.repeat(65_536);
    for (let sent = 0; sent <= BODY_MAX_BYTES; sent += chunk.length) socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    // The body has not ended, and the answer is here.
    expect(await answer).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });
});

it('[400] refuses a Host header that names no host, in the same shape', async () => {
  const socket = connect(Number(new URL(running.host.url).port), '127.0.0.1');
  const answer = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.on('close', () => resolve(text));
  });
  socket.write('GET /healthz HTTP/1.1\r\nHost: a b/c\r\nConnection: close\r\n\r\n');
  expect(await answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_INPUT"/);
});

describe('reads', () => {
  it.each<[string, string, RegExp]>([
    ['a cursor that no page gave', '/v1/deliveries?cursor=nonsense', /cursor/],
    ['such a cursor of an inbox', '/v1/inbox/ada?cursor=nonsense', /cursor/],
    ['a limit of 0', '/v1/deliveries?limit=0', /limit/],
    ['a limit over 200', '/v1/inbox/ada?limit=201', /limit/],
    ['a limit that is no number', '/v1/deliveries?limit=ten', /limit: expected an integer/],
    ['two limits', '/v1/deliveries?limit=1&limit=2', /limit/],
    ['a status there is none of', '/v1/deliveries?status=lost', /status: expected one of "pending"/],
    ['an unknown filter', '/v1/deliveries?stauts=dead', /the query: unknown field "stauts"/],
    ['a flag that is none', '/v1/inbox/ada?read=yes', /read: expected one of "true"\|"false"/],
    ['U+0000 in a user id', '/v1/inbox/a%00b', /userId: the text holds U\+0000/],
    ['U+0000 in an id', '/v1/notifications/a%00b', /id: the text holds U\+0000/],
    ['U+0000 in a filter', '/v1/inbox/ada?topic=a%00b', /topic: the text holds U\+0000/],
    ['a user id that is too long', `/v1/inbox/${'x'.repeat(256)}`, /userId: 256 characters/],
  ])('[400] refuse %s', async (_what, path, message) => {
    await refused('GET', path, {}, 400, 'INVALID_INPUT', message);
  });

  it('[404] know nothing of an id that does not exist', async () => {
    await refused('GET', '/v1/notifications/nobody', {}, 404, 'NOT_FOUND', /no notification "nobody"/);
  });
});

describe('POST /v1/inbox/:userId/read', () => {
  it.each<[string, unknown, RegExp]>([
    ['neither ids nor all', {}, /the body: /],
    ['both', { ids: [], all: true }, /unknown field "all", or unknown field "ids"/],
    ['all: false', { all: false }, /all/],
    ['ids that are no texts', { ids: [1] }, /ids/],
    ['more than 1 000 ids', { ids: Array.from({ length: 1_001 }, String) }, /ids/],
  ])('[400] refuses %s', async (_what, body, message) => {
    await refused('POST', '/v1/inbox/ada/read', { body }, 400, 'INVALID_INPUT', message);
  });
});

describe('routes', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/v1/nothing'],
    ['POST', '/v2/notifications'],
    ['GET', '/v1/notifications/a/b'],
    ['GET', '/V1/deliveries'],
  ])('[404] %s %s is unknown', async (method, path) => {
    await refused(method, path, {}, 404, 'NOT_FOUND', /no such route/);
  });

  it.each([
    ['DELETE', '/v1/notifications', 'POST'],
    ['GET', '/v1/notifications', 'POST'],
    ['POST', '/v1/deliveries', 'GET, HEAD'],
    ['PUT', '/v1/inbox/ada', 'GET, HEAD'],
    ['GET', '/v1/inbox/ada/read', 'POST'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['POST', '/metrics', 'GET, HEAD'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
    ['OPTIONS', '/v1/deliveries', 'GET, HEAD'],
  ])('[405] %s %s is told what is allowed', async (method, path, allowed) => {
    const answer = await refused(method, path, {}, 405, 'METHOD_NOT_ALLOWED', /Allowed here/);
    expect(answer.headers.get('allow')).toBe(allowed);
  });
});

describe('a store that fails', () => {
  it.each([
    ['STORE_BUSY', 503, '1'],
    ['STORE_UNAVAILABLE', 503, '5'],
  ] as const)('[503] %s says when to come again, and tells nothing of the database', async (code, status, retryAfter) => {
    const outbox = running.host.kernel.resolve(NOTIFICATION_OUTBOX);
    const list = outbox.list.bind(outbox);
    outbox.list = async () => {
      throw new StoreError(code, 'cannot reach db-7.internal as user app');
    };
    try {
      const answer = await refused('GET', '/v1/deliveries', {}, status, code, /again/);
      expect(answer.headers.get('retry-after')).toBe(retryAfter);
      expect(answer.body.error.message).not.toContain('db-7');
    } finally {
      outbox.list = list;
    }
  });

  it('[500] an error that nobody foresaw is logged, and not told', async () => {
    const outbox = running.host.kernel.resolve(NOTIFICATION_OUTBOX);
    const list = outbox.list.bind(outbox);
    outbox.list = async () => {
      throw new TypeError('secret internals');
    };
    try {
      const answer = await refused('GET', '/v1/deliveries', {}, 500, 'INTERNAL', /log/);
      expect(answer.body.error.message).not.toContain('secret');
    } finally {
      outbox.list = list;
    }
  });
});
