/** Where others send events to, on a real server: what of a request reaches the board, and what never does. */
import { connect } from 'node:net';
import type { AnsweredChallenge, IBoard, InboundAdmission, InboundRequest, IngestResult } from '@bellhop/contracts';
import { BellhopError, InputError } from '@bellhop/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BoardApi, runBoardApi } from './board-api.fixture.js';
import { INBOUND_DEADLINE_MS } from './inbound-bodies.js';
import { WEBHOOK_BODY_MAX_BYTES } from './ingress-routes.js';

const TOKEN = 'wht_hunter2-the-token';
const NEW: IngestResult = { eventId: 'ev_1', todoIds: ['td_1', 'td_2'], replayed: false, verified: true };

let api: BoardApi;
/** What the door said to a request, before its body. */
type Admitted = Parameters<IBoard['admit']>[0];

let admitted: Admitted[];
let ingested: Pick<InboundRequest, 'headers' | 'body'>[];
let answer: IngestResult | AnsweredChallenge | Error;
let refusal: Error | undefined;
let onAdmit: () => void;
/** What the board waits for before it answers. */
let hold: () => Promise<void>;
beforeEach(async () => {
  admitted = [];
  ingested = [];
  answer = NEW;
  refusal = undefined;
  onAdmit = () => {};
  hold = async () => {};
  api = await runBoardApi({ admit });
});
afterEach(() => api.stop());

async function admit(given: Admitted): Promise<InboundAdmission> {
  admitted.push(given);
  onAdmit();
  if (refusal) throw refusal;
  return {
    countedAs: given.address,
    async ingest(request) {
      ingested.push(request);
      await hold();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
}

async function send(body: RequestInit['body'], headers: Record<string, string> = { 'Content-Type': 'application/json' }) {
  const response = await fetch(`${api.url}/webhooks/w/${TOKEN}`, { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown> & { error: { code: string; message: string } },
  };
}

describe('POST /webhooks/w/:token', () => {
  it('hands the board the very bytes, the headers by their lower-case names, and the address of the socket', async () => {
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x00, 0x7d]);
    const headers = { 'Content-Type': 'application/json', 'X-Hub-Signature-256': 'sha256=ab', 'X-Forwarded-For': '203.0.113.9' };
    expect(await send(bytes, headers)).toMatchObject({
      status: 202,
      body: { eventId: 'ev_1', todoIds: ['td_1', 'td_2'], created: 2, verified: true },
    });
    const [request] = ingested;
    expect(admitted).toEqual([{ token: TOKEN, address: '127.0.0.1' }]);
    expect(request).toMatchObject({ headers: { 'x-hub-signature-256': 'sha256=ab' } });
    expect([...(request?.body ?? [])]).toEqual([...bytes]);
  });

  it('answers 200 to what was here before, with the first todos', async () => {
    answer = { ...NEW, replayed: true };
    expect(await send('{}')).toMatchObject({ status: 200, body: { eventId: 'ev_1', todoIds: ['td_1', 'td_2'], created: 0 } });
  });

  it('counts to whom a trusted proxy names, and to nobody else that a header names', async () => {
    const forwarded = { 'Content-Type': 'application/json', 'X-Forwarded-For': '127.0.0.2, 203.0.113.9' };
    expect((await send('{}', forwarded)).status).toBe(202);
    const behind = await runBoardApi({ admit }, { trustedProxies: ['127.0.0.0/8'] });
    await fetch(`${behind.url}/webhooks/w/${TOKEN}`, { method: 'POST', body: '{}', headers: forwarded });
    await behind.stop();
    expect(admitted.map(({ address }) => address)).toEqual(['127.0.0.1', '203.0.113.9']);
  });

  it('sends a challenge back as Slack reads it', async () => {
    answer = { challenge: '3eZbrw1aBm2r' };
    expect(await send('{}')).toMatchObject({ status: 200, body: { challenge: '3eZbrw1aBm2r' } });
  });

  it('needs no key, and takes none into account', async () => {
    expect((await send('{}', { 'Content-Type': 'application/json', Authorization: 'Bearer wrong' })).status).toBe(202);
  });

  it.each(['application/json; charset=utf-8', 'application/vnd.github+json'])('takes Content-Type %s', async (type) => {
    expect((await send('{}', { 'Content-Type': type })).status).toBe(202);
  });

  it('takes a body without a Content-Type', async () => {
    expect((await send(new Uint8Array([0x7b, 0x7d]), {})).status).toBe(202);
    expect(ingested[0]?.headers['content-type']).toBeUndefined();
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded'])('[415] refuses Content-Type %s', async (type) => {
    expect(await send('{}', { 'Content-Type': type })).toMatchObject({ status: 415, body: { error: { code: 'UNSUPPORTED_MEDIA_TYPE' } } });
    expect(ingested).toEqual([]);
  });

  it('[413] refuses a body over 5 MiB, announced or streamed; just under it is taken (the control)', async () => {
    const big = new Uint8Array(6 * 1024 * 1024).fill(0x20);
    const streamed = new ReadableStream({
      start(controller) {
        for (let at = 0; at < big.length; at += 65_536) controller.enqueue(big.subarray(at, at + 65_536));
        controller.close();
      },
    });
    for (const body of [big, streamed]) {
      expect(await send(body)).toMatchObject({ status: 413, body: { error: { code: 'PAYLOAD_TOO_LARGE' } } });
    }
    expect(ingested).toEqual([]);
    expect((await send(big.subarray(0, WEBHOOK_BODY_MAX_BYTES))).status).toBe(202);
    expect(ingested[0]?.body.byteLength).toBe(WEBHOOK_BODY_MAX_BYTES);
  });

  it('[413] refuses what announces too much before any of it is sent', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    const text = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
    socket.write(`POST /webhooks/w/${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: ${WEBHOOK_BODY_MAX_BYTES + 1}\r\n\r\n`);
    expect(await text).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
    expect(ingested).toEqual([]);
  });

  describe('over a slow connection', () => {
    /** Headers that announce 5 MiB, and no body yet. What comes back is there once the server closes, or so many answers have come. */
    function slow() {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
      socket.on('error', () => {});
      socket.write(`POST /webhooks/w/${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Length: ${WEBHOOK_BODY_MAX_BYTES}\r\n\r\n`);
      let text = '';
      const answered = new Promise<string>((resolve) => {
        socket.on('data', (chunk) => {
          text += String(chunk);
          if (text.includes('}')) resolve(text);
        });
      });
      const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
      return { socket, answered, closed };
    }

    it.each<[Error, number]>([
      [new BellhopError('NOT_FOUND', 'There is no such webhook.'), 404],
      [new BellhopError('RATE_LIMITED', 'Too many.'), 429],
    ])('tells %s before a byte of the body has come', async (error, status) => {
      refusal = error;
      const { socket, answered } = slow();
      expect(await answered).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(ingested).toEqual([]);
      socket.destroy();
    });

    it('[408] gives up a body that is not there after 30 s, and hangs up; one that is there is taken (the control)', async () => {
      const entered = new Promise<void>((resolve) => {
        onAdmit = resolve;
      });
      const { socket, answered, closed } = slow();
      await entered;
      socket.write('{"half":');
      await api.clock.advance(INBOUND_DEADLINE_MS);
      const text = await answered;
      expect(text).toMatch(/^HTTP\/1\.1 408 /);
      expect(text).toContain('REQUEST_TIMEOUT');
      await closed;
      expect(ingested).toEqual([]);
      const entering = new Promise<void>((resolve) => {
        onAdmit = resolve;
      });
      const intime = slow();
      await entering;
      await api.clock.advance(INBOUND_DEADLINE_MS - 1);
      intime.socket.write(Buffer.alloc(WEBHOOK_BODY_MAX_BYTES, 0x20));
      expect(await intime.answered).toMatch(/^HTTP\/1\.1 202 /);
      intime.socket.destroy();
    });
  });

  it('[503] has no room for more than 20 MiB of one address at once, says when to come again, and has it again then', async () => {
    const gates: (() => void)[] = [];
    let arrived = () => {};
    const held = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    hold = () =>
      new Promise<void>((resolve) => {
        gates.push(resolve);
        if (gates.length === 4) arrived();
      });
    const body = Buffer.alloc(WEBHOOK_BODY_MAX_BYTES, 0x20);
    const sent = Array.from({ length: 4 }, () => send(body));
    await held;
    const over = await send('{}');
    expect([over.status, over.body.error.code, over.headers.get('retry-after')]).toEqual([503, 'TOO_BUSY', '1']);
    hold = async () => {};
    for (const open of gates) open();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect((await send('{}')).status).toBe(202);
  });

  it.each<[Error, number, string, string | null]>([
    [new BellhopError('NOT_FOUND', 'There is no such webhook.'), 404, 'NOT_FOUND', null],
    [new BellhopError('UNAUTHENTICATED', 'The signature is not its.'), 401, 'UNAUTHENTICATED', null],
    [new BellhopError('RATE_LIMITED', 'Too many.'), 429, 'RATE_LIMITED', '1'],
    [new InputError('INVALID_INPUT', 'The body is no JSON.'), 400, 'INVALID_INPUT', null],
    [new InputError('PAYLOAD_TOO_LARGE', 'Over.'), 413, 'PAYLOAD_TOO_LARGE', null],
    [new BellhopError('ENCRYPTION_KEY', `sealed under ${TOKEN}`), 503, 'ENCRYPTION_KEY', null],
    [new BellhopError('SEALED_VALUE', `sealed under ${TOKEN}`), 503, 'SEALED_VALUE', null],
    [new TypeError(`secret internals`), 500, 'INTERNAL', null],
  ])('tells %s by its status', async (error, status, code, retryAfter) => {
    answer = error;
    const told = await send('{}');
    expect([told.status, told.body.error.code, told.headers.get('retry-after')]).toEqual([status, code, retryAfter]);
    expect(told.body.error.message).not.toContain(TOKEN);
  });

  it('leaves the token out of the log and of the metrics', async () => {
    answer = new TypeError('something nobody foresaw');
    await send('{}');
    await fetch(`${api.url}/webhooks/w/${TOKEN}`);
    await fetch(`${api.url}/webhooks/w/${TOKEN}/more`, { method: 'POST', body: '{}' });
    const told = [...api.lines, await api.metrics.registry.metrics()].join('\n');
    expect(api.lines).toHaveLength(1);
    expect(told).toContain('/webhooks/w/:token');
    expect(told).not.toContain('hunter2');
  });

  it('[405] tells a GET what is allowed', async () => {
    const got = await fetch(`${api.url}/webhooks/w/${TOKEN}`);
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST']);
  });
});
