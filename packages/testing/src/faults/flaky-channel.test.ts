import type { ChannelContext, ChannelDelivery } from '@bellhop/contracts';
import { silentLogger, systemClock } from '@bellhop/kernel';
import { expect, it } from 'vitest';
import { flakyChannel } from './flaky-channel.js';

const abort = new AbortController();
const ctx: ChannelContext = { logger: silentLogger, clock: systemClock, signal: abort.signal, idempotencyKey: 'd' };
const delivery = (deliveryId: string) => ({ deliveryId }) as ChannelDelivery;

it('sends as told, then well, and keeps what it was asked', async () => {
  const channel = flakyChannel({ id: 'sms', outcomes: ['retryable', 'throw', { ok: true, externalId: 'own' }] });
  expect(await channel.send(ctx, delivery('a'))).toEqual({ ok: false, error: 'The flaky channel fails: retryable' });
  await expect(channel.send(ctx, delivery('b'))).rejects.toThrow('throw');
  expect(await channel.send(ctx, delivery('c'))).toEqual({ ok: true, externalId: 'own' });
  expect(await channel.send(ctx, delivery('d'))).toEqual({ ok: true, externalId: 'sms-d' });
  expect(channel.attempts.map((one) => one.deliveryId)).toEqual(['a', 'b', 'c', 'd']);
  expect(channel.sent.map((one) => one.deliveryId)).toEqual(['c', 'd']);
});

it.each(['retryable', 'permanent', 'invalid_recipient', 'rate_limited', 'duplicate'] as const)('classifies %s as such', async (outcome) => {
  const channel = flakyChannel({ outcomes: [outcome], retryAfterMs: 5 });
  const result = await channel.send(ctx, delivery('a'));
  expect(channel.classifyError(result.error)).toBe(outcome);
  expect(result.retryAfterMs).toBe(outcome === 'rate_limited' ? 5 : undefined);
});

it('classifies a throw and a stranger as retryable', async () => {
  const channel = flakyChannel({ outcomes: ['throw'] });
  const thrown = await channel.send(ctx, delivery('a')).catch((error: unknown) => error);
  expect([channel.classifyError(thrown), channel.classifyError(new Error('other'))]).toEqual(['retryable', 'retryable']);
});

it('hangs until the signal aborts', async () => {
  const own = new AbortController();
  const channel = flakyChannel({ outcomes: (_delivery, send) => (send === 1 ? 'hang' : 'ok') });
  const hanging = expect(channel.send({ ...ctx, signal: own.signal }, delivery('a'))).rejects.toThrow('stopping');
  expect(await channel.send(ctx, delivery('b'))).toMatchObject({ ok: true });
  expect(channel.hanging).toBe(1);
  own.abort(new Error('stopping'));
  await hanging;
  expect(channel.hanging).toBe(0);
});
