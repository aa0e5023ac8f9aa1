import { LookupFailure, OutboundRefusal, SecretSealer } from '@bellhop/outbound';
import { defineStatement } from '@bellhop/store';
import { TEST_STORE_NAMES } from '@bellhop/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sealer } from '../notify/notify-bench.fixture.js';
import { type BoardDatabase, boardDatabase, seedEndpoint } from './board-stores.fixture.js';
import { NotifyHookStore, type UrlGuard } from './notify-hook-store.js';

const URL_TEXT = 'https://hook.example/in?token=abc';

/** A guard that says what it was asked. */
function guardSpy(answer: () => unknown = () => undefined): UrlGuard & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    async check(url) {
      asked.push(url);
      return answer();
    },
  };
}

/** A guard that answers nobody before all have asked: each has then found room, and only the insert can tell them apart. */
function meetingPoint(size: number): UrlGuard {
  let open = () => {};
  const all = new Promise<void>((resolve) => {
    open = resolve;
  });
  let here = 0;
  return {
    check() {
      here += 1;
      if (here === size) open();
      return all;
    },
  };
}

describe.each(TEST_STORE_NAMES)('NotifyHookStore on %s', (name) => {
  let board: BoardDatabase;
  beforeAll(async () => {
    board = await boardDatabase(name);
  });
  afterAll(() => board.database.drop());
  beforeEach(() => board.empty());
  afterEach(() => expect(board.store.audit.findings()).toEqual([]));

  const hooksOn = (store = board.store, max?: number, guard: UrlGuard = guardSpy()) => new NotifyHookStore({ store, sealer, guard, max });
  /** As it is stored; knex reads the big integers of Postgres as texts. */
  const row = async (id: string) => {
    const stored = (await board.store.knex('board_notify_hook').where({ id }).first()) as Record<string, unknown>;
    const times = ['previous_until', 'opened_at', 'disabled_at'].map((column) => [
      column,
      stored[column] === null ? null : Number(stored[column]),
    ]);
    return { ...stored, ...Object.fromEntries(times) } as Record<string, unknown>;
  };

  it('creates, lists and deletes; the secret is sealed and the query not shown', async () => {
    const endpoint = await seedEndpoint(board.store, { queues: ['work', 'mail'] });
    const guard = guardSpy();
    const hooks = hooksOn(board.store, undefined, guard).of(endpoint);
    const { hook, signingSecret } = await hooks.create({ url: URL_TEXT, queues: ['mail', 'mail'] });
    expect(guard.asked).toEqual([URL_TEXT]);
    expect(signingSecret).toMatch(/^whsec_/);
    expect(hook).toEqual({
      id: expect.stringMatching(/^nh_/) as string,
      endpointId: endpoint.id,
      url: 'https://hook.example/in',
      queues: ['mail'],
      enabled: true,
      disabledReason: null,
      failures: 0,
      lastAttemptAt: null,
      lastOutcome: null,
      createdAt: board.clock.now(),
      rotatedAt: null,
    });
    const stored = await row(hook.id);
    expect(stored.url).toBe(URL_TEXT);
    expect(String(stored.secret)).toMatch(/^enc:v1:/);
    expect(sealer.open(String(stored.secret), hook.id)).toBe(signingSecret);
    expect(await hooks.list()).toEqual({ items: [hook], max: 5 });
    await hooks.delete(hook.id);
    expect(await hooks.list()).toEqual({ items: [], max: 5 });
  });

  it('checks in this order: shape, queues of the scope, ceiling, key, target', async () => {
    const endpoint = await seedEndpoint(board.store);
    const guard = guardSpy(() => {
      throw new OutboundRefusal('10.0.0.1 is private');
    });
    const full = new NotifyHookStore({ store: board.store, sealer, guard, max: 0 }).of(endpoint);
    const keyless = new NotifyHookStore({ store: board.store, sealer: SecretSealer.fromKey(undefined), guard }).of(endpoint);
    const shape = { code: 'INVALID_INPUT' };
    await expect(full.create({ url: 7 } as never)).rejects.toMatchObject({ ...shape, path: 'url' });
    await expect(full.create({ url: `https://${'x'.repeat(2_048)}` })).rejects.toMatchObject({ ...shape, path: 'url' });
    await expect(full.create({ url: URL_TEXT, threshold: 5 } as never)).rejects.toMatchObject({ ...shape, path: 'threshold' });
    await expect(full.create({ url: URL_TEXT, queues: [] })).rejects.toMatchObject({ ...shape, path: 'queues' });
    await expect(full.create({ url: URL_TEXT, queues: ['work', 'other'] })).rejects.toMatchObject({ ...shape, path: 'queues[1]' });
    await expect(full.create({ url: URL_TEXT })).rejects.toMatchObject({ code: 'HOOK_CEILING' });
    await expect(keyless.create({ url: URL_TEXT })).rejects.toMatchObject({ code: 'ENCRYPTION_KEY' });
    expect(guard.asked).toEqual([]);
    const able = new NotifyHookStore({ store: board.store, sealer, guard }).of(endpoint);
    await expect(able.create({ url: URL_TEXT })).rejects.toMatchObject({ ...shape, path: 'url' });
    expect(guard.asked).toEqual([URL_TEXT]);
    expect(await board.count('board_notify_hook')).toBe(0);
  });

  it('refuses a host that cannot be resolved as input, without its query', async () => {
    const endpoint = await seedEndpoint(board.store);
    const guard = guardSpy(() => {
      throw new LookupFailure('no answer');
    });
    const error = await hooksOn(board.store, 5, guard)
      .of(endpoint)
      .create({ url: URL_TEXT })
      .catch((caught: Error) => caught);
    expect(error).toMatchObject({ code: 'INVALID_INPUT', path: 'url' });
    expect((error as Error).message).not.toContain('abc');
  });

  it('lets racing creates of two processes pass the ceiling never, and reach it always', async () => {
    const endpoint = await seedEndpoint(board.store);
    await hooksOn(board.store, 3).of(endpoint).create({ url: URL_TEXT });
    await hooksOn(board.store, 3).of(endpoint).create({ url: URL_TEXT });
    const racers = [board.store, board.second, board.store, board.second, board.store, board.second];
    // Where nothing holds them apart, a single round may happen to go well.
    for (let round = 0; round < 8; round += 1) {
      const guard = meetingPoint(racers.length);
      const ends = await Promise.allSettled(racers.map((store) => hooksOn(store, 3, guard).of(endpoint).create({ url: URL_TEXT })));
      const made = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.hook.id] : []));
      expect(made).toHaveLength(1);
      for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'HOOK_CEILING' });
      expect(await board.count('board_notify_hook')).toBe(3);
      await hooksOn()
        .of(endpoint)
        .delete(made[0] as string);
    }
  });

  it('knows no hook of another endpoint or organization', async () => {
    const endpoint = await seedEndpoint(board.store);
    const sibling = await seedEndpoint(board.store);
    const foreign = await seedEndpoint(board.store, { organizationId: 'other' });
    const store = hooksOn();
    const { hook } = await store.of(endpoint).create({ url: URL_TEXT });
    const strangers = [store.of(sibling), store.of(foreign), store.of({ ...endpoint, organizationId: 'other' })];
    for (const stranger of strangers) {
      for (const id of [hook.id, 'nh_unknown', '', 'a\0b']) {
        for (const act of ['rotate', 'enable', 'disable', 'delete'] as const) {
          await expect(stranger[act](id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
        }
      }
      expect((await stranger.list()).items).toEqual([]);
    }
    await expect(store.of({ ...endpoint, id: 'ep_gone' }).create({ url: URL_TEXT })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    // The control: its own endpoint may.
    expect(await store.of(endpoint).disable(hook.id)).toMatchObject({ enabled: false, disabledReason: 'operator' });
    expect(await store.of(endpoint).enable(hook.id)).toMatchObject({ enabled: true, disabledReason: null });
  });

  it('rotates: the old secret is kept 24 hours, then destroyed', async () => {
    const endpoint = await seedEndpoint(board.store);
    const store = hooksOn();
    const hooks = store.of(endpoint);
    const { hook, signingSecret: old } = await hooks.create({ url: URL_TEXT });
    const question = defineStatement({
      label: 'test.question',
      operation: 'select',
      table: 'board_notify_hook',
      sql: `SELECT (${NotifyHookStore.oldSecretsQuestion}) AS found`,
    });
    const asks = async () => Number((await board.store.read<{ found: number }>(question, { now: board.clock.now() }))[0]?.found);
    await board.clock.advance(1_000);
    const { hook: rotated, signingSecret } = await hooks.rotate(hook.id);
    const now = board.clock.now();
    expect(rotated).toMatchObject({ id: hook.id, rotatedAt: now, failures: 0 });
    const stored = await row(hook.id);
    expect(sealer.open(String(stored.secret), hook.id)).toBe(signingSecret);
    expect(sealer.open(String(stored.previous_secret), hook.id)).toBe(old);
    expect(stored.previous_until).toBe(now + 24 * 3_600_000);
    expect(stored.opened_at).toBe(now);
    await board.clock.advance(24 * 3_600_000 - 1);
    expect([await asks(), await store.destroyOldSecrets()]).toEqual([0, 0]);
    await board.clock.advance(1);
    expect([await asks(), await store.destroyOldSecrets(), await asks()]).toEqual([1, 1, 0]);
    expect(await row(hook.id)).toMatchObject({ previous_secret: null, previous_until: null });
  });

  it('counts failures to the tenth, from two processes; success before it clears them', async () => {
    const endpoint = await seedEndpoint(board.store);
    const [one, two] = [hooksOn(), hooksOn(board.second)];
    const { hook } = await one.of(endpoint).create({ url: URL_TEXT });
    for (let count = 0; count < 9; count += 1) expect(await one.noteFailure(hook.id, '5xx', 5)).toBe(false);
    await two.noteSuccess(hook.id, '2xx', 6);
    expect((await one.of(endpoint).list()).items[0]).toMatchObject({ failures: 0, lastOutcome: '2xx', lastAttemptAt: 6, enabled: true });
    const verdicts = await Promise.all(
      Array.from({ length: 12 }, (_, place) => (place % 2 ? one : two).noteFailure(hook.id, 'timeout', 7)),
    );
    expect(verdicts.filter(Boolean)).toHaveLength(1);
    expect((await one.of(endpoint).list()).items[0]).toMatchObject({
      failures: 12,
      enabled: false,
      disabledReason: 'consecutive_failures',
      lastOutcome: 'timeout',
    });
    expect(await row(hook.id)).toMatchObject({ disabled_at: 7 });
  });

  it('enables by rotation what failures disabled, and leaves off what an operator did', async () => {
    const endpoint = await seedEndpoint(board.store);
    const store = hooksOn();
    const hooks = store.of(endpoint);
    const [byFailures, byOperator] = [(await hooks.create({ url: URL_TEXT })).hook.id, (await hooks.create({ url: URL_TEXT })).hook.id];
    await hooks.disable(byOperator);
    for (let count = 0; count < 10; count += 1) {
      expect(await store.noteFailure(byFailures, '4xx', 1)).toBe(count === 9);
      expect(await store.noteFailure(byOperator, '4xx', 1)).toBe(false);
    }
    expect((await hooks.rotate(byFailures)).hook).toMatchObject({ enabled: true, disabledReason: null, failures: 0 });
    expect((await hooks.rotate(byOperator)).hook).toMatchObject({ enabled: false, disabledReason: 'operator', failures: 0 });
    await board.clock.advance(10);
    expect(await hooks.enable(byOperator)).toMatchObject({ enabled: true, disabledReason: null, failures: 0 });
    expect(await row(byOperator)).toMatchObject({ opened_at: board.clock.now(), disabled_at: null });
  });
});
