/**
 * Who gets in where, and what never reaches the board: each of its routes with the other kind of caller, and with input that its schema refuses.
 * The board of these tests takes no call, so that one which came through would be told.
 */
import type { BoardConsumer } from '@bellhop/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BoardApi, CREDENTIAL, ENDPOINT, KEY, runBoardApi } from './board-api.fixture.js';

interface Route {
  readonly method: string;
  readonly path: string;
  /** One that is allowed. */
  readonly body?: object;
}

/** Everything that takes a key, and everything that takes a credential. */
const OPERATOR: readonly Route[] = [
  { method: 'GET', path: '/v1/endpoints' },
  { method: 'POST', path: '/v1/endpoints', body: { slug: 'reviewer', queues: ['reviews'] } },
  { method: 'GET', path: '/v1/endpoints/reviewer' },
  { method: 'POST', path: '/v1/endpoints/reviewer/revoke' },
  { method: 'GET', path: '/v1/endpoints/reviewer/todos' },
  { method: 'POST', path: '/v1/endpoints/reviewer/todos', body: { queue: 'reviews', title: 't' } },
  { method: 'GET', path: '/v1/endpoints/reviewer/stall?queue=reviews' },
  { method: 'GET', path: '/v1/endpoints/reviewer/webhooks' },
  { method: 'POST', path: '/v1/endpoints/reviewer/webhooks', body: { source: 'github' } },
  { method: 'DELETE', path: '/v1/endpoints/reviewer/webhooks/wh_1' },
  { method: 'GET', path: '/v1/endpoints/reviewer/notify-hooks' },
  { method: 'POST', path: '/v1/endpoints/reviewer/notify-hooks', body: { url: 'https://example.org' } },
  { method: 'POST', path: '/v1/endpoints/reviewer/notify-hooks/nh_1/rotate' },
  { method: 'POST', path: '/v1/endpoints/reviewer/notify-hooks/nh_1/enable' },
  { method: 'POST', path: '/v1/endpoints/reviewer/notify-hooks/nh_1/disable' },
  { method: 'DELETE', path: '/v1/endpoints/reviewer/notify-hooks/nh_1' },
  { method: 'GET', path: '/v1/board/todos' },
  { method: 'GET', path: '/v1/board/todos/td_1' },
  { method: 'POST', path: '/v1/board/todos/td_1/retry' },
  { method: 'POST', path: '/v1/board/todos/td_1/release-quarantined' },
  { method: 'POST', path: '/v1/board/todos/td_1/discard-quarantined' },
];
const CONSUMER: readonly Route[] = [
  { method: 'GET', path: '/v1/todos' },
  { method: 'POST', path: '/v1/todos', body: { queue: 'reviews', title: 't' } },
  { method: 'GET', path: '/v1/todos/td_1' },
  { method: 'POST', path: '/v1/todos/claim-next', body: {} },
  { method: 'POST', path: '/v1/todos/td_1/claim', body: {} },
  { method: 'POST', path: '/v1/todos/td_1/heartbeat', body: {} },
  { method: 'POST', path: '/v1/todos/td_1/complete', body: {} },
  { method: 'POST', path: '/v1/todos/td_1/fail', body: {} },
  { method: 'POST', path: '/v1/todos/td_1/release', body: {} },
  { method: 'POST', path: '/v1/todos/td_1/retry' },
  { method: 'GET', path: '/v1/notify-hooks' },
  { method: 'POST', path: '/v1/notify-hooks', body: { url: 'https://example.org' } },
  { method: 'POST', path: '/v1/notify-hooks/nh_1/rotate' },
  { method: 'DELETE', path: '/v1/notify-hooks/nh_1' },
];

class Reached extends Error {}
const taking = new Proxy({} as object, {
  get: (_board, name) => () => {
    throw new Reached(String(name));
  },
});

let api: BoardApi;
beforeAll(async () => {
  const names = [
    'vend',
    'endpoints',
    'endpoint',
    'revoke',
    'hooks',
    'webhooks',
    'push',
    'listTodos',
    'getTodo',
    'retry',
    'releaseQuarantined',
    'discardQuarantined',
    'ingest',
  ];
  api = await runBoardApi(Object.fromEntries(names.map((name) => [name, Reflect.get(taking, name)])));
  const reached = Reflect.get(taking, 'consumer');
  const verbs = ['listTodos', 'getTodo', 'claim', 'claimNext', 'heartbeat', 'complete', 'fail', 'release', 'retry', 'push'];
  api.consumer = {
    endpoint: ENDPOINT,
    hooks: taking,
    ...Object.fromEntries(verbs.map((verb) => [verb, reached])),
  } as unknown as BoardConsumer;
});
afterAll(() => api.stop());

interface Given {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly raw?: string;
  readonly type?: string;
}

async function ask(method: string, path: string, { key = null, body, raw, type = 'application/json' }: Given) {
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(`${api.url}${path}`, {
    method,
    headers: { ...(key === null ? {} : { Authorization: `Bearer ${key}` }), ...(content === undefined ? {} : { 'Content-Type': type }) },
    ...(content === undefined ? {} : { body: content }),
  });
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return { status: response.status, ...error, headers: response.headers };
}

describe.each([
  ['operator', OPERATOR, KEY, CREDENTIAL, /takes an API key, and the credential of an endpoint was given/],
  ['consumer', CONSUMER, CREDENTIAL, KEY, /takes the credential of an endpoint/],
] as const)('the routes of an %s', (_whose, routes, own, others, message) => {
  it.each(routes)(
    '$method $path is 401 to the other kind of caller, and to none; its own gets through (the control)',
    async ({ method, path, body }) => {
      for (const key of [others, null, 'Basic']) {
        const refused = await ask(method, path, { key, body });
        expect([refused.status, refused.code, refused.headers.get('www-authenticate')]).toEqual([
          401,
          'UNAUTHENTICATED',
          'Bearer realm="bellhop"',
        ]);
        if (key === others) expect(refused.message).toMatch(message);
      }
      // What the scripted board throws is no error that anybody foresaw.
      if (path.includes('/stall')) return;
      expect(await ask(method, path, { key: own, body })).toMatchObject({ status: 500, code: 'INTERNAL' });
    },
  );

  it.each(routes.filter(({ body }) => body))(
    '$method $path refuses an unknown field, no object, no JSON, another type, and a body over the bound',
    async ({ method, path, body }) => {
      const cases: [Given, number, string, RegExp][] = [
        [{ body: { ...body, dueAt: 5 } }, 400, 'INVALID_INPUT', /the body: unknown field "dueAt"/],
        [{ body: [] }, 400, 'INVALID_INPUT', /the body: expected object/],
        [{ body: null }, 400, 'INVALID_INPUT', /the body: expected object/],
        [{ raw: '{' }, 400, 'INVALID_INPUT', /Malformed JSON/],
        [{ raw: '', type: 'application/json' }, 400, 'INVALID_INPUT', /Malformed JSON/],
        [{ body, type: 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE', /application\/json/],
        [{ body: { ...body, title: 'x'.repeat(800_000) } }, 413, 'PAYLOAD_TOO_LARGE', /The body is over/],
      ];
      for (const [given, status, code, message] of cases) {
        const refused = await ask(method, path, { key: own, ...given });
        expect([given, refused.status, refused.code]).toEqual([given, status, code]);
        expect(refused.message).toMatch(message);
      }
    },
  );

  it.each(routes)('$method $path refuses a part of the path that is too long, or no UTF-8', async ({ method, path, body }) => {
    const [bare = ''] = path.split('?');
    for (const [part, message] of [
      ['x'.repeat(256), /256 characters/],
      ['a%00b', /U\+0000/],
      ['%ff', /percent-encoded/],
    ] as const) {
      for (const id of ['reviewer', 'td_1', 'wh_1', 'nh_1'].filter((each) => bare.includes(`/${each}`))) {
        const refused = await ask(method, path.replace(`/${id}`, `/${part}`), { key: own, body });
        expect([path, part, refused.status, refused.code]).toEqual([path, part, 400, 'INVALID_INPUT']);
        expect(refused.message).toMatch(message);
      }
    }
  });
});

describe('[400] a value of a wrong type', () => {
  it.each<[string, string, object, RegExp]>([
    [KEY, '/v1/endpoints', { slug: 7, queues: ['a'] }, /slug: expected string/],
    [KEY, '/v1/endpoints', { slug: 'a' }, /queues/],
    [KEY, '/v1/endpoints', { slug: 'a', queues: 'reviews' }, /queues: expected array/],
    [KEY, '/v1/endpoints', { slug: 'a', queues: [7] }, /queues\.0: expected string/],
    [KEY, '/v1/endpoints', { slug: 'a', queues: ['a'], verbs: ['rm'] }, /verbs\.0: expected one of "list_todos"/],
    [KEY, '/v1/endpoints', { slug: 'a', queues: ['a'], expiresAt: '2027-01-01' }, /expiresAt/],
    [KEY, '/v1/endpoints', { slug: 'a', queues: ['a'], defaultLeaseMs: 1.5 }, /defaultLeaseMs/],
    [KEY, '/v1/endpoints', { slug: 'a', queues: ['a'], organizationId: 'umbrella' }, /unknown field "organizationId"/],
    [KEY, '/v1/endpoints/reviewer/webhooks', { source: 'bitbucket' }, /source: expected one of "github"/],
    [KEY, '/v1/endpoints/reviewer/webhooks', { source: 'github', targets: [{ endpointId: 'ep_1' }] }, /targets\.0\.queue/],
    [
      KEY,
      '/v1/endpoints/reviewer/webhooks',
      { source: 'github', targets: [{ endpointId: 'ep_1', queue: 'a', x: 1 }] },
      /unknown field "x"/,
    ],
    [KEY, '/v1/endpoints/reviewer/webhooks', { source: 'github', trustedSenders: 'ada' }, /trustedSenders/],
    [KEY, '/v1/endpoints/reviewer/notify-hooks', { url: 7 }, /url: expected string/],
    [KEY, '/v1/endpoints/reviewer/notify-hooks', { url: 'https://a.example', stalledAfterMs: 5 }, /unknown field "stalledAfterMs"/],
    [KEY, '/v1/endpoints/reviewer/todos', { queue: 'reviews' }, /title/],
    [KEY, '/v1/endpoints/reviewer/todos', { queue: 'reviews', title: 't', gate: true }, /unknown field "gate"/],
    [CREDENTIAL, '/v1/todos', { queue: 'reviews', title: 't', maxAttempts: '5' }, /maxAttempts/],
    [CREDENTIAL, '/v1/todos/claim-next', { queues: 'reviews' }, /queues/],
    [CREDENTIAL, '/v1/todos/claim-next', { leaseMs: '5' }, /leaseMs/],
    [CREDENTIAL, '/v1/todos/td_1/claim', { requireFence: 'yes' }, /requireFence/],
    [CREDENTIAL, '/v1/todos/td_1/claim', { queues: ['a'] }, /unknown field "queues"/],
    [CREDENTIAL, '/v1/todos/td_1/heartbeat', { leaseToken: 7 }, /leaseToken/],
    [CREDENTIAL, '/v1/todos/td_1/release', { result: 1 }, /unknown field "result"/],
    [CREDENTIAL, '/v1/notify-hooks', { url: 'https://a.example', queues: [null] }, /queues\.0/],
  ])('with %s: POST %s %j', async (key, path, body, message) => {
    const refused = await ask('POST', path, { key, body });
    expect([refused.status, refused.code]).toEqual([400, 'INVALID_INPUT']);
    expect(refused.message).toMatch(message);
  });

  it.each<[string, string, RegExp]>([
    [KEY, '/v1/board/todos?state=lost', /state: expected one of "pending"/],
    [KEY, '/v1/board/todos?limit=ten', /limit: expected an integer/],
    [KEY, '/v1/board/todos?endpoint=a', /the query: unknown field "endpoint"/],
    [KEY, '/v1/board/todos?queue=a%00b', /queue: .*U\+0000/],
    [KEY, '/v1/endpoints/reviewer/todos?endpointId=ep_2', /unknown field "endpointId"/],
    [KEY, '/v1/endpoints/reviewer/stall', /queue/],
    [KEY, '/v1/endpoints/reviewer/stall?queue=', /queue/],
    [CREDENTIAL, '/v1/todos?state=lost', /state/],
    [CREDENTIAL, '/v1/todos?queue=a&queue=b', /queue/],
    [CREDENTIAL, '/v1/todos?endpointId=ep_1', /unknown field "endpointId"/],
  ])('with %s: GET %s', async (key, path, message) => {
    const refused = await ask('GET', path, { key });
    expect([refused.status, refused.code]).toEqual([400, 'INVALID_INPUT']);
    expect(refused.message).toMatch(message);
  });
});

describe('routes', () => {
  it.each([
    [CREDENTIAL, 'PUT', '/v1/todos', 'GET, HEAD, POST'],
    [CREDENTIAL, 'GET', '/v1/todos/td_1/claim', 'POST'],
    [CREDENTIAL, 'POST', '/v1/doorbell', 'GET, HEAD'],
    [KEY, 'GET', '/v1/endpoints/reviewer/revoke', 'POST'],
  ])('[405] with %s: %s %s is told what is allowed', async (key, method, path, allowed) => {
    const refused = await ask(method, path, { key });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, allowed]);
  });

  it('the door is that of the route, however the path is written', async () => {
    // Encoded, it is the same path to the router; beside it, it is another.
    expect((await ask('GET', '/v1/%74odos', { key: KEY })).status).toBe(401);
    expect((await ask('GET', '/v1/%65ndpoints', { key: CREDENTIAL })).status).toBe(401);
    expect((await ask('GET', '/v1/todosx', { key: CREDENTIAL })).status).toBe(401);
    expect((await ask('GET', '/v1/todosx', { key: KEY })).status).toBe(404);
    expect((await ask('GET', '/v1//todos', { key: KEY })).status).toBe(404);
  });
});
