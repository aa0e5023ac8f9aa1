import { type NotificationChannel, QUEUE, STORE } from '@bellhop/contracts';
import { ManualClock } from '@bellhop/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type RunningHost, runHost, until } from '../running-host.fixture.js';
import { isConsumerPath } from './consumer-auth.js';
import { HEALTH_CACHE_MS } from './health-routes.js';

const running: RunningHost[] = [];
afterEach(async () => {
  for (const { host } of running.splice(0)) await host.stop();
});

async function start(...args: Parameters<typeof runHost>): Promise<RunningHost> {
  const started = await runHost(...args);
  running.push(started);
  return started;
}

describe('notifications', () => {
  it('go from an emit to the inbox of each recipient', async () => {
    const { call } = await start();
    const emitted = await call('POST', '/v1/notifications', {
      body: {
        topic: 'order.placed',
        audience: ['user:ada', 'bob', 'ada'],
        payload: { title: 'Thank you', body: 'On its way', actionUrl: 'https://shop.example/1', extra: { deep: [1] } },
        severity: 'warning',
        source: { type: 'order', id: '1' },
        actorId: 'carol',
      },
    });
    expect(emitted.status).toBe(202);
    expect(emitted.body).toMatchObject({ deduped: false, enqueued: 2, delivered: 0, failed: 0, suppressed: [] });
    const { notificationId } = emitted.body;

    const inbox = await until(
      () => call('GET', '/v1/inbox/ada'),
      ({ body }) => body.items.length > 0,
    );
    expect(inbox.body).toMatchObject({
      items: [{ notificationId, title: 'Thank you', body: 'On its way', severity: 'warning', read: false, topic: 'order.placed' }],
      nextCursor: null,
      unreadCount: 1,
    });
    expect(
      (
        await until(
          () => call('GET', '/v1/inbox/bob'),
          ({ body }) => body.items.length > 0,
        )
      ).body.unreadCount,
    ).toBe(1);
    expect((await call('GET', `/v1/notifications/${notificationId}`)).body).toMatchObject({
      id: notificationId,
      payload: { title: 'Thank you', extra: { deep: [1] } },
      source: { type: 'order', id: '1' },
      actorId: 'carol',
    });
    const deliveries = await until(
      () => call('GET', '/v1/deliveries?status=success'),
      ({ body }) => body.items.length === 2,
    );
    expect(deliveries.body.items[0]).toMatchObject({ notificationId, channel: 'inbox', status: 'success', attempts: 1 });
    expect(Object.keys(deliveries.body.items[0])).not.toContain('slot');
  });

  it('are made once per dedup key', async () => {
    const { call } = await start();
    const body = { topic: 't', audience: 'ada', dedupKey: 'once' };
    const first = await call('POST', '/v1/notifications', { body });
    const second = await call('POST', '/v1/notifications', { body });
    expect(second.status).toBe(202);
    expect(second.body).toMatchObject({ notificationId: first.body.notificationId, deduped: true, enqueued: 0 });
  });

  it('list a channel that nobody registered as suppressed, and accept the rest', async () => {
    const { call } = await start();
    const { status, body } = await call('POST', '/v1/notifications', {
      body: { topic: 't', audience: 'ada', channels: ['inbox', 'pigeon'] },
    });
    expect(status).toBe(202);
    expect(body).toMatchObject({ enqueued: 1, suppressed: [{ channel: 'pigeon', reason: 'unregistered' }] });
  });

  it('reach the channels of the config', async () => {
    const sent: string[] = [];
    const pager: NotificationChannel = { id: 'pager', send: async (_ctx, { recipientId }) => ({ ok: sent.push(recipientId) > 0 }) };
    const { call } = await start({ channels: [pager] });
    await call('POST', '/v1/notifications', { body: { topic: 't', audience: 'ada', channels: ['pager'] } });
    await until(
      () => call('GET', '/v1/deliveries?status=success'),
      ({ body }) => body.items.length === 1,
    );
    expect(sent).toEqual(['ada']);
  });

  it('keep a payload as it was sent, whatever its keys', async () => {
    const { call } = await start();
    const payload = '{"title":"t","__proto__":{"a":1},"constructor":{"b":2},"empty":{},"nul":null,"big":9007199254740991,"tab":"\\t"}';
    const { body } = await call('POST', '/v1/notifications', { raw: `{"topic":"t","audience":"ada","payload":${payload}}` });
    const answer = await call('GET', `/v1/notifications/${body.notificationId}`);
    expect(JSON.stringify(answer.body.payload)).toBe(payload);
  });
});

describe('lists', () => {
  it('page through deliveries and through an inbox without gap or repeat', async () => {
    const { call } = await start();
    for (let n = 0; n < 7; n += 1) await call('POST', '/v1/notifications', { body: { topic: `t${n}`, audience: 'ada' } });
    await until(
      () => call('GET', '/v1/inbox/ada'),
      ({ body }) => body.items.length === 7,
    );
    for (const path of ['/v1/deliveries?limit=3', '/v1/inbox/ada?limit=3']) {
      const seen: string[] = [];
      let cursor: string | null = '';
      let pages = 0;
      while (cursor !== null) {
        const page: { body: { items: { topic: string }[]; nextCursor: string | null } } = await call(
          'GET',
          cursor === '' ? path : `${path}&cursor=${cursor}`,
        );
        seen.push(...page.body.items.map(({ topic }) => topic));
        cursor = page.body.nextCursor;
        pages += 1;
      }
      expect(seen).toEqual(['t6', 't5', 't4', 't3', 't2', 't1', 't0']);
      expect(pages).toBe(3);
    }
  });

  it('filter deliveries by status and notification, inboxes by read and topic', async () => {
    const { call } = await start({ messaging: { dispatch: false } });
    const { notificationId } = (await call('POST', '/v1/notifications', { body: { topic: 'a', audience: 'ada' } })).body;
    await call('POST', '/v1/notifications', { body: { topic: 'b', audience: 'ada' } });
    expect((await call('GET', '/v1/deliveries?status=pending')).body.items).toHaveLength(2);
    expect((await call('GET', '/v1/deliveries?status=dead')).body.items).toEqual([]);
    expect((await call('GET', `/v1/deliveries?notificationId=${notificationId}`)).body.items).toHaveLength(1);
  });
});

describe('the inbox', () => {
  it('marks messages read, by id and all at once, for that user only', async () => {
    const { call } = await start();
    for (const topic of ['a', 'b', 'c']) await call('POST', '/v1/notifications', { body: { topic, audience: ['ada', 'bob'] } });
    const { body } = await until(
      () => call('GET', '/v1/inbox/ada'),
      (answer) => answer.body.items.length === 3,
    );
    await until(
      () => call('GET', '/v1/inbox/bob'),
      (answer) => answer.body.items.length === 3,
    );
    const [first] = body.items;

    expect((await call('POST', '/v1/inbox/bob/read', { body: { ids: [first.id] } })).body).toEqual({ marked: 0 });
    expect((await call('POST', '/v1/inbox/ada/read', { body: { ids: [first.id] } })).body).toEqual({ marked: 1 });
    expect((await call('GET', '/v1/inbox/ada?read=true')).body).toMatchObject({ items: [{ id: first.id, read: true }], unreadCount: 2 });
    expect((await call('GET', '/v1/inbox/ada?read=false&topic=a')).body.items).toHaveLength(1);

    expect((await call('POST', '/v1/inbox/ada/read', { body: { all: true } })).body).toEqual({ marked: 2 });
    expect((await call('GET', '/v1/inbox/ada')).body.unreadCount).toBe(0);
    expect((await call('GET', '/v1/inbox/bob')).body.unreadCount).toBe(3);
  });
});

describe('health and documents', () => {
  it('tells health without a key: ok in memory, with durable false, and no secrets', async () => {
    const { call } = await start();
    const { status, body } = await call('GET', '/healthz', { key: null });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'ok',
      state: 'ready',
      plugins: { store: { status: 'ok', details: { durable: false } }, host: { status: 'ok' } },
    });
  });

  it('[503] tells a failing plugin, with the credentials of a URL in its reason hidden', async () => {
    const plugin = {
      name: 'broken',
      health: () => ({ status: 'failing' as const, reason: 'no answer from postgres://me:hunter2@db/app' }),
    };
    const { call } = await start({ plugins: [plugin] });
    const { status, body } = await call('GET', '/healthz', { key: null });
    expect(status).toBe(503);
    expect(body).toMatchObject({
      status: 'failing',
      plugins: { broken: { status: 'failing', reason: 'no answer from postgres://***@db/app' } },
    });
  });

  it('answers probes that come at once, and within a second, from one look', async () => {
    let looks = 0;
    const plugin = {
      name: 'counted',
      health() {
        looks += 1;
        return { status: 'ok' as const };
      },
    };
    const clock = new ManualClock();
    const { call } = await start({ plugins: [plugin] }, { clock });
    await Promise.all(Array.from({ length: 20 }, () => call('GET', '/healthz')));
    expect(looks).toBe(1);
    await clock.advance(HEALTH_CACHE_MS);
    await call('GET', '/healthz');
    expect(looks).toBe(2);
  });

  it('describes every route in /openapi.json', async () => {
    const { call } = await start();
    const { body } = await call('GET', '/openapi.json', { key: null });
    expect(body.openapi).toBe('3.1.0');
    expect(
      Object.entries(body.paths as Record<string, object>)
        .map(([path, methods]) => `${Object.keys(methods).join()} ${path}`)
        .toSorted(),
    ).toEqual([
      'delete /v1/endpoints/{endpoint}/notify-hooks/{id}',
      'delete /v1/endpoints/{endpoint}/webhooks/{id}',
      'delete /v1/notify-hooks/{id}',
      'get /healthz',
      'get /metrics',
      'get /v1/board/todos',
      'get /v1/board/todos/{id}',
      'get /v1/deliveries',
      'get /v1/doorbell',
      'get /v1/endpoints/{endpoint}',
      'get /v1/endpoints/{endpoint}/stall',
      'get /v1/inbox/{userId}',
      'get /v1/jobs/failed',
      'get /v1/notifications/{id}',
      'get /v1/queues',
      'get /v1/queues/{queue}/stats',
      'get /v1/schedules',
      'get /v1/schedules/{name}/preview',
      'get /v1/schedules/{name}/runs',
      'get /v1/todos/{id}',
      'get,delete /v1/jobs/{id}',
      'get,post /v1/todos',
      'post /v1/board/todos/{id}/discard-quarantined',
      'post /v1/board/todos/{id}/release-quarantined',
      'post /v1/board/todos/{id}/retry',
      'post /v1/endpoints/{endpoint}/notify-hooks/{id}/disable',
      'post /v1/endpoints/{endpoint}/notify-hooks/{id}/enable',
      'post /v1/endpoints/{endpoint}/notify-hooks/{id}/rotate',
      'post /v1/endpoints/{endpoint}/revoke',
      'post /v1/inbox/{userId}/read',
      'post /v1/jobs/{id}/cancel',
      'post /v1/jobs/{id}/complete',
      'post /v1/jobs/{id}/fail',
      'post /v1/jobs/{id}/heartbeat',
      'post /v1/jobs/{id}/release',
      'post /v1/jobs/{id}/replay',
      'post /v1/jobs/{id}/reschedule',
      'post /v1/notifications',
      'post /v1/notify-hooks/{id}/rotate',
      'post /v1/queues/{queue}/claim',
      'post /v1/queues/{queue}/jobs',
      'post /v1/queues/{queue}/pause',
      'post /v1/queues/{queue}/purge',
      'post /v1/queues/{queue}/replay',
      'post /v1/queues/{queue}/resume',
      'post /v1/schedules/{name}/pause',
      'post /v1/schedules/{name}/resume',
      'post /v1/schedules/{name}/trigger',
      'post /v1/todos/claim-next',
      'post /v1/todos/{id}/claim',
      'post /v1/todos/{id}/complete',
      'post /v1/todos/{id}/fail',
      'post /v1/todos/{id}/heartbeat',
      'post /v1/todos/{id}/release',
      'post /v1/todos/{id}/retry',
      'post /webhooks/w/{token}',
      'post,get /v1/endpoints',
      'post,get /v1/endpoints/{endpoint}/notify-hooks',
      'post,get /v1/endpoints/{endpoint}/todos',
      'post,get /v1/endpoints/{endpoint}/webhooks',
      'post,get /v1/notify-hooks',
      'put,delete /v1/schedules/{name}',
    ]);
    expect(body.components.schemas.Emit.required.toSorted()).toEqual(['audience', 'topic']);
    expect(body.paths['/v1/notifications'].post.responses[202].content['application/json'].schema.$ref).toBe(
      '#/components/schemas/EmitResult',
    );
  });

  it('describes the organization header on each operation under /v1 that takes an API key, and on no other', async () => {
    const { call } = await start();
    const { body } = await call('GET', '/openapi.json', { key: null });
    const named: string[] = [];
    const others: string[] = [];
    for (const [path, methods] of Object.entries(
      body.paths as Record<string, Record<string, { parameters?: { name: string; in: string }[] }>>,
    )) {
      for (const { parameters = [] } of Object.values(methods)) {
        const names = parameters.some((parameter) => parameter.name === 'Bellhop-Organization' && parameter.in === 'header');
        (names ? named : others).push(path);
      }
    }
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !path.startsWith('/v1/'))).toEqual([]);
    expect(others.filter((path) => !isConsumerPath(path)).toSorted()).toEqual(['/healthz', '/metrics', '/webhooks/w/{token}']);
    // An endpoint has its organization: whoever comes with its credential names none.
    expect(named.filter(isConsumerPath)).toEqual([]);
    expect(others.filter(isConsumerPath).length).toBeGreaterThan(10);
    // The path's own parameters are still there, and a second look adds nothing.
    const again = (await call('GET', '/openapi.json', { key: null })).body;
    expect(again).toEqual(body);
    expect(again.paths['/v1/notifications/{id}'].get.parameters.map(({ name }: { name: string }) => name)).toEqual([
      'id',
      'Bellhop-Organization',
    ]);
  });

  it('says what the result of an emit means, and which URL of a payload counts, as it is', async () => {
    const { call } = await start();
    const { schemas } = (await call('GET', '/openapi.json', { key: null })).body.components;
    const { deliveries, enqueued, delivered, failed } = schemas.EmitResult.properties;
    expect(deliveries.items.properties.ok.description).toMatch(/True once it is enqueued/);
    expect(enqueued.description).toMatch(/stored and will be made/);
    for (const { description } of [delivered, failed]) expect(description).toMatch(/only without an outbox/);
    expect(schemas.Emit.properties.payload.description).toMatch(/leads to `url`, else to `actionUrl`, else to the `source`/);

    const emit = async (payload: object) =>
      (await call('POST', '/v1/notifications', { body: { topic: 't', audience: 'ada', payload, source: { type: 'order', id: '1' } } }))
        .body;
    expect(await emit({ url: '/u', actionUrl: '/a' })).toMatchObject({ deliveries: [{ ok: true }], enqueued: 1, delivered: 0, failed: 0 });
    await emit({ actionUrl: '/a' });
    await emit({});
    const inbox = await until(
      () => call('GET', '/v1/inbox/ada'),
      ({ body }) => body.items.length === 3,
    );
    expect(inbox.body.items.map(({ actionUrl }: { actionUrl: string }) => actionUrl)).toEqual(['/order/1', '/a', '/u']);
  });
});

describe('metrics', () => {
  it('count statements by label and dialect, requests by route, and the loop, on a registry of this host', async () => {
    const [{ call }, other] = [await start(), await start()];
    await call('POST', '/v1/notifications', { body: { topic: 't', audience: 'ada' } });
    await until(
      () => call('GET', '/v1/inbox/ada'),
      ({ body }) => body.items.length > 0,
    );
    const { body, headers } = await call('GET', '/metrics');
    expect(headers.get('content-type')).toMatch(/^text\/plain/);
    expect(body).toMatch(/^bellhop_store_statements_total\{label="outbox\.survey",dialect="sqlite"\} [1-9]/m);
    expect(body).toMatch(/^bellhop_store_transactions_total\{dialect="sqlite"\} \d/m);
    expect(body).toMatch(/^bellhop_store_round_trips_total\{dialect="sqlite"\} 0$/m);
    expect(body).toMatch(/^bellhop_loop_ticks_total\{loop="notifications"\} [1-9]/m);
    expect(body).toMatch(/^bellhop_loop_wakes_total\{loop="notifications"\} [1-9]/m);
    expect(body).toMatch(/^bellhop_dispatcher_delivered_total\{loop="notifications"\} 1$/m);
    expect(body).toMatch(/^bellhop_outbox_oldest_due_age_seconds\{channel="inbox",mounted="true"\} 0$/m);
    expect(body).toMatch(/^bellhop_http_requests_total\{method="POST",route="\/v1\/notifications",status="202"\} 1$/m);
    expect(body).toMatch(/^process_resident_memory_bytes \d/m);
    expect((await other.call('GET', '/metrics')).body).not.toContain('route="/v1/notifications"');
  });

  it('show the queue worker and its loop, and nothing of one that does not run', async () => {
    const [{ call, host }, idle] = [await start(), await start({ queue: { work: false } })];
    const queue = host.kernel.resolve(QUEUE);
    queue.subscribe('mail', ({ data }) => {
      if (data === 'bad') throw new Error('no such mailbox');
    });
    await queue.publishMany('mail', [{ data: 'good' }, { data: 'bad', options: { maxAttempts: 1 } }]);
    const { body } = await until(
      () => call('GET', '/metrics'),
      (answer) => answer.body.includes('bellhop_queue_dead_total 1'),
    );
    expect(body).toMatch(/^bellhop_queue_claimed_total 2$/m);
    expect(body).toMatch(/^bellhop_queue_subscriptions 1$/m);
    expect(body).toMatch(/^bellhop_loop_ticks_total\{loop="queue"\} [1-9]/m);
    expect(body).toMatch(/^bellhop_loop_lateness_seconds\{loop="queue",of="last"\} \d/m);
    const other = (await idle.call('GET', '/metrics')).body;
    expect(other).not.toMatch(/bellhop_queue_claimed|loop="queue"/);
    expect(other).toContain('loop="notifications"');
    expect((await idle.call('GET', '/healthz')).body.plugins['service-queue']).toMatchObject({ status: 'ok', details: { working: false } });
  });

  it('tell how long the oldest due delivery has waited', async () => {
    const { call, host } = await start({ messaging: { dispatch: false } });
    await call('POST', '/v1/notifications', { body: { topic: 't', audience: 'ada' } });
    const store = host.kernel.resolve(STORE);
    await store.knex('notification_delivery').update({ due_at: store.clock.now() - 90_000 });
    const age = /^bellhop_outbox_oldest_due_age_seconds\{channel="inbox",mounted="true"\} (\S+)$/m;
    const seconds = Number(age.exec((await call('GET', '/metrics')).body)?.[1]);
    expect(seconds).toBeGreaterThanOrEqual(90);
    expect(seconds).toBeLessThan(150);
  });

  it('show the findings of the tenant audit', async () => {
    const { call, host } = await start();
    expect((await call('GET', '/metrics')).body).not.toMatch(/^bellhop_tenant_findings_total\{/m);
    const store = host.kernel.resolve(STORE);
    const careless = {
      label: 'careless',
      operation: 'delete',
      table: 'inbox_message',
      sql: { sqlite: 'DELETE FROM inbox_message', postgres: '' },
    } as const;
    await store.write(careless, {}, undefined);
    expect((await call('GET', '/metrics')).body).toMatch(/^bellhop_tenant_findings_total\{table="inbox_message",operation="delete"\} 1$/m);
  });
});
