import { TEST_STORE_NAMES } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LogLine, recordingLogger } from '../notify/notify-bench.fixture.js';
import { RING_WAITS_MS } from '../sql/doorbell.js';
import {
  type BoardDatabase,
  boardDatabase,
  type SeededEndpoint,
  seedEndpoint,
  seedTodo,
  type TodoSeed,
} from '../stores/board-stores.fixture.js';
import { Doorbell, type PendingTodo } from './doorbell.js';
import type { RingEvent } from './doorbell-sessions.js';

const MINUTE = 60_000;

describe.each(TEST_STORE_NAMES)('Doorbell on %s', (name) => {
  let board: BoardDatabase;
  let lines: LogLine[];
  beforeAll(async () => {
    board = await boardDatabase(name);
  });
  afterAll(() => board.database.drop());
  beforeEach(async () => {
    lines = [];
    await board.empty();
  });
  afterEach(() => {
    expect(board.store.audit.findings()).toEqual([]);
    expect(lines).toEqual([]);
  });

  const doorbellOn = (store = board.store) => new Doorbell({ store, clock: board.clock, logger: recordingLogger(lines) });
  const seed = (endpoint: SeededEndpoint, more: Partial<TodoSeed> = {}) => seedTodo(board.store, { endpointId: endpoint.id, ...more });
  const setTodo = (id: string, values: Record<string, unknown>) => board.store.knex('board_todo').where({ id }).update(values);
  const ringsOf = async (id: string) =>
    Number(((await board.store.knex('board_todo').where({ id }).first('ring_attempts')) as { ring_attempts: number }).ring_attempts);

  const pending = (endpoint: SeededEndpoint, id: string, more: Partial<PendingTodo> = {}): PendingTodo => ({
    id,
    endpointId: endpoint.id,
    queue: 'work',
    assignee: null,
    attemptsTotal: 0,
    ...more,
  });

  /** Attaches a session, and waits until it was rung for what is there. */
  async function attach(doorbell: Doorbell, endpoint: SeededEndpoint, queues = endpoint.queues, capacity = 100) {
    const rings: RingEvent[] = [];
    const heard = { rings, capacity, closes: 0, ids: () => rings.splice(0).map(({ todoId }) => todoId), detach: () => {} };
    heard.detach = doorbell.attach({
      endpointId: endpoint.id,
      queues,
      onRing: (event) => rings.length < heard.capacity && rings.push(event) > 0,
      room: () => heard.capacity - rings.length,
      onClose: () => {
        heard.closes += 1;
      },
    });
    await doorbell.settled();
    return heard;
  }

  it('rings whoever attaches for the oldest three of its queues, once a minute, from the same budget', async () => {
    const doorbell = doorbellOn();
    const endpoint = await seedEndpoint(board.store, { queues: ['work', 'mail'] });
    const now = board.clock.now();
    const ids: string[] = [];
    for (const age of [50, 40, 30, 20, 10]) ids.push(await seed(endpoint, { pendingSince: now - age }));
    const older = { pendingSince: now - 1_000 };
    await seed(endpoint, { ...older, queue: 'mail' });
    await seed(endpoint, { ...older, gate: false });
    await seed(endpoint, { ...older, assignee: 'somebody' });
    await seed(endpoint, { ...older, state: 'claimed' });
    await seed(endpoint, { ...older, queue: 'quarantine' });
    await setTodo(await seed(endpoint, older), { ring_attempts: 5 });
    const first = await attach(doorbell, endpoint, ['work']);
    expect(first.rings[0]).toEqual({ todoId: ids[0], queue: 'work', reason: 'attach' });
    expect(first.ids()).toEqual(ids.slice(0, 3));
    const second = await attach(doorbell, endpoint, ['work']);
    expect([first.ids(), second.ids()]).toEqual([[], ids.slice(3)]);
    await board.clock.advance(MINUTE - 1);
    expect((await attach(doorbell, endpoint, ['work'])).ids()).toEqual([]);
    await board.clock.advance(1);
    expect((await attach(doorbell, endpoint, ['work'])).ids()).toEqual(ids.slice(0, 3));
    expect(await ringsOf(ids[0] as string)).toBe(2);
  });

  it('rings nobody who attaches to an endpoint that is revoked or expired', async () => {
    const doorbell = doorbellOn();
    const endpoint = await seedEndpoint(board.store);
    const id = await seed(endpoint);
    const set = (values: Record<string, unknown>) => board.store.knex('board_endpoint').where({ id: endpoint.id }).update(values);
    await set({ state: 'revoked' });
    expect((await attach(doorbell, endpoint)).ids()).toEqual([]);
    await set({ state: 'active', expires_at: board.clock.now() });
    expect((await attach(doorbell, endpoint)).ids()).toEqual([]);
    await set({ expires_at: null });
    expect((await attach(doorbell, endpoint)).ids()).toEqual([id]);
  });

  it('rings for a signal what waits in the pair: at most 16, oldest first, each once a minute; a queue may hold colons', async () => {
    const doorbell = doorbellOn();
    const queue = 'build:linux:x64';
    const endpoint = await seedEndpoint(board.store, { queues: [queue, 'build'] });
    const other = await seedEndpoint(board.store, { queues: [queue] });
    const session = await attach(doorbell, endpoint);
    const stranger = await attach(doorbell, other, ['nothing']);
    const now = board.clock.now();
    const ids: string[] = [];
    for (let age = 20; age > 0; age -= 1) ids.push(await seed(endpoint, { queue, pendingSince: now - age }));
    const older = { queue, pendingSince: now - 1_000 };
    await seed(endpoint, { ...older, gate: false });
    await seed(endpoint, { ...older, assignee: 'somebody' });
    await seed(endpoint, { ...older, queue: 'build' });
    await seed(endpoint, { ...older, state: 'done' });
    expect(await doorbell.onSignal(`${endpoint.id}:${queue}`)).toBe(16);
    expect(session.rings[0]).toEqual({ todoId: ids[0], queue });
    expect(session.ids()).toEqual(ids.slice(0, 16));
    expect(await doorbell.onSignal(`${endpoint.id}:${queue}`)).toBe(0);
    // It was claimed and came back: another entry into pending.
    await setTodo(ids[1] as string, { attempts_total: 1 });
    expect(await doorbell.onSignal(`${endpoint.id}:${queue}`)).toBe(1);
    expect(session.ids()).toEqual([ids[1]]);
    await board.clock.advance(MINUTE);
    expect(await doorbell.onSignal(`${endpoint.id}:${queue}`)).toBe(16);
    // A signal charges nothing.
    expect(await ringsOf(ids[0] as string)).toBe(0);
    const cost = await board.cost(async () => {
      for (const payload of [endpoint.id, `${other.id}:${queue}`, `ep_none:${queue}`, `${endpoint.id}:none`, '']) {
        expect(await doorbell.onSignal(payload)).toBe(0);
      }
    });
    expect(cost.statements).toBe(0);
    expect(stranger.ids()).toEqual([]);
  });

  it('rings one commit once, though its signal follows; one that nobody had room for may ring again', async () => {
    const doorbell = doorbellOn();
    const endpoint = await seedEndpoint(board.store);
    const id = await seed(endpoint);
    // Nobody is here: the gate must not remember it.
    doorbell.ringPending(pending(endpoint, id), 'created');
    await setTodo(id, { last_ringed_at: board.clock.now() });
    const heard = await attach(doorbell, endpoint, ['work'], 0);
    doorbell.ringPending(pending(endpoint, id), 'created');
    expect(doorbell.counters()).toEqual({ sessions: 1, rung: 0, dropped: 1 });
    heard.capacity = 100;
    doorbell.ringPending(pending(endpoint, id), 'created');
    doorbell.ringPending(pending(endpoint, id), 'created');
    expect(await doorbell.onSignal(`${endpoint.id}:work`)).toBe(0);
    expect(heard.rings).toEqual([{ todoId: id, queue: 'work', reason: 'created' }]);
    expect(doorbell.counters()).toEqual({ sessions: 1, rung: 1, dropped: 1 });
  });

  it('rings each entry into pending once within a minute, whether its commit is told of here before a signal is or after it', async () => {
    const doorbell = doorbellOn();
    const endpoint = await seedEndpoint(board.store);
    const session = await attach(doorbell, endpoint);
    const id = await seed(endpoint);
    const signal = () => doorbell.onSignal(`${endpoint.id}:work`);
    doorbell.ringPending(pending(endpoint, id), 'created');
    expect(await signal()).toBe(0);
    await setTodo(id, { attempts_total: 1 });
    doorbell.ringPending(pending(endpoint, id, { attemptsTotal: 1 }), 'requeued');
    expect(await signal()).toBe(0);
    // Of another todo of the queue, say: it comes between the commit of this process and what is told of it.
    await setTodo(id, { attempts_total: 2 });
    expect(await signal()).toBe(1);
    doorbell.ringPending(pending(endpoint, id, { attemptsTotal: 2 }), 'requeued');
    expect(session.rings.map(({ reason }) => reason)).toEqual(['created', 'requeued', undefined]);
  });

  it('rings nobody for a todo that is assigned, however it became pending', async () => {
    const doorbell = doorbellOn();
    const endpoint = await seedEndpoint(board.store);
    const session = await attach(doorbell, endpoint);
    const id = await seed(endpoint, { assignee: 'somebody' });
    for (const reason of ['created', 'requeued']) doorbell.ringPending(pending(endpoint, id, { assignee: 'somebody' }), reason);
    expect(await doorbell.onSignal(`${endpoint.id}:work`)).toBe(0);
    expect(session.ids()).toEqual([]);
    // The control: the same todo, of anybody.
    doorbell.ringPending(pending(endpoint, id), 'created');
    expect(session.ids()).toEqual([id]);
  });

  it('the heartbeat rings 5 min after a todo became pending, then 20 min, 1 h, 6 h and 6 h later, five times in all', async () => {
    const doorbell = doorbellOn();
    const endpoint = await seedEndpoint(board.store);
    const session = await attach(doorbell, endpoint);
    const id = await seed(endpoint, { createdAt: board.clock.now() - 99 * MINUTE, pendingSince: board.clock.now() });
    for (const wait of RING_WAITS_MS) {
      await board.clock.advance(wait - 1);
      expect(await doorbell.sweep()).toBe(0);
      await board.clock.advance(1);
      expect(await doorbell.sweep()).toBe(1);
      expect(await doorbell.sweep()).toBe(0);
    }
    expect(session.rings).toEqual(Array(5).fill({ todoId: id, queue: 'work', reason: 'heartbeat' }));
    await board.clock.advance(100 * 3_600_000);
    expect(await doorbell.sweep()).toBe(0);
    expect(await ringsOf(id)).toBe(5);
  });

  it('the heartbeat leaves out what may wake nobody, and what is in no scope', async () => {
    const doorbell = doorbellOn();
    const endpoint = await seedEndpoint(board.store);
    const session = await attach(doorbell, endpoint);
    for (const more of [
      { gate: false },
      { queue: 'quarantine' },
      { queue: 'unscoped' },
      { assignee: 'somebody' },
      { state: 'claimed' },
      { state: 'done' },
      { state: 'failed' },
    ] as const) {
      await seed(endpoint, more);
    }
    await board.clock.advance(5 * MINUTE);
    const cost = await board.cost(async () => expect(await doorbell.sweep()).toBe(0));
    expect(cost.labels).toEqual(['board.findDueRing']);
    const id = await seed(endpoint, { pendingSince: board.clock.now() - 5 * MINUTE });
    expect(await doorbell.sweep()).toBe(1);
    expect(session.ids()).toEqual([id]);
  });

  it('the heartbeat takes the best of each endpoint before a second of any, and a lone one gives all three', async () => {
    const doorbell = doorbellOn();
    const [crowded, quiet] = [await seedEndpoint(board.store), await seedEndpoint(board.store)];
    const [busy, calm] = [await attach(doorbell, crowded), await attach(doorbell, quiet)];
    const now = board.clock.now();
    const ids: string[] = [];
    for (let age = 20; age > 12; age -= 1) ids.push(await seed(crowded, { pendingSince: now - age * MINUTE }));
    const own = [await seed(quiet, { pendingSince: now - 7 * MINUTE }), await seed(quiet, { pendingSince: now - 6 * MINUTE })];
    expect(await doorbell.sweep()).toBe(3);
    expect([busy.ids(), calm.ids()]).toEqual([ids.slice(0, 2), own.slice(0, 1)]);
    expect(await doorbell.sweep()).toBe(3);
    expect([busy.ids(), calm.ids()]).toEqual([ids.slice(2, 4), own.slice(1)]);
    expect(await doorbell.sweep()).toBe(3);
    expect([busy.ids(), calm.ids()]).toEqual([ids.slice(4, 7), []]);
    expect(await doorbell.sweep(1)).toBe(1);
    expect(busy.ids()).toEqual(ids.slice(7));
  });

  it('the heartbeat charges only where somebody hears it: a live endpoint with a session in this process', async () => {
    const doorbell = doorbellOn();
    const [here, elsewhere, revoked] = [await seedEndpoint(board.store), await seedEndpoint(board.store), await seedEndpoint(board.store)];
    const ids: string[] = [];
    for (const endpoint of [here, elsewhere, revoked]) ids.push(await seed(endpoint));
    const [id, away, dead] = ids as [string, string, string];
    await board.clock.advance(5 * MINUTE);
    const none = await board.cost(() => doorbell.sweep());
    expect(none.statements).toBe(0);
    for (const each of [id, away, dead]) await setTodo(each, { last_ringed_at: board.clock.now() });
    const session = await attach(doorbell, here);
    await attach(doorbell, revoked);
    await board.store.knex('board_endpoint').where({ id: revoked.id }).update({ state: 'revoked' });
    expect(await doorbell.sweep()).toBe(1);
    expect(session.ids()).toEqual([id]);
    expect([await ringsOf(away), await ringsOf(dead)]).toEqual([0, 0]);
    // The control: with a session the one elsewhere is rung, too.
    await attach(doorbell, elsewhere);
    expect(await doorbell.sweep()).toBe(1);
    session.detach();
    session.detach();
    expect(doorbell.counters().sessions).toBe(2);
  });

  it('the heartbeat charges no ring that no session has room for, and reads nothing for it', async () => {
    const doorbell = doorbellOn();
    const endpoint = await seedEndpoint(board.store);
    const session = await attach(doorbell, endpoint, endpoint.queues, 0);
    const now = board.clock.now();
    const ids = [await seed(endpoint, { pendingSince: now - 7 * MINUTE }), await seed(endpoint, { pendingSince: now - 6 * MINUTE })];
    const cost = await board.cost(async () => expect(await doorbell.sweep()).toBe(0));
    expect(cost.statements).toBe(0);
    session.capacity = 1;
    expect([await doorbell.sweep(), await doorbell.sweep()]).toEqual([1, 0]);
    expect([await ringsOf(ids[0] as string), await ringsOf(ids[1] as string)]).toEqual([1, 0]);
    expect(session.ids()).toEqual(ids.slice(0, 1));
    expect(await doorbell.sweep()).toBe(1);
    expect(session.ids()).toEqual(ids.slice(1));
    expect(doorbell.counters()).toMatchObject({ rung: 2, dropped: 0 });
  });

  it('the heartbeat gives endpoints with little room one of its rings, and the others the rest', async () => {
    const doorbell = doorbellOn();
    const [tight, other, free] = [await seedEndpoint(board.store), await seedEndpoint(board.store), await seedEndpoint(board.store)];
    const sessions = [await attach(doorbell, tight, ['work'], 2), await attach(doorbell, other, ['work'], 2), await attach(doorbell, free)];
    const now = board.clock.now();
    for (const [place, endpoint] of [tight, other, free].entries()) {
      for (let age = 9; age > 5; age -= 1) await seed(endpoint, { pendingSince: now - age * MINUTE + place });
    }
    expect(await doorbell.sweep()).toBe(3);
    expect(sessions.map(({ rings }) => rings.length)).toEqual([1, 0, 2]);
    expect(doorbell.counters()).toMatchObject({ rung: 3, dropped: 0 });
  });

  it('charges a todo once when two processes sweep at the same time', async () => {
    const [one, two] = [doorbellOn(), doorbellOn(board.second)];
    const endpoint = await seedEndpoint(board.store);
    const [first, second] = [await attach(one, endpoint), await attach(two, endpoint)];
    const ids: string[] = [];
    for (let made = 0; made < 12; made += 1) ids.push(await seed(endpoint));
    await board.clock.advance(5 * MINUTE);
    let charged = 0;
    while (charged < 12) {
      const swept = await Promise.all([one.sweep(), two.sweep(), one.sweep(), two.sweep()]);
      const rung = swept.reduce((sum, count) => sum + count, 0);
      expect(rung).toBeGreaterThan(0);
      charged += rung;
    }
    expect([...first.ids(), ...second.ids()].sort()).toEqual([...ids].sort());
    for (const id of ids) expect(await ringsOf(id)).toBe(1);
  });

  it.runIf(name === 'postgres')('passes by what another transaction is changing: it neither waits for it nor charges it', async () => {
    const doorbell = doorbellOn();
    const endpoint = await seedEndpoint(board.store);
    const session = await attach(doorbell, endpoint);
    const now = board.clock.now();
    const held = await seed(endpoint, { pendingSince: now - 8 * MINUTE });
    const free = await seed(endpoint, { pendingSince: now - 7 * MINUTE });
    await board.second.transaction(async (trx) => {
      await trx('board_todo').where({ id: held }).update({ moved_by: 'another' });
      expect(await doorbell.sweep()).toBe(1);
    });
    expect(session.ids()).toEqual([free]);
    expect(await doorbell.sweep()).toBe(1);
    expect(session.ids()).toEqual([held]);
  });

  it('ends the sessions of endpoints that are over, here or in another process', async () => {
    const doorbell = doorbellOn();
    const [revoked, expired, gone, live, closed] = await Promise.all(Array.from({ length: 5 }, () => seedEndpoint(board.store)));
    const sessions = [];
    for (const endpoint of [revoked, expired, gone, live, closed]) sessions.push(await attach(doorbell, endpoint as SeededEndpoint));
    expect(await doorbell.closeEnded()).toBe(0);
    doorbell.closeEndpoint((closed as SeededEndpoint).id);
    const table = () => board.store.knex('board_endpoint');
    await table().where({ id: revoked?.id }).update({ state: 'revoked' });
    await table().where({ id: expired?.id }).update({ expires_at: board.clock.now() });
    await table().where({ id: gone?.id }).delete();
    expect(await doorbell.closeEnded()).toBe(3);
    expect(sessions.map(({ closes }) => closes)).toEqual([1, 1, 1, 0, 1]);
    doorbell.close();
    expect(sessions.map(({ closes }) => closes)).toEqual([1, 1, 1, 1, 1]);
    expect(doorbell.hasSessions).toBe(false);
  });
});

describe('Doorbell over a store that fails', () => {
  it('logs it, and rings nobody', async () => {
    const board = await boardDatabase('memory');
    const lines: LogLine[] = [];
    const doorbell = new Doorbell({ store: board.store, clock: board.clock, logger: recordingLogger(lines) });
    const endpoint = await seedEndpoint(board.store);
    doorbell.attach({ endpointId: endpoint.id, queues: ['work'], onRing: () => true, room: () => 100, onClose() {} });
    await doorbell.settled();
    expect(lines).toEqual([]);
    await board.database.drop();
    expect(await doorbell.onSignal(`${endpoint.id}:work`)).toBe(0);
    expect(lines.map(({ level }) => level)).toEqual(['warn']);
  });
});
