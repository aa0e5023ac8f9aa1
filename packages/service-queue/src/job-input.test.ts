import type { PublishOptions } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { describe, expect, it } from 'vitest';
import { checkJob } from './job-input.js';

const NOW = Date.UTC(2026, 0, 15, 12);
const YEAR_MS = 31_536_000_000;
const defaults = { id: () => 'job-1', now: NOW };
const check = (options?: unknown, data: unknown = { to: 'user-1' }) => checkJob({ queue: 'mail', data, options }, defaults);

function refusal(call: () => unknown): InputError {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return error as InputError;
  }
  throw new Error('taken');
}

describe('checkJob', () => {
  it('fills in every default', () => {
    expect(check()).toEqual({
      id: 'job-1',
      organizationId: 'default',
      queue: 'mail',
      dataText: '{"to":"user-1"}',
      metadataText: null,
      priority: 100,
      maxAttempts: 3,
      backoff: { type: 'exponential', delayMs: 1_000, maxDelayMs: 3_600_000, jitter: 'full' },
      timeoutMs: 3_600_000,
      dueAt: NOW,
      groupKey: null,
      groupConcurrency: null,
      idempotencyKey: null,
      idempotencyUntil: null,
    });
  });

  it('takes every option of the contract', () => {
    const options: PublishOptions = {
      organizationId: 'acme',
      delayMs: 5_000,
      priority: 0,
      maxAttempts: 1,
      backoff: { type: 'fixed', delayMs: 0, maxDelayMs: 0, jitter: 'none' },
      idempotencyKey: 'k',
      idempotencyWindowMs: 1,
      groupKey: 'g',
      groupConcurrency: 2,
      timeoutMs: 0,
      metadata: { source: 'import', n: [1, null] },
    };
    expect(check(options)).toEqual({
      id: 'job-1',
      organizationId: 'acme',
      queue: 'mail',
      dataText: '{"to":"user-1"}',
      metadataText: '{"source":"import","n":[1,null]}',
      priority: 0,
      maxAttempts: 1,
      backoff: options.backoff,
      timeoutMs: 0,
      dueAt: NOW + 5_000,
      groupKey: 'g',
      groupConcurrency: 2,
      idempotencyKey: 'k',
      idempotencyUntil: NOW + 1,
    });
  });

  it('takes options that are undefined as absent', () => {
    const names = ['organizationId', 'delayMs', 'runAt', 'priority', 'backoff', 'idempotencyKey', 'groupKey', 'metadata'];
    expect(check(Object.fromEntries(names.map((name) => [name, undefined])))).toEqual(check());
    expect(check({ backoff: { type: undefined, delayMs: undefined, maxDelayMs: undefined, jitter: undefined } })).toEqual(check());
  });

  it.each([
    [{ runAt: NOW + 1 }, NOW + 1],
    [{ runAt: NOW }, NOW],
    // It would stand before everything that waits.
    [{ runAt: NOW - 1 }, NOW],
    [{ runAt: 0 }, NOW],
    [{ runAt: 8.64e15 }, 8.64e15],
    [{ delayMs: 0 }, NOW],
    [{ delayMs: YEAR_MS }, NOW + YEAR_MS],
  ])('%j is due at %d', (options, dueAt) => {
    expect(check(options).dueAt).toBe(dueAt);
  });

  it.each([
    [{ delayMs: 7_200_000 }, { type: 'exponential', delayMs: 7_200_000, maxDelayMs: 7_200_000, jitter: 'full' }],
    [
      { delayMs: 5_000, maxDelayMs: 10 },
      { type: 'exponential', delayMs: 5_000, maxDelayMs: 10, jitter: 'full' },
    ],
    [{ type: 'fixed' }, { type: 'fixed', delayMs: 1_000, maxDelayMs: 3_600_000, jitter: 'full' }],
    [{ jitter: 'none' }, { type: 'exponential', delayMs: 1_000, maxDelayMs: 3_600_000, jitter: 'none' }],
  ])('completes the backoff %j', (given, backoff) => {
    expect(check({ backoff: given }).backoff).toEqual(backoff);
  });

  it('keeps a key for 24 h unless told', () => {
    expect(check({ idempotencyKey: 'k' }).idempotencyUntil).toBe(NOW + 86_400_000);
  });

  it.each([[null], [false], [0], ['text'], [[]], [{ toJSON: () => ({ n: 1 }) }]])('takes %j for data', (data) => {
    expect(check({}, data).dataText).toBe(JSON.stringify(data));
  });

  it('takes 255 characters for a queue, an organization and keys, and 1 000 000 for a priority', () => {
    const longest = `😀${'x'.repeat(254)}`;
    const job = checkJob(
      { queue: longest, data: 1, options: { organizationId: longest, idempotencyKey: longest, groupKey: longest, priority: 1_000_000 } },
      defaults,
    );
    expect(job).toMatchObject({ queue: longest, organizationId: longest, idempotencyKey: longest, groupKey: longest, priority: 1_000_000 });
  });

  it('takes exactly 256 KiB of data and 16 KiB of metadata', () => {
    expect(check({}, 'x'.repeat(256 * 1024 - 2)).dataText).toHaveLength(256 * 1024);
    expect(check({ metadata: { a: 'x'.repeat(16 * 1024 - 8) } }).metadataText).toHaveLength(16 * 1024);
  });

  it('takes no id for a job that it refuses', () => {
    let taken = 0;
    const counting = {
      now: NOW,
      id: () => {
        taken += 1;
        return `job-${taken}`;
      },
    };
    refusal(() => checkJob({ queue: '', data: 1 }, counting));
    expect(checkJob({ queue: 'mail', data: 1 }, counting).id).toBe('job-1');
  });
});

const cycle: Record<string, unknown> = {};
cycle.self = cycle;

describe('checkJob refuses', () => {
  const NO_WHOLE = [Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5, '5', null];

  it.each<[string, unknown]>([
    ...['priority', 'delayMs', 'runAt', 'maxAttempts', 'timeoutMs'].flatMap((name) =>
      NO_WHOLE.map((value): [string, unknown] => [name, value]),
    ),
    ['priority', 1_000_001],
    ['delayMs', YEAR_MS + 1],
    ['runAt', 8.64e15 + 1],
    ['runAt', '2026-01-15T12:00:00Z'],
    ['runAt', new Date(NOW)],
    ['maxAttempts', 0],
    ['maxAttempts', 1_001],
    ['timeoutMs', YEAR_MS + 1],
    ['organizationId', ''],
    ['organizationId', 7],
    ['organizationId', 'x'.repeat(256)],
    ['idempotencyKey', ''],
    ['idempotencyKey', 'a\0b'],
    ['idempotencyKey', '\ud83d'],
    ['idempotencyKey', 'x'.repeat(256)],
    ['groupKey', ''],
    ['groupKey', null],
    ['metadata', []],
    ['metadata', 'text'],
    ['metadata', null],
    ['metadata', cycle],
    ['metadata', () => 1],
    ['backoff', 'fixed'],
    ['backoff', null],
  ])('%s %o, by its path', (name, value) => {
    const error = refusal(() => check({ [name]: value }));
    expect([error.code, error.path]).toEqual(['INVALID_INPUT', `options.${name}`]);
    expect(error.message.startsWith(`options.${name}: `)).toBe(true);
  });

  it.each([
    [{ delayMs: 0, runAt: NOW }, 'options.runAt', /together with delayMs/],
    [{ groupConcurrency: 2 }, 'options.groupConcurrency', /without groupKey/],
    [{ idempotencyWindowMs: 5 }, 'options.idempotencyWindowMs', /without idempotencyKey/],
    [{ groupKey: 'g', groupConcurrency: 0 }, 'options.groupConcurrency', /1 to 10000/],
    [{ groupKey: 'g', groupConcurrency: 10_001 }, 'options.groupConcurrency', /1 to 10000/],
    [{ groupKey: 'g', groupConcurrency: 1.5 }, 'options.groupConcurrency', /1 to 10000/],
    [{ idempotencyKey: 'k', idempotencyWindowMs: 0 }, 'options.idempotencyWindowMs', /1 to 31536000000/],
    [{ idempotencyKey: 'k', idempotencyWindowMs: YEAR_MS + 1 }, 'options.idempotencyWindowMs', /1 to 31536000000/],
    [{ backoff: { type: 'linear' } }, 'options.backoff.type', /"linear" given; exponential, fixed/],
    [{ backoff: { jitter: true } }, 'options.backoff.jitter', /boolean given; full, none/],
    [{ backoff: { delayMs: -1 } }, 'options.backoff.delayMs', /0 to 31536000000/],
    [{ backoff: { delayMs: Number.NaN } }, 'options.backoff.delayMs', /NaN given/],
    [{ backoff: { maxDelayMs: 0.5 } }, 'options.backoff.maxDelayMs', /0\.5 given/],
    [{ backoff: { delay: 5 } }, 'options.backoff.delay', /no such field/],
    [{ idempotencykey: 'k' }, 'options.idempotencykey', /no such field/],
    [{ retries: 5 }, 'options.retries', /no such field/],
    [{ metadata: { deep: ['a\0b'] } }, 'options.metadata.deep[0]', /U\+0000/],
    ['text', 'options', /an object/],
    [null, 'options', /an object/],
    [[], 'options', /an object/],
  ])('the options %j', (options, path, message) => {
    const error = refusal(() => check(options));
    expect([error.code, error.path]).toEqual(['INVALID_INPUT', path]);
    expect(error.message).toMatch(message);
  });

  it.each([
    ['nothing', undefined, 'data'],
    ['a function', () => 1, 'data'],
    ['a symbol', Symbol('x'), 'data'],
    ['a cycle', cycle, 'data'],
    ['a BigInt', { n: 1n }, 'data'],
    ['U+0000 in a text', { a: ['x', 'y\0'] }, 'data.a[1]'],
    ['U+0000 in a key', { 'a\0b': 1 }, 'data.ab'],
    ['a lone surrogate in a text', { a: '\ud83d' }, 'data.a'],
    ['a lone surrogate in a key', { 'k\ude00': 1 }, 'data.k'],
    ['U+0000 alone', '\0', 'data'],
  ])('%s as data', (_title, data, path) => {
    const error = refusal(() => checkJob({ queue: 'mail', data }, defaults));
    expect([error.code, error.path]).toEqual(['INVALID_INPUT', path]);
  });

  it.each([
    ['data', {}, 'x'.repeat(256 * 1024 - 1), 'data'],
    ['data in bytes', {}, 'é'.repeat(128 * 1024), 'data'],
    ['metadata', { metadata: { a: 'x'.repeat(16 * 1024 - 7) } }, 1, 'options.metadata'],
  ])('too much %s', (_title, options, data, path) => {
    const error = refusal(() => check(options, data));
    expect([error.code, error.path]).toEqual(['PAYLOAD_TOO_LARGE', path]);
  });

  it.each([[''], ['x'.repeat(256)], ['a\0'], ['\ude00'], [7], [undefined], [null]])('the queue %j', (queue) => {
    const error = refusal(() => checkJob({ queue, data: 1 }, defaults));
    expect([error.code, error.path]).toEqual(['INVALID_INPUT', 'queue']);
  });

  it('one of many by where it sits', () => {
    const at = (input: { queue: unknown; data: unknown; options?: unknown }) => refusal(() => checkJob(input, defaults, 'jobs[3].')).path;
    expect(at({ queue: 'mail', data: undefined })).toBe('jobs[3].data');
    expect(at({ queue: 'mail', data: 1, options: { priority: -1 } })).toBe('jobs[3].options.priority');
    expect(at({ queue: 'mail', data: 1, options: { backoff: { type: 1 } } })).toBe('jobs[3].options.backoff.type');
  });
});
