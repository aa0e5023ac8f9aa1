import { once } from 'node:events';
import { createServer } from 'node:net';
import { EnvHttpProxyAgent, request } from 'undici';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { closed, Receiver, type ReceiverOptions } from './receiver.fixture.js';
import { sending } from './sending.fixture.js';

const open: Receiver[] = [];
const receiver = async (options?: ReceiverOptions) => {
  const opened = await Receiver.open(options);
  open.push(opened);
  return opened;
};
afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(open.splice(0).map((each) => each.close()));
});

describe('a request', () => {
  it('arrives as it was given, without the fragment', async () => {
    const target = await receiver({
      answer: (_request, response) => response.writeHead(202, { 'x-a': ['1', '2'], 'set-cookie': ['a=1', 'b=2'] }).end('täken'),
    });
    const { send, clock } = sending();
    const result = await send(`http://hook.test:${target.port}/a/b?c=d%20e#f`, {
      headers: { 'Webhook-Id': 'msg_1', 'x-own': 'ü' },
      body: '{"ü":1}',
    });
    expect(result).toMatchObject({ kind: 'answered', status: 202, text: 'täken', cut: false, durationMs: 0 });
    expect(result).toMatchObject({ headers: { 'x-a': '1, 2', 'set-cookie': 'a=1, b=2' } });
    expect(target.received).toMatchObject([
      {
        method: 'POST',
        url: '/a/b?c=d%20e',
        body: '{"ü":1}',
        headers: { host: `hook.test:${target.port}`, 'webhook-id': 'msg_1', 'content-length': '8', connection: 'close' },
      },
    ]);
    expect(clock.nextTimerAt()).toBeNull();
  });

  it.each(['Host', 'host', 'Content-Length', 'Transfer-Encoding', 'Connection', 'Expect', 'UPGRADE'])(
    'with the header %s is refused before anything is asked or sent',
    async (name) => {
      const target = await receiver();
      const { send, asked } = sending();
      const url = `http://hook.test:${target.port}/`;
      expect(await send(url, { headers: { [name]: '7' } })).toMatchObject({
        kind: 'failed',
        cause: 'refused',
        message: expect.stringContaining(name),
      });
      expect([asked.length, target.received.length]).toEqual([0, 0]);
      expect(await send(url, { headers: { [`x-${name}`]: '7' } })).toMatchObject({ kind: 'answered' });
    },
  );

  it.each([
    ['a line break in a value', { 'x-a': 's3cret\r\nx-b: 2' }],
    ['a blank in a name', { 'x a': 's3cret' }],
  ])('with %s is refused', async (_title, headers) => {
    const target = await receiver();
    const result = await sending().send(`http://hook.test:${target.port}/`, { headers });
    expect(result).toMatchObject({ kind: 'failed', cause: 'refused' });
    expect(JSON.stringify(result)).not.toContain('s3cret');
    expect(target.received).toEqual([]);
  });

  it.each([
    { timeoutMs: 0 },
    { timeoutMs: 1.5 },
    { timeoutMs: 2 ** 31 },
    { timeoutMs: Number.NaN },
    { maxAnswerBytes: -1 },
    { maxAnswerBytes: 0.5 },
    { maxAnswerBytes: 2 ** 24 + 1 },
  ])('with %j is an error of the caller', async (bounds) => {
    await expect(sending().send('http://hook.test/', bounds)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      path: Object.keys(bounds)[0],
    });
  });
});

describe('the dial', () => {
  it('goes only to the addresses that were checked, whatever the resolver says a moment later', async () => {
    const first = await receiver();
    const second = await receiver({ host: '127.0.0.2', port: first.port });
    const url = `http://hook.test:${first.port}/`;
    const rebinding = [['127.0.0.1'], ['127.0.0.2']];

    const { send, asked } = sending({ answers: rebinding });
    expect(await send(url)).toMatchObject({ kind: 'answered', status: 200 });
    expect([asked.length, first.received.length, second.sockets.length]).toEqual([1, 1, 0]);
    expect(await send(url)).toMatchObject({ kind: 'failed', cause: 'refused' });
    expect([asked.length, first.received.length, second.sockets.length]).toEqual([2, 1, 0]);

    // Control: where the second address is open, the second call does reach it, and no connection of the first is used again.
    const opened = sending({ answers: rebinding, policy: { allowHttp: true, allowCidrs: ['127.0.0.0/8'] } });
    await opened.send(url);
    await opened.send(url);
    expect([first.received.length, second.received.length]).toEqual([2, 1]);
  });

  it('is not tried at all when one of several addresses is forbidden', async () => {
    const target = await receiver();
    const url = `http://hook.test:${target.port}/`;
    expect(await sending({ answers: [['127.0.0.1', '127.0.0.2']] }).send(url)).toMatchObject({ cause: 'refused' });
    expect(target.sockets).toHaveLength(0);
    expect(await sending({ answers: [['127.0.0.1']] }).send(url)).toMatchObject({ kind: 'answered' });
  });

  it('goes on to the next address when one does not take the connection', async () => {
    const target = await receiver();
    const { send } = sending({ answers: [['127.0.0.3', '127.0.0.1']], policy: { allowHttp: true, allowCidrs: ['127.0.0.0/8'] } });
    expect(await send(`http://hook.test:${target.port}/`)).toMatchObject({ kind: 'answered' });
  });

  it.each(['127.0.0.1', 'localhost', '2130706433'])('reaches %s where it is opened, without a lookup', async (host) => {
    const target = await receiver();
    const { send, asked } = sending();
    expect(await send(`http://${host}:${target.port}/`)).toMatchObject({ kind: 'answered' });
    expect(asked).toEqual([]);
  });

  it('uses no proxy of the environment', async () => {
    const target = await receiver();
    const proxy = await receiver();
    const proxyUrl = `http://127.0.0.1:${proxy.port}`;
    for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'ALL_PROXY']) vi.stubEnv(name, proxyUrl);
    vi.stubEnv('no_proxy', '');
    vi.stubEnv('NO_PROXY', '');
    vi.stubEnv('NODE_USE_ENV_PROXY', '1');
    expect(await sending().send(`http://hook.test:${target.port}/`)).toMatchObject({ kind: 'answered' });
    expect([target.received.length, proxy.sockets.length]).toEqual([1, 0]);

    // Control: a client that heeds the environment goes through it.
    const heeding = new EnvHttpProxyAgent();
    const proxied = request(`http://127.0.0.1:${target.port}/`, { dispatcher: heeding }).catch(() => {});
    await proxy.connected;
    await Promise.all([heeding.destroy(), proxied]);
  });
});

describe('an answer', () => {
  it.each([301, 302, 303, 307, 308])('%i is an answer and not followed', async (status) => {
    const elsewhere = await receiver();
    const target = await receiver({
      answer: (_request, response) => response.writeHead(status, { location: `http://127.0.0.1:${elsewhere.port}/` }).end(),
    });
    const { send } = sending();
    expect(await send(`http://hook.test:${target.port}/`)).toMatchObject({ kind: 'answered', status });
    expect(elsewhere.sockets).toHaveLength(0);
    expect(await send(`http://127.0.0.1:${elsewhere.port}/`)).toMatchObject({ kind: 'answered', status: 200 });
  });

  it.each([400, 410, 429, 500, 503])('%i is an answer, not a failure', async (status) => {
    const target = await receiver({ answer: (_request, response) => response.writeHead(status, { 'retry-after': '5' }).end('no') });
    const result = await sending().send(`http://hook.test:${target.port}/`);
    expect(result).toMatchObject({ kind: 'answered', status, text: 'no', headers: { 'retry-after': '5' } });
  });

  it.each([
    [16_384, undefined, 16_384, false],
    [16_385, undefined, 16_384, true],
    [400_000, undefined, 16_384, true],
    [400_000, 400_000, 400_000, false],
    [11, 10, 10, true],
    [10, 10, 10, false],
    [1, 0, 0, true],
    [0, 0, 0, false],
  ])('of %i bytes, of which %s may be read, gives %i (cut: %s)', async (length, maxAnswerBytes, kept, cut) => {
    const target = await receiver({ answer: (_request, response) => response.end('x'.repeat(length)) });
    const result = await sending().send(`http://hook.test:${target.port}/`, { maxAnswerBytes });
    expect(result).toMatchObject({ kind: 'answered', text: 'x'.repeat(kept), cut });
  });

  it('that never ends is cut, and its connection closed', async () => {
    const target = await receiver({
      answer: (_request, response) => {
        const more = () => {
          while (response.write('x'.repeat(8_192)));
        };
        response.on('drain', more);
        more();
      },
    });
    const result = await sending().send(`http://hook.test:${target.port}/`);
    expect(result).toMatchObject({ kind: 'answered', text: 'x'.repeat(16_384), cut: true });
    await closed(target.sockets[0]!);
  });

  it('leaves out a character that the cut splits', async () => {
    const target = await receiver({ answer: (_request, response) => response.end('aüüü') });
    const { send } = sending();
    const url = `http://hook.test:${target.port}/`;
    expect(await send(url, { maxAnswerBytes: 4 })).toMatchObject({ text: 'aü', cut: true });
    expect(await send(url, { maxAnswerBytes: 5 })).toMatchObject({ text: 'aüü', cut: true });
    expect(await send(url, { maxAnswerBytes: 7 })).toMatchObject({ text: 'aüüü', cut: false });
  });
});

describe('a failure', () => {
  it('of the lookup is `dns`', async () => {
    expect(await sending({ answers: [[]] }).send('https://hook.test/?s3cret')).toEqual({
      kind: 'failed',
      cause: 'dns',
      message: 'hook.test has no address.',
      durationMs: 0,
    });
  });

  it('of the guard is `refused`', async () => {
    expect(await sending({ policy: {} }).send('https://hook.test/?s3cret')).toMatchObject({
      kind: 'failed',
      cause: 'refused',
      message: expect.stringMatching(/^url: its host leads to a loopback address/),
    });
  });

  it('to connect is `network`', async () => {
    const gone = await Receiver.open();
    const { port } = gone;
    await gone.close();
    const result = await sending().send(`http://hook.test:${port}/`);
    expect(result).toMatchObject({ kind: 'failed', cause: 'network', message: expect.stringContaining('ECONNREFUSED') });
  });

  it('to answer is `network`', async () => {
    const target = await receiver({ answer: (request) => request.socket.destroy() });
    expect(await sending().send(`http://hook.test:${target.port}/`)).toMatchObject({ kind: 'failed', cause: 'network' });
  });

  it('to finish the answer is `network`', async () => {
    const target = await receiver({
      answer: (request, response) => {
        response.writeHead(200, { 'content-length': '10' });
        response.write('half', () => request.socket.end());
      },
    });
    expect(await sending().send(`http://hook.test:${target.port}/`)).toMatchObject({ kind: 'failed', cause: 'network' });
  });

  it('to speak HTTP is `network`', async () => {
    const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    expect(await sending().send(`http://hook.test:${port}/`)).toMatchObject({ kind: 'failed', cause: 'network' });
    server.close();
  });
});
