/** The doorbell over HTTP, on a real server: who is attached, for how long, and what reaches them. */
import { EventEmitter } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { BoardConsumer } from '@bellhop/contracts';
import { BellhopError, StoreError } from '@bellhop/kernel';
import { Hono } from 'hono';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BoardApi, CREDENTIAL, ENDPOINT, KEY, runBoardApi } from './board-api.fixture.js';
import type { ConsumerEnv } from './consumer-auth.js';
import { doorbellRoutes } from './doorbell-routes.js';
import { KEEP_ALIVE_MS, RINGS_HELD_MAX } from './doorbell-streams.js';

let api: BoardApi;
beforeEach(async () => {
  api = await runBoardApi();
});
afterEach(() => api.stop());

interface Listener {
  readonly response: IncomingMessage;
  /** Until so much has arrived. */
  heard(text: string): Promise<string>;
  /** All of it, once the stream has ended. */
  readonly ended: Promise<string>;
  hangUp(): void;
}

function ask(method: string, key = CREDENTIAL): ClientRequest {
  return request(`${api.url}/v1/doorbell`, { method, agent: false, headers: { Authorization: `Bearer ${key}` } });
}

async function listen(): Promise<Listener> {
  const asking = ask('GET');
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    asking.once('response', resolve).once('error', reject).end();
  });
  let text = '';
  let arrived: (() => void)[] = [];
  const ended = new Promise<string>((resolve) => {
    response.once('close', () => {
      resolve(text);
      for (const tell of arrived) tell();
    });
  });
  response.on('error', () => {});
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    const waiting = arrived;
    arrived = [];
    for (const tell of waiting) tell();
  });
  return {
    response,
    ended,
    async heard(wanted) {
      while (!text.includes(wanted)) {
        if (response.closed) throw new Error(`The stream ended without ${JSON.stringify(wanted)}: ${JSON.stringify(text)}`);
        await new Promise<void>((resolve) => arrived.push(resolve));
      }
      return text;
    },
    hangUp: () => asking.destroy(),
  };
}

const ring = (todoId: string) => api.doorbell.only.onRing({ todoId, queue: 'a:b', reason: 'created' });

describe('GET /v1/doorbell', () => {
  it('is a stream of events, which holds what the consumer is told, for the queues of its scope', async () => {
    const listener = await listen();
    expect(listener.response.statusCode).toBe(200);
    expect(listener.response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    expect(api.doorbell.only).toMatchObject({ endpointId: 'ep_1', queues: ENDPOINT.queues });
    expect(ring('td_1')).toBe(true);
    expect(api.doorbell.only.onRing({ todoId: 'td_2', queue: 'reviews' })).toBe(true);
    expect(await listener.heard('td_2"')).toBe(
      ': attached\n\nevent: todo.ready\ndata: {"todoId":"td_1","queue":"a:b","reason":"created"}\n\nevent: todo.ready\ndata: {"todoId":"td_2","queue":"reviews"}\n\n',
    );
  });

  it('says that it lives every 25 s, and ends when the credential is refused then', async () => {
    const listener = await listen();
    await api.clock.advance(KEEP_ALIVE_MS - 1);
    ring('td_1');
    expect(await listener.heard('td_1')).not.toContain('keep-alive');
    await api.clock.advance(1);
    await listener.heard('keep-alive');
    api.consumer = new BellhopError('UNAUTHENTICATED', 'revoked');
    await api.clock.advance(KEEP_ALIVE_MS);
    expect((await listener.ended).match(/keep-alive/g)).toHaveLength(1);
    expect([api.doorbell.sessions.size, api.streams.open]).toEqual([0, 0]);
  });

  it('outlives an outage of the database', async () => {
    const listener = await listen();
    api.consumer = new StoreError('STORE_UNAVAILABLE', 'gone');
    await api.clock.advance(KEEP_ALIVE_MS);
    await listener.heard('keep-alive');
    expect(api.lines.join()).toMatch(/could not be checked/);
    ring('td_1');
    await listener.heard('td_1');
  });

  it('ends when the doorbell closes it, and when the host stops, which opens no more', async () => {
    const first = await listen();
    api.doorbell.only.onClose();
    await first.ended;
    expect(api.doorbell.sessions.size).toBe(0);

    const second = await listen();
    api.streams.close();
    await second.ended;
    expect(api.doorbell.sessions.size).toBe(0);
    const late = await fetch(`${api.url}/v1/doorbell`, { headers: { Authorization: `Bearer ${CREDENTIAL}` } });
    expect([late.status, ((await late.json()) as { error: { code: string } }).error.code]).toEqual([503, 'STORE_CLOSED']);
    expect(api.doorbell.sessions.size).toBe(0);
  });

  it('lets go of a caller that hangs up (control: it is attached before)', async () => {
    const [first, second] = [await listen(), await listen()];
    expect(api.doorbell.sessions.size).toBe(2);
    first.hangUp();
    await api.doorbell.attached(1);
    second.hangUp();
    await api.doorbell.attached(0);
    expect(api.streams.open).toBe(0);
  });

  it.each([
    ['nobody who hung up while the credential was looked up', { destroyed: true }, 0],
    ['whoever is still there (the control)', { destroyed: false }, 1],
  ])('attaches %s', async (_who, socket, attached) => {
    const app = new Hono<ConsumerEnv>();
    app.use(async (context, next) => {
      context.set('consumer', { endpoint: ENDPOINT } as BoardConsumer);
      await next();
    });
    app.route('/', doorbellRoutes(api.streams));
    const outgoing = Object.assign(new EventEmitter(), { closed: false });
    expect((await app.request('/v1/doorbell', {}, { incoming: { socket }, outgoing })).status).toBe(200);
    expect([api.doorbell.sessions.size, api.streams.open]).toEqual([attached, attached]);
    outgoing.emit('close');
    expect(api.streams.open).toBe(0);
  });

  it('attaches nobody for a HEAD (control: a GET is)', async () => {
    const asking = ask('HEAD');
    const response = await new Promise<IncomingMessage>((resolve) => asking.once('response', resolve).end());
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream']);
    response.resume();
    expect(api.streams.open).toBe(0);
    await listen();
    expect(api.streams.open).toBe(1);
  });

  it(`holds ${RINGS_HELD_MAX} rings for a reader that is behind, and refuses the next ones`, () => {
    const { body, end } = api.streams.attach({ endpointId: 'ep_1', queues: [], checkCredentialAgain: async () => {} });
    const session = api.doorbell.only;
    // The first place is taken by the comment that tells of the attaching.
    expect(session.room()).toBe(RINGS_HELD_MAX - 1);
    const taken = Array.from({ length: 2 * RINGS_HELD_MAX }, (_, at) => ring(`td_${at}`)).filter((each) => each).length;
    expect(taken).toBe(RINGS_HELD_MAX - 1);
    expect(session.room()).toBe(0);
    end();
    expect(session.room()).toBe(0);
    expect(body.locked).toBe(false);
    expect(api.doorbell.sessions.size).toBe(0);
  });

  it('takes rings again once its reader has caught up', async () => {
    const { body, end } = api.streams.attach({ endpointId: 'ep_1', queues: [], checkCredentialAgain: async () => {} });
    const reader = body.getReader();
    for (let at = 0; at < RINGS_HELD_MAX; at += 1) ring('td_1');
    expect(ring('td_late')).toBe(false);
    await reader.read();
    expect(ring('td_again')).toBe(true);
    end();
  });

  it.each([
    ['an API key', KEY, 401, 'UNAUTHENTICATED'],
    ['a credential that nobody knows', 'sbk_nobody', 401, 'UNAUTHENTICATED'],
    ['an endpoint without the verb', CREDENTIAL, 403, 'FORBIDDEN'],
  ])('is refused to %s', async (_who, key, status, code) => {
    api.consumer = { endpoint: { ...ENDPOINT, verbs: ['claim'] } } as unknown as BoardConsumer;
    const answer = await fetch(`${api.url}/v1/doorbell`, { headers: { Authorization: `Bearer ${key}` } });
    expect([answer.status, ((await answer.json()) as { error: { code: string } }).error.code]).toEqual([status, code]);
    expect(api.streams.open).toBe(0);
  });

  it('[429] keeps nothing of a stream that the doorbell has no room for', async () => {
    const attach = api.doorbell.attach.bind(api.doorbell);
    api.doorbell.attach = () => {
      throw new BellhopError('RATE_LIMITED', 'It has 100.');
    };
    const answer = await fetch(`${api.url}/v1/doorbell`, { headers: { Authorization: `Bearer ${CREDENTIAL}` } });
    expect([answer.status, answer.headers.get('retry-after'), api.streams.open]).toEqual([429, '1', 0]);
    api.doorbell.attach = attach;
    await listen();
    expect(api.streams.open).toBe(1);
  });

  it('[400] refuses a query', async () => {
    const answer = await fetch(`${api.url}/v1/doorbell?queue=x`, { headers: { Authorization: `Bearer ${CREDENTIAL}` } });
    expect(answer.status).toBe(400);
  });
});
