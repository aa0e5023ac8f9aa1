import { SecretSealer } from '@bellhop/outbound';
import { ManualClock } from '@bellhop/testing';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BoardDatabase, boardDatabase, type SeededEndpoint, seedEndpoint, seedTodo } from '../stores/board-stores.fixture.js';
import { SHARES } from './delivery-queue.js';
import { answered, failed, happening, notifyBench, type Receiver, ready } from './notify-bench.fixture.js';
import { WAKES_MAX } from './wake-queue.js';

const KEYS = ['attempt', 'created_at', 'endpoint', 'kind', 'queue', 'reason', 'source', 'summary', 'todo_id', 'type'];

describe('NotifyDispatcher', () => {
  let board: BoardDatabase;
  let clock: ManualClock;
  let endpoint: SeededEndpoint;

  beforeAll(async () => {
    board = await boardDatabase('sqlite');
    clock = board.clock;
  });
  afterAll(() => board.database.drop());
  beforeEach(async () => {
    await board.empty();
    endpoint = await seedEndpoint(board.store, { slug: 'builder', queues: ['work', 'mail'] });
  });
  afterEach(() => expect(board.store.audit.findings()).toEqual([]));

  const bench = (receiver?: Receiver, max?: number) => notifyBench({ store: board.store, clock, receiver, max });
  const set = (table: string, id: string, values: Record<string, unknown>) => board.store.knex(table).where({ id }).update(values);
  const seed = () => seedTodo(board.store, { endpointId: endpoint.id });

  it('sends exactly the keys of a notification, signed, and nothing of the payload', async () => {
    const on = bench();
    const { secret } = await on.hook(endpoint, 'https://hook.example/in?token=query-secret');
    const id = await seed();
    await set('board_todo', id, { kind: 'push', title: 'Build', payload: '{"secret":"payload-text"}' });
    on.dispatcher.take(ready(endpoint, id), 'created', 'wake-1');
    await on.run(0);
    expect(on.outcomes).toEqual([{ todo: ready(endpoint, id), reason: 'created', outcome: 'delivered', wakeId: 'wake-1' }]);
    const [request] = on.requests;
    const [body] = on.bodies();
    expect(Object.keys(body as object).sort()).toEqual(KEYS);
    expect(body).toEqual({
      type: 'todo.ready',
      reason: 'created',
      todo_id: id,
      queue: 'work',
      kind: 'push',
      source: 'operator',
      summary: 'Build',
      endpoint: 'builder',
      attempt: 0,
      created_at: new Date(clock.now()).toISOString(),
    });
    expect(request).toMatchObject({ method: 'POST', timeoutMs: 5_000 });
    expect(request?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'bellhop/1.2.3' });
    expect(request?.headers['webhook-id']).toMatch(/^msg_/);
    // The official library reads the machine's clock.
    vi.useFakeTimers({ now: clock.now(), toFake: ['Date'] });
    try {
      const headers = request?.headers as Record<string, string>;
      expect(new Webhook(secret).verify(request?.body ?? '', headers)).toEqual(body);
      const other = new Webhook(`whsec_${Buffer.alloc(32, 1).toString('base64')}`);
      expect(() => other.verify(request?.body ?? '', headers)).toThrow();
    } finally {
      vi.useRealTimers();
    }
    expect(on.dispatcher.counters()).toMatchObject({ wakes: { delivered: 1 }, deliveries: { delivered: 1 }, attempts: { '2xx': 1 } });
    expect((await on.hooks.of(endpoint).list()).items[0]).toMatchObject({ failures: 0, lastOutcome: '2xx', lastAttemptAt: clock.now() });
  });

  it('leaves a kind out that is null, and logs neither payload, query nor secret of a failure', async () => {
    const on = bench(() => failed('network'));
    const { id: hookId, secret } = await on.hook(endpoint, 'https://hook.example/in?token=query-secret');
    const id = await seed();
    await set('board_todo', id, { payload: '{"secret":"payload-text"}' });
    on.dispatcher.take(ready(endpoint, id), 'created');
    await on.run(10_000);
    expect(Object.keys(on.bodies()[0] as object).sort()).toEqual(KEYS.filter((key) => key !== 'kind'));
    expect(on.requests).toHaveLength(3);
    const logged = JSON.stringify(on.lines);
    // The control: the failure is in the log.
    expect(logged).toContain(hookId);
    for (const text of ['payload-text', 'query-secret', secret, 'hook.example']) expect(logged).not.toContain(text);
    for (const { body } of on.requests) expect(body).not.toContain('payload-text');
  });

  it('tries three times, after 1 s and 5 s, under one id, each with its own time', async () => {
    const on = bench(() => failed('network'));
    await on.hook(endpoint);
    const id = await seed();
    const times: number[] = [];
    const began = clock.now();
    on.dispatcher.take(ready(endpoint, id), 'created');
    for (const ms of [0, 999, 1, 4_999, 1, 60_000]) {
      await on.run(ms);
      times.push(on.requests.length);
    }
    expect(times).toEqual([1, 1, 2, 2, 3, 3]);
    expect(new Set(on.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(on.requests.map(({ headers }) => Number(headers['webhook-timestamp']) * 1_000 - began)).toEqual([0, 1_000, 6_000]);
    expect(new Set(on.bodies().map(({ created_at: at }) => at)).size).toBe(1);
    expect(on.outcomes.map(({ outcome }) => outcome)).toEqual(['failed']);
    expect((await on.hooks.of(endpoint).list()).items[0]).toMatchObject({ failures: 1, lastOutcome: 'network' });
    expect(on.dispatcher.counters().attempts.network).toBe(3);
  });

  it.each([
    ['401', answered(401), 1, '4xx'],
    ['302', answered(302), 1, '3xx'],
    ['a refusal by the guard', failed('refused'), 1, 'refused'],
    ['408', answered(408), 3, '4xx'],
    ['429', answered(429), 3, '4xx'],
    ['503', answered(503), 3, '5xx'],
    ['a timeout', failed('timeout'), 3, 'timeout'],
    ['a TLS error', failed('tls'), 3, 'tls'],
    ['a DNS failure', failed('dns'), 3, 'dns'],
  ])('after %s: %i attempts', async (_what, result, attempts, lastOutcome) => {
    const on = bench(() => result as ReturnType<typeof answered>);
    await on.hook(endpoint);
    on.dispatcher.take(ready(endpoint, await seed()), 'created');
    await on.run(10_000);
    expect(on.requests).toHaveLength(attempts as number);
    expect((await on.hooks.of(endpoint).list()).items[0]).toMatchObject({ failures: 1, lastOutcome });
    expect(on.outcomes.map(({ outcome }) => outcome)).toEqual(['failed']);
  });

  it('signs with both secrets for 24 hours after a rotation, and reads them anew before each attempt', async () => {
    const on = bench((_request, call) => answered(call === 1 ? 503 : 200));
    const { id: hookId, secret: old } = await on.hook(endpoint);
    on.dispatcher.take(ready(endpoint, await seed()), 'created');
    await on.run(0);
    const { signingSecret: fresh } = await on.hooks.of(endpoint).rotate(hookId);
    await on.run(1_000);
    expect(on.requests.map(({ headers }) => headers['webhook-signature']?.split(' ').length)).toEqual([1, 2]);
    vi.useFakeTimers({ now: clock.now(), toFake: ['Date'] });
    try {
      for (const secret of [old, fresh]) {
        const { body, headers } = on.requests[1] as (typeof on.requests)[1];
        expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toBeTruthy();
      }
    } finally {
      vi.useRealTimers();
    }
    await on.run(24 * 3_600_000);
    on.dispatcher.take(ready(endpoint, await seed()), 'created');
    await on.run(0);
    expect(on.requests[2]?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
  });

  describe('between two attempts', () => {
    const cases: [string, (hookId: string) => Promise<unknown>, number][] = [
      ['nothing changes', async () => undefined, 3],
      ['the endpoint is revoked', () => set('board_endpoint', endpoint.id, { state: 'revoked' }), 1],
      ['the endpoint expires', () => set('board_endpoint', endpoint.id, { expires_at: clock.now() }), 1],
      ['the queue leaves the scope', () => set('board_endpoint', endpoint.id, { queues: '["mail"]' }), 1],
      ['the hook is disabled', (hookId) => set('board_notify_hook', hookId, { enabled: 0 }), 1],
      ['the filter leaves the queue out', (hookId) => set('board_notify_hook', hookId, { queues: '["mail"]' }), 1],
      ['the hook is deleted', (hookId) => board.store.knex('board_notify_hook').where({ id: hookId }).delete(), 1],
      ['the todo is claimed', () => board.store.knex('board_todo').update({ state: 'claimed' }), 1],
    ];
    it.each(cases)('%s', async (_what, change, attempts) => {
      const on = bench(() => answered(503));
      const { id: hookId } = await on.hook(endpoint);
      on.dispatcher.take(ready(endpoint, await seed()), 'created');
      await on.run(0);
      await change(hookId);
      await on.run(10_000);
      expect(on.requests).toHaveLength(attempts);
      expect(on.outcomes.map(({ outcome }) => outcome)).toEqual(['failed']);
    });

    it('G14: another todo takes the place of one that was claimed, under the same id', async () => {
      const on = bench((_request, call) => answered(call === 1 ? 503 : 200));
      await on.hook(endpoint);
      const [first, second] = [await seed(), await seed()];
      on.dispatcher.take(ready(endpoint, first), 'created');
      await on.run(0);
      await set('board_todo', first, { state: 'claimed' });
      await on.run(1_000);
      expect(on.bodies().map(({ todo_id: id }) => id)).toEqual([first, second]);
      expect(new Set(on.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(on.outcomes).toEqual([{ todo: ready(endpoint, first), reason: 'created', outcome: 'delivered', wakeId: undefined }]);
    });
  });

  it('disables a hook whose deliveries fail ten times in a row, over two dispatchers on one database', async () => {
    const one = bench(() => answered(500));
    const two = notifyBench({ store: board.second, clock, receiver: () => answered(500) });
    await one.hook(endpoint);
    const id = await seed();
    for (let wake = 0; wake < 12; wake += 1) {
      const on = wake % 2 ? one : two;
      on.dispatcher.take(ready(endpoint, id), 'requeued');
      await on.run(10_000);
    }
    expect(one.requests.length + two.requests.length).toBe(30);
    expect((await one.hooks.of(endpoint).list()).items[0]).toMatchObject({
      enabled: false,
      disabledReason: 'consecutive_failures',
      failures: 10,
    });
    expect(one.dispatcher.counters().hooksDisabled + two.dispatcher.counters().hooksDisabled).toBe(1);
    expect([...one.outcomes, ...two.outcomes].filter(({ outcome }) => outcome === 'suppressed')).toHaveLength(2);
    expect([...one.lines, ...two.lines].filter(({ message }) => message.includes('was disabled'))).toHaveLength(1);
  });

  it('does not let a hook that hangs delay its sibling, whatever waits for it', async () => {
    const hung: (() => void)[] = [];
    const dead = 'https://dead.example/';
    const on = bench(({ url }) => (url === dead ? new Promise((resolve) => hung.push(() => resolve(failed('timeout')))) : answered(200)));
    await on.hook(endpoint, dead);
    await on.hook(endpoint, 'https://alive.example/');
    const id = await seed();
    const alive = happening();
    let heard = 0;
    const { hooks } = on;
    const noteSuccess = hooks.noteSuccess.bind(hooks);
    vi.spyOn(hooks, 'noteSuccess').mockImplementation(async (...given) => {
      await noteSuccess(...given);
      heard += 1;
      if (heard === 20) alive.now();
    });
    for (let wake = 0; wake < 20; wake += 1) on.dispatcher.take(ready(endpoint, id), 'created');
    await alive.happened;
    expect(on.requests.filter(({ url }) => url === dead)).toHaveLength(2);
    expect(on.requests.filter(({ url }) => url !== dead)).toHaveLength(20);
    expect(on.outcomes).toEqual([]);
    const stopped = on.dispatcher.stop();
    for (const release of hung) release();
    await stopped;
    // A sibling that was told makes each of them a delivered wake.
    expect(on.outcomes.map(({ outcome }) => outcome)).toEqual(Array(20).fill('delivered'));
  });

  it('does not let all hooks of an endpoint that hang keep another organization from hearing', async () => {
    const hung: (() => void)[] = [];
    const on = bench(({ url }) =>
      url === 'https://alive.example/' ? answered(200) : new Promise((resolve) => hung.push(() => resolve(failed('timeout')))),
    );
    for (let hook = 0; hook < 5; hook += 1) await on.hook(endpoint);
    const id = await seed();
    for (let wake = 0; wake < 50; wake += 1) on.dispatcher.take(ready(endpoint, id), 'created');
    const other = await seedEndpoint(board.store, { organizationId: 'other' });
    await on.hook(other, 'https://alive.example/');
    const heard = new Promise<string>((resolve) => on.dispatcher.onOutcome(({ outcome }) => resolve(outcome)));
    on.dispatcher.take(ready(other, await seedTodo(board.store, { endpointId: other.id, organizationId: 'other' })), 'created');
    expect(await heard).toBe('delivered');
    expect(hung).toHaveLength(SHARES.endpoint.atWork);
    const stopped = on.dispatcher.stop();
    for (const release of hung) release();
    await stopped;
  });

  it.each([
    [[200, 200], 'delivered'],
    [[500, 200], 'delivered'],
    [[401, 401], 'failed'],
  ])('over hooks that answer %j a wake is %s', async (statuses, outcome) => {
    const on = bench(({ url }) => answered(Number(new URL(url).pathname.slice(1))));
    for (const status of statuses as number[]) await on.hook(endpoint, `https://hook.example/${status}`);
    on.dispatcher.take(ready(endpoint, await seed()), 'created', 'w');
    await on.run(10_000);
    expect(on.outcomes.map((each) => [each.wakeId, each.outcome])).toEqual([['w', outcome]]);
  });

  it('suppresses a wake without a hook, and asks nothing where hooks are switched off', async () => {
    const on = bench();
    const id = await seed();
    on.dispatcher.take(ready(endpoint, id), 'created');
    await on.run(0);
    expect(on.outcomes.map(({ outcome }) => outcome)).toEqual(['suppressed']);
    await on.hook(endpoint);
    const off = bench(undefined, 0);
    const cost = await board.cost(async () => {
      off.dispatcher.take(ready(endpoint, id), 'created');
      await off.run(0);
    });
    expect(cost.statements).toBe(0);
    expect(off.outcomes.map(({ outcome }) => outcome)).toEqual(['suppressed']);
    // The control: the same wake reaches the hook where they are on.
    on.dispatcher.take(ready(endpoint, id), 'created');
    await on.run(0);
    expect(on.requests).toHaveLength(1);
  });

  it('drops what finds no room, counts it, and says so once', async () => {
    const on = bench();
    const id = await seed();
    // Eight workers take one each at once; the rest waits.
    const fits = WAKES_MAX + 4;
    for (let wake = 0; wake < fits + 5; wake += 1) on.dispatcher.take(ready(endpoint, id), 'created');
    expect(on.outcomes.map(({ outcome }) => outcome)).toEqual(Array(5).fill('dropped'));
    expect(on.lines.filter(({ fields }) => fields.reason === 'wakes_full')).toHaveLength(1);
    await on.run(0);
    expect(on.dispatcher.counters()).toMatchObject({ wakes: { dropped: 5, suppressed: fits }, dropped: { wakes_full: 5 } });
  });

  it('gives one hook its share of the room, and a minute 120 POSTs', async () => {
    const on = bench();
    await on.hook(endpoint);
    const id = await seed();
    for (let wake = 0; wake < 125; wake += 1) on.dispatcher.take(ready(endpoint, id), 'created');
    await on.run(0);
    expect(on.requests).toHaveLength(120);
    expect(on.dispatcher.counters()).toMatchObject({ wakes: { delivered: 120, dropped: 5 }, dropped: { rate_limited: 5 } });
    await on.run(60_000);
    on.dispatcher.take(ready(endpoint, id), 'created');
    await on.run(0);
    expect(on.requests).toHaveLength(121);

    const hung: (() => void)[] = [];
    const full = bench(() => new Promise((resolve) => hung.push(() => resolve(answered(200)))));
    const dropped = happening();
    full.dispatcher.onOutcome(() => dropped.now());
    for (let wake = 0; wake <= SHARES.hook.begun; wake += 1) full.dispatcher.take(ready(endpoint, id), 'created');
    await dropped.happened;
    expect(full.outcomes.map(({ outcome }) => outcome)).toEqual(['dropped']);
    expect(full.dispatcher.counters().dropped.deliveries_full).toBe(1);
    const stopped = full.dispatcher.stop();
    for (const release of hung) release();
    await stopped;
    expect(full.outcomes).toHaveLength(SHARES.hook.begun + 1);
  });

  it('stops: what waits is dropped, what is under way is ended, and nothing is sent after', async () => {
    const begun = happening();
    const on = bench(({ signal, url }) => {
      if (url.includes('retried')) return answered(503);
      begun.now();
      return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(failed('aborted'))));
    });
    const retried = await seedEndpoint(board.store);
    await on.hook(retried, 'https://retried.example/');
    await on.hook(endpoint, 'https://hung.example/');
    on.dispatcher.take(ready(retried, await seedTodo(board.store, { endpointId: retried.id })), 'created');
    await on.run(0);
    on.dispatcher.take(ready(endpoint, await seed()), 'created');
    await begun.happened;
    await on.dispatcher.stop();
    await on.dispatcher.stop();
    expect(on.outcomes.map(({ outcome }) => outcome)).toEqual(['dropped', 'dropped']);
    expect((await on.hooks.of(endpoint).list()).items[0]).toMatchObject({ failures: 0, lastAttemptAt: null });
    on.dispatcher.take(ready(endpoint, await seed()), 'created');
    await on.run(10_000);
    expect(on.requests).toHaveLength(2);
    expect(on.outcomes).toHaveLength(3);
  });

  it('stops only when those who listen are through with what its stop dropped', async () => {
    const on = bench(({ signal }) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve(failed('aborted')))));
    const [told, written] = [happening(), happening()];
    on.dispatcher.onOutcome(async ({ outcome }) => {
      expect(outcome).toBe('dropped');
      told.now();
      await written.happened;
    });
    await on.hook(endpoint);
    on.dispatcher.take(ready(endpoint, await seed()), 'stalled');
    let stopped = false;
    const stopping = on.dispatcher.stop().then(() => {
      stopped = true;
    });
    await told.happened;
    await on.dispatcher.settled();
    // Whatever would go on by itself has.
    await new Promise((resolve) => setImmediate(resolve));
    expect(stopped).toBe(false);
    written.now();
    await stopping;
  });

  it('holds nothing against a hook whose todo was claimed after its first POST: its receiver may be slow to answer, and its consumer at work', async () => {
    const on = bench(() => failed('timeout'));
    const hook = await on.hook(endpoint);
    for (let n = 0; n < 10; n += 1) {
      const id = await seed();
      on.dispatcher.take(ready(endpoint, id), 'created');
      await on.run(0);
      await board.store.knex('board_todo').where({ id }).update({ state: 'claimed' });
      await on.run(10_000);
    }
    expect(on.requests).toHaveLength(10);
    expect(on.outcomes.map(({ outcome }) => outcome)).toEqual(Array(10).fill('failed'));
    expect((await on.hooks.of(endpoint).list()).items).toMatchObject([{ failures: 0, enabled: true }]);
    // The control: a todo that stays brings all three, and the delivery is held against the hook.
    on.dispatcher.take(ready(endpoint, await seed()), 'created');
    await on.run(10_000);
    expect((await on.hooks.of(endpoint).list()).items).toMatchObject([{ failures: 1 }]);
    expect(hook).toBeDefined();
  });

  it('holds a secret that cannot be read against nobody', async () => {
    const on = bench();
    const { id: hookId } = await on.hook(endpoint);
    await set('board_notify_hook', hookId, { secret: 'whsec_plain' });
    on.dispatcher.take(ready(endpoint, await seed()), 'created');
    await on.run(10_000);
    expect(on.requests).toHaveLength(0);
    expect(on.outcomes.map(({ outcome }) => outcome)).toEqual(['failed']);
    expect((await on.hooks.of(endpoint).list()).items[0]).toMatchObject({ failures: 0 });
    expect(on.lines.map(({ fields }) => fields.reason)).toEqual(['secret']);
    expect(JSON.stringify(on.lines)).not.toContain('whsec_plain');
  });

  it('signs with the new secret alone where the old one cannot be read any more', async () => {
    const on = bench();
    const { id: hookId } = await on.hook(endpoint);
    const { signingSecret: fresh } = await on.hooks.of(endpoint).rotate(hookId);
    const elsewhere = SecretSealer.fromKey(Buffer.alloc(32, 9).toString('base64'));
    await set('board_notify_hook', hookId, { previous_secret: elsewhere.seal('whsec_old', hookId) });
    on.dispatcher.take(ready(endpoint, await seed()), 'created');
    await on.run(0);
    const [request] = on.requests;
    const id = String(request?.headers['webhook-id']);
    const at = new Date(Number(request?.headers['webhook-timestamp']) * 1_000);
    expect(request?.headers['webhook-signature']).toBe(new Webhook(fresh).sign(id, at, request?.body ?? ''));
    expect(on.outcomes.map(({ outcome }) => outcome)).toEqual(['delivered']);
  });

  it('holds failed deliveries against no hook once it is told to forgive, and says why a target was refused', async () => {
    const on = bench(() => ({ ...failed('refused'), message: 'url: http is not allowed here' }) as ReturnType<typeof failed>);
    await on.hook(endpoint);
    const failures = async () => {
      on.dispatcher.take(ready(endpoint, await seed()), 'created');
      await on.run(0);
      return (await on.hooks.of(endpoint).list()).items[0]?.failures;
    };
    expect(await failures()).toBe(1);
    expect(on.lines[0]?.fields).toMatchObject({ outcome: 'refused', why: 'url: http is not allowed here' });
    on.dispatcher.forgiveFailures();
    expect(await failures()).toBe(1);
    expect(on.outcomes.map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
  });

  it('lets a listener that throws keep no other from hearing', async () => {
    const on = notifyBench({ store: board.store, clock: new ManualClock() });
    const heard: string[] = [];
    on.dispatcher.onOutcome(() => {
      throw new Error('broken');
    });
    const end = on.dispatcher.onOutcome(({ outcome }) => void heard.push(outcome));
    on.dispatcher.take(ready(endpoint, 'td_none'), 'created');
    await on.run(0);
    end();
    on.dispatcher.take(ready(endpoint, 'td_none'), 'created');
    await on.run(0);
    expect(heard).toEqual(['suppressed']);
    expect(on.outcomes).toHaveLength(2);
  });
});
