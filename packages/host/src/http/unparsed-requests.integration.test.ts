import { connect } from 'node:net';
import { type Logger, StoreError, silentLogger } from '@bellhop/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHost, type Host } from '../host.js';
import { toFailure } from './errors.js';

/** Everything the server answers to these bytes, until it closes the connection. */
function answerTo(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    let answer = '';
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}

describe('requests that no route sees', () => {
  const logged: string[] = [];
  const logger: Logger = { ...silentLogger, error: (_fields, message) => logged.push(message), child: () => logger };
  let host: Host;
  beforeAll(async () => {
    host = createHost({ database: { url: 'memory:' }, port: 0, apiKey: 'a-root-key-for-this-test-only' }, { logger });
    await host.start();
  });
  afterAll(() => host.stop());

  it.each([
    ['a line that is none', 'nonsense\r\n\r\n', 400],
    ['a bad chunk', 'POST /v1/notifications HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
    ['too many headers', `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s is answered in the shape of every error', async (_title, bytes, status) => {
    const answer = await answerTo(host.url, bytes);
    expect(answer).toMatch(new RegExp(`HTTP/1.1 ${status} `));
    expect(JSON.parse(answer.slice(answer.lastIndexOf('\r\n\r\n') + 4))).toMatchObject({
      error: { code: 'INVALID_INPUT', message: expect.any(String) },
    });
  });

  it('a sender that hangs up in the middle of its body is no error of the host’s', async () => {
    const { hostname, port } = new URL(host.url);
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          'POST /v1/notifications HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer a-root-key-for-this-test-only\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"topic"',
        );
        setImmediate(() => socket.destroy());
      });
      socket.on('close', () => resolve());
    });
    // An exchange that follows has been through the same server.
    expect((await fetch(`${host.url}/healthz`)).status).toBe(200);
    expect(logged).toEqual([]);
  });

  it('a full disk is told as such', () => {
    expect(toFailure(new StoreError('STORE_FULL', 'full'))).toMatchObject({
      status: 503,
      code: 'STORE_FULL',
      headers: { 'Retry-After': '60' },
    });
  });
});
