import type { JobResult } from '@bellhop/contracts';
import { describe, expect, it } from 'vitest';
import { checkFailedFilter, checkJobClaim, checkJobResult, checkJobSurvey, checkProgress, checkScope } from './job-store-input.js';

describe('checkJobClaim', () => {
  const queue = { queue: 'mail', limit: 5, leaseMs: 1_000 };

  it('fills in what was not given', () => {
    expect(checkJobClaim({ workerId: 'w', queues: [queue] }, 7)).toEqual({
      workerId: 'w',
      queues: [{ ...queue, organizationId: null, afterLane: null }],
      now: 7,
    });
    const whole = { ...queue, organizationId: 'acme', afterLane: '' };
    expect(checkJobClaim({ workerId: 'w', queues: [whole], now: 3 }, 7)).toEqual({ workerId: 'w', queues: [whole], now: 3 });
  });

  it('takes a queue once for each organization and once for all', () => {
    const queues = [queue, { ...queue, organizationId: 'acme' }, { ...queue, organizationId: 'umbrella' }];
    expect(checkJobClaim({ workerId: 'w', queues }, 0).queues).toHaveLength(3);
    expect(() => checkJobClaim({ workerId: 'w', queues: [...queues, { ...queue, organizationId: 'acme' }] }, 0)).toThrow(/^queues\[3\]: /);
  });

  it.each([
    ['queues[0].limit', { limit: 0 }],
    ['queues[0].limit', { limit: 1_001 }],
    ['queues[0].leaseMs', { leaseMs: 0.5 }],
    ['queues[0].queue', { queue: '' }],
    ['queues[0].organizationId', { organizationId: 'a\0' }],
    ['queues[0].afterLane', { afterLane: '\ud83d' }],
  ])('names %s', (path, bad) => {
    expect(() => checkJobClaim({ workerId: 'w', queues: [{ ...queue, ...bad }] }, 0)).toThrow(`${path}: `);
  });
});

describe('checkJobSurvey', () => {
  it('fills in what was not given, and names what is wrong', () => {
    expect(checkJobSurvey({ queues: [{ queue: 'mail' }] }, 7)).toEqual({ queues: [{ queue: 'mail', organizationId: null }], now: 7 });
    expect(() => checkJobSurvey({ queues: [{ queue: 'mail' }, { queue: '' }] }, 7)).toThrow('queues[1].queue: ');
    expect(() => checkJobSurvey({ queues: [], now: -1 }, 7)).toThrow('now: ');
  });
});

describe('checkJobResult', () => {
  it('keeps what an outcome needs, and nothing else', () => {
    const extra = { dueAt: 5, error: 'x', note: 'y' };
    expect(checkJobResult({ ...extra, outcome: 'completed' } as JobResult, 'result')).toEqual({ outcome: 'completed' });
    expect(checkJobResult({ ...extra, outcome: 'dead' } as JobResult, 'result')).toEqual({ outcome: 'dead', error: 'x' });
    expect(checkJobResult({ ...extra, outcome: 'retry' }, 'result')).toEqual({ outcome: 'retry', error: 'x', dueAt: 5 });
    expect(checkJobResult({ ...extra, outcome: 'snooze' } as JobResult, 'result')).toEqual({ outcome: 'snooze', dueAt: 5 });
  });

  it.each([
    [new Error('thrown'), 'thrown'],
    [undefined, ''],
    [null, ''],
    [Object.create(null), 'object thrown, which has no text'],
    ['a\0b', 'ab'],
    [7, '7'],
  ])('takes %o for an error', (error, text) => {
    expect(checkJobResult({ outcome: 'dead', error: error as string }, 'result')).toEqual({ outcome: 'dead', error: text });
  });

  it('names the place of what is wrong', () => {
    expect(() => checkJobResult({ outcome: 'retry', error: '', dueAt: 0.5 }, 'acks[3].result')).toThrow('acks[3].result.dueAt: 0.5 given');
    expect(() => checkJobResult({ outcome: 'done' } as unknown as JobResult, 'acks[3].result')).toThrow('acks[3].result.outcome: ');
  });
});

describe('checkProgress', () => {
  it.each([
    [0, 0],
    [-0, 0],
    [0.9, 0],
    [99.9, 99],
    [100, 100],
  ])('keeps %d as %d', (given, kept) => {
    expect(checkProgress(given)).toBe(kept);
  });

  it.each([[-1], [100.1], [Number.NaN], ['50'], [undefined]])('refuses %o', (given) => {
    expect(() => checkProgress(given)).toThrow(/^progress: .* given; a number from 0 to 100/);
  });
});

describe('checkScope and checkFailedFilter', () => {
  it('tell all from one', () => {
    expect([checkScope(), checkScope({}), checkScope({ organizationId: 'acme' })]).toEqual([null, null, 'acme']);
    expect(checkFailedFilter({})).toEqual({ organizationId: null, queue: null, limit: 50, after: null });
  });

  it('refuse an empty organization: it would be nobody’s, or everybody’s', () => {
    expect(() => checkScope({ organizationId: '' })).toThrow('organizationId: ');
    expect(() => checkFailedFilter({ organizationId: '' })).toThrow('organizationId: ');
  });
});
