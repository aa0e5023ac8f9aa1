/** How a call ends before it is done: its time runs out, its caller gives up, its client is closed. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { ManualClock } from '@bellhop/testing/manual-clock';
import { afterEach, describe, expect, it } from 'vitest';
import { OutboundClient, type OutboundResult } from './outbound-client.js';
import { OutboundGuard } from './outbound-guard.js';
import { closed, Receiver } from './receiver.fixture.js';
import { LOCAL_POLICY, sending, TIMEOUT_MS } from './sending.fixture.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
const opened = (receiver: Receiver): Receiver => {
  closing.push(() => receiver.close());
  return receiver;
};

/** Resolves when undici has read the headers of the next answer. */
const headersRead = () =>
  new Promise<void>((resolve) => {
    const read = () => {
      unsubscribe('undici:request:headers', read);
      resolve();
    };
    subscribe('undici:request:headers', read);
  });

/** Asserts that the call lasts until the very millisecond of its timeout. */
async function timesOut(clock: ManualClock, call: Promise<OutboundResult>): Promise<void> {
  let result: OutboundResult | undefined;
  const done = call.then((ended) => {
    result = ended;
  });
  await clock.advance(TIMEOUT_MS - 1);
  expect(result).toBeUndefined();
  await clock.advance(1);
  await done;
  expect(result).toEqual({ kind: 'failed', cause: 'timeout', message: 'No full answer within 15000 ms.', durationMs: TIMEOUT_MS });
}

describe('the timeout', () => {
  it('covers the lookup', async () => {
    const clock = new ManualClock();
    // On the system's clock, so that the guard's own limit has no part in this.
    const guard = new OutboundGuard({ policy: LOCAL_POLICY, lookup: () => new Promise(() => {}) });
    const client = new OutboundClient({ guard, clock });
    await timesOut(clock, client.send({ url: 'https://hook.test/', method: 'POST', headers: {}, body: '', timeoutMs: TIMEOUT_MS }));
  });

  it('covers the dial, and ends it', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    closing.push(() => silent.close());
    await once(silent, 'listening');
    const { clock, send } = sending();
    const call = send(`https://hook.test:${(silent.address() as AddressInfo).port}/`);
    const [socket] = (await once(silent, 'connection')) as [Socket];
    socket.resume();
    await timesOut(clock, call);
    await closed(socket);
  });

  it('covers the headers, and ends the connection', async () => {
    const target = opened(await Receiver.open({ answer: () => {} }));
    const { clock, send } = sending();
    const call = send(`http://hook.test:${target.port}/`);
    await target.arrived;
    await timesOut(clock, call);
    await closed(target.sockets[0]!);
  });

  it('covers the body, and ends the connection', async () => {
    const target = opened(await Receiver.open({ answer: (_request, response) => void response.writeHead(200).write('a beginning') }));
    const { clock, send } = sending();
    const read = headersRead();
    const call = send(`http://hook.test:${target.port}/`);
    await read;
    await timesOut(clock, call);
    await closed(target.sockets[0]!);
  });

  it('does not end an answer that comes in time', async () => {
    let finish = () => {};
    const target = opened(
      await Receiver.open({
        answer: (_request, response) => {
          response.writeHead(200).write('a beginning ');
          finish = () => response.end('and an end');
        },
      }),
    );
    const { clock, send } = sending();
    const read = headersRead();
    const call = send(`http://hook.test:${target.port}/`);
    await read;
    await clock.advance(TIMEOUT_MS - 1);
    finish();
    expect(await call).toMatchObject({ kind: 'answered', text: 'a beginning and an end', durationMs: TIMEOUT_MS - 1 });
    expect(clock.nextTimerAt()).toBeNull();
  });
});

describe('the caller', () => {
  it('ends a call under way by its signal', async () => {
    const target = opened(await Receiver.open({ answer: () => {} }));
    const { clock, send } = sending();
    const abort = new AbortController();
    const call = send(`http://hook.test:${target.port}/`, { signal: abort.signal });
    await target.arrived;
    abort.abort(new Error('s3cret'));
    expect(await call).toEqual({ kind: 'failed', cause: 'aborted', message: 'The caller ended the call.', durationMs: 0 });
    await closed(target.sockets[0]!);
    expect(clock.nextTimerAt()).toBeNull();
  });

  it('that had given up before sets nothing off', async () => {
    const target = opened(await Receiver.open());
    const { asked, send } = sending();
    const url = `http://hook.test:${target.port}/`;
    expect(await send(url, { signal: AbortSignal.abort() })).toMatchObject({ kind: 'failed', cause: 'aborted' });
    expect([asked.length, target.sockets.length]).toEqual([0, 0]);
    expect(await send(url, { signal: new AbortController().signal })).toMatchObject({ kind: 'answered' });
  });
});

describe('close', () => {
  it('ends the calls under way, and later ones set nothing off', async () => {
    const target = opened(await Receiver.open({ answer: () => {} }));
    const { asked, client, send } = sending();
    const url = `http://hook.test:${target.port}/`;
    const call = send(url);
    await target.arrived;
    await client.close();
    expect(await call).toMatchObject({ kind: 'failed', cause: 'aborted' });
    expect(await send(url)).toMatchObject({ kind: 'failed', cause: 'aborted', message: 'The client is closed.' });
    expect([asked.length, target.sockets.length]).toEqual([1, 1]);
  });
});
