import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WakeOutcome } from '@bellhop/contracts';
import { systemClock } from '@bellhop/kernel';
import { OutboundClient, OutboundGuard, verifyWebhook } from '@bellhop/outbound';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BoardDatabase, boardDatabase, seedEndpoint, seedTodo } from '../stores/board-stores.fixture.js';
import { NotifyHookStore } from '../stores/notify-hook-store.js';
import { arrivals, ready, recordingLogger, sealer } from './notify-bench.fixture.js';
import { NotifyDispatcher } from './notify-dispatcher.js';

/** The whole way: a stored todo, the real client and its guard, a socket, and a receiver that verifies. */
describe('a notification over HTTP', () => {
  const received = arrivals<{ headers: IncomingMessage['headers']; body: Buffer }>();
  const outcomes = arrivals<WakeOutcome>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.deliver({ headers: request.headers, body: Buffer.concat(chunks) });
      response.writeHead(204).end();
    });
  });
  let board: BoardDatabase;
  let url: string;

  beforeAll(async () => {
    board = await boardDatabase('sqlite');
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await board.database.drop();
  });

  it('arrives where it is allowed to, and nowhere else', async () => {
    const { store } = board;
    const clock = systemClock;
    const guard = new OutboundGuard({ policy: { allowHttp: true, allowCidrs: ['127.0.0.1/32'] } });
    const strict = new OutboundGuard({ policy: {} });
    const hooks = new NotifyHookStore({ store, sealer, guard });
    const endpoint = await seedEndpoint(store, { slug: 'builder' });
    await expect(new NotifyHookStore({ store, sealer, guard: strict }).of(endpoint).create({ url })).rejects.toMatchObject({ path: 'url' });
    const { hook, signingSecret } = await hooks.of(endpoint).create({ url });
    const id = await seedTodo(store, { endpointId: endpoint.id });
    const dispatcherWith = (by: OutboundGuard) => {
      const client = new OutboundClient({ guard: by, clock });
      const dispatcher = new NotifyDispatcher({
        store,
        hooks,
        client,
        sealer,
        clock,
        random: () => 0.5,
        logger: recordingLogger([]),
        version: '1.2.3',
      });
      dispatcher.onOutcome((outcome) => outcomes.deliver(outcome));
      return dispatcher;
    };
    const dispatcher = dispatcherWith(guard);
    dispatcher.take(ready(endpoint, id), 'created', 'first');
    const { headers, body } = await received.take();
    expect(verifyWebhook({ headers, body, secret: signingSecret, nowMs: clock.now() })).toBe(true);
    expect(JSON.parse(body.toString())).toMatchObject({ type: 'todo.ready', todo_id: id, endpoint: 'builder' });
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'bellhop/1.2.3' });
    expect(await outcomes.take()).toMatchObject({ wakeId: 'first', outcome: 'delivered' });
    // The policy that no longer admits the address refuses before anything is sent, though the hook was made under another.
    const refusing = dispatcherWith(strict);
    refusing.take(ready(endpoint, id), 'created', 'second');
    expect(await outcomes.take()).toMatchObject({ wakeId: 'second', outcome: 'failed' });
    expect((await hooks.of(endpoint).list()).items).toMatchObject([{ id: hook.id, failures: 1, lastOutcome: 'refused' }]);
    // A later wake has an id of its own.
    dispatcher.take(ready(endpoint, id), 'requeued', 'third');
    const again = await received.take();
    expect(await outcomes.take()).toMatchObject({ wakeId: 'third', outcome: 'delivered' });
    expect(again.headers['webhook-id']).not.toBe(headers['webhook-id']);
    expect(JSON.parse(again.body.toString())).toMatchObject({ reason: 'requeued' });
    await Promise.all([dispatcher.stop(), refusing.stop()]);
  });
});
