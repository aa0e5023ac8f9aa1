import { BOARD_VERBS, DEFAULT_BOARD_VERBS, type VendInput } from '@bellhop/contracts';
import { describe, expect, it } from 'vitest';
import { checkVend } from './endpoint-input.js';

const NOW = 1_000_000;
const given = (input: Record<string, unknown> = {}) => checkVend({ slug: 'bot', queues: ['work'], ...input } as VendInput, NOW);
const refused = (input: Record<string, unknown>, path: string) =>
  expect(() => given(input)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', path }));

describe('a vend', () => {
  it('has its defaults filled in', () => {
    expect(given()).toEqual({ slug: 'bot', queues: ['work'], verbs: DEFAULT_BOARD_VERBS, expiresAt: null, defaultLeaseMs: null });
    expect(DEFAULT_BOARD_VERBS).not.toContain('notify_hooks');
  });

  it('is taken as it is within its bounds', () => {
    const most = { slug: 'a'.repeat(63), queues: Array.from({ length: 100 }, (_, n) => `q:${n}`), verbs: BOARD_VERBS, expiresAt: NOW + 1 };
    expect(given({ ...most, defaultLeaseMs: 86_400_000 })).toEqual({ ...most, defaultLeaseMs: 86_400_000 });
    expect(given({ slug: '0-9', defaultLeaseMs: 60_000 })).toMatchObject({ slug: '0-9', defaultLeaseMs: 60_000 });
  });

  it.each(['', 'A', 'a_b', '-a', 'a-', 'a'.repeat(64), 'a\n', 'ep_x', 'é', 1, null])('refuses the slug %j', (slug) =>
    refused({ slug }, 'slug'),
  );

  it('refuses queues that are none, too many, twice there, reserved, or no names', () => {
    refused({ queues: [] }, 'queues');
    refused({ queues: 'work' }, 'queues');
    refused({ queues: Array.from({ length: 101 }, (_, n) => `q${n}`) }, 'queues');
    refused({ queues: ['a', 'b', 'a'] }, 'queues[2]');
    refused({ queues: ['a', 'quarantine'] }, 'queues[1]');
    refused({ queues: [''] }, 'queues[0]');
    refused({ queues: ['a\0'] }, 'queues[0]');
    refused({ queues: ['x'.repeat(256)] }, 'queues[0]');
  });

  it('refuses verbs that are none, unknown, or twice there', () => {
    refused({ verbs: [] }, 'verbs');
    refused({ verbs: ['claim', 'claim'] }, 'verbs[1]');
    refused({ verbs: ['claim_next'] }, 'verbs[0]');
    refused({ verbs: [1] }, 'verbs[0]');
  });

  it('refuses an expiry that is not to come, and a lease out of its bounds', () => {
    refused({ expiresAt: NOW }, 'expiresAt');
    refused({ expiresAt: 1.5 }, 'expiresAt');
    refused({ expiresAt: null }, 'expiresAt');
    refused({ defaultLeaseMs: 59_999 }, 'defaultLeaseMs');
    refused({ defaultLeaseMs: 86_400_001 }, 'defaultLeaseMs');
  });

  it('refuses a field that there is none of', () => {
    refused({ expires: 1 }, 'expires');
    expect(() => checkVend(null as unknown as VendInput, NOW)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', path: 'input' }));
  });
});
