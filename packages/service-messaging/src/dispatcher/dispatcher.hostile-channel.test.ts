import type { NotificationChannel, SendResult } from '@bellhop/contracts';
import { describe, expect, test } from 'vitest';
import { ASYNC_CLASSIFIERS, classifier, EXTERNAL_IDS, THROWING, THROWN } from '../hostile-channel.fixture.js';
import { dispatcherBench } from './dispatcher-bench.fixture.js';

const answering = (answer: () => unknown): NotificationChannel => ({ id: 'email', send: answer as () => Promise<SendResult> });

describe('a channel that gives what no type allows', () => {
  test.each(EXTERNAL_IDS)('is sent once when its external id is %o, and %s is kept', async (externalId, kept) => {
    let sends = 0;
    const channel = answering(async () => {
      sends += 1;
      return { ok: true, externalId };
    });
    const { dispatcher, enqueue, row, clock } = dispatcherBench({ channels: [channel] });
    const id = await enqueue();
    dispatcher.start();
    await clock.advance(5_000_000);
    expect(await row(id)).toMatchObject({ status: 'success', attempts: 1, externalId: kept ?? null });
    expect(sends).toBe(1);
    await dispatcher.stop();
  });

  test.each(THROWN.flatMap(([what, thrown, text]) => THROWING.map(([how, raise]) => [how, what, raise(thrown), text] as const)))(
    'that %s %s follows the ladder, and its row says so',
    async (_how, _what, send, text) => {
      const { dispatcher, enqueue, row, clock } = dispatcherBench({ channels: [answering(send)] });
      const id = await enqueue();
      dispatcher.start();
      await clock.advance(100);
      expect(await row(id)).toMatchObject({ status: 'pending', attempts: 1, error: text });
      await clock.advance(5_000_000);
      expect(await row(id)).toMatchObject({ status: 'dead', attempts: 6, error: text });
      expect(dispatcher.counters().errors).toBe(0);
      await dispatcher.stop();
    },
  );

  test.each(THROWN.slice(0, -1))('has failed when its error is %s', async (_title, error, text) => {
    const { dispatcher, enqueue, row } = dispatcherBench({ channels: [answering(async () => ({ ok: false, error }))] });
    const id = await enqueue();
    await dispatcher.tick();
    expect(await row(id)).toMatchObject({ status: 'pending', attempts: 1, error: text });
  });

  test.each([
    [Number.NaN, 60_000],
    [Number.POSITIVE_INFINITY, 60_000],
    [-1, 60_000],
    ['30', 60_000],
    [90_000, 90_000],
  ])('is left alone for a wait of %s ms when rate limited: %i', async (retryAfterMs, waits) => {
    const channel: NotificationChannel = {
      ...answering(async () => ({ ok: false, error: 'slow down', retryAfterMs })),
      classifyError: () => 'rate_limited',
    };
    const { dispatcher, enqueue, row, clock } = dispatcherBench({ channels: [channel] });
    const id = await enqueue();
    await dispatcher.tick();
    expect(await row(id)).toMatchObject({ status: 'pending', attempts: 0, dueAt: clock.now() + waits });
  });

  test.each(ASYNC_CLASSIFIERS)('whose classifyError %s is waited for, 2 s at most', async (_title, classify, heard) => {
    const channel = { ...answering(async () => ({ ok: false, error: 'no' })), ...classifier(classify) };
    const { dispatcher, enqueue, row, clock } = dispatcherBench({ channels: [channel] });
    const id = await enqueue();
    dispatcher.start();
    await clock.advance(2_100);
    const expected = heard ? { status: 'success', attempts: 1 } : { error: 'no', status: expect.stringMatching(/pending|in_flight/) };
    expect(await row(id)).toMatchObject(expected);
    await clock.advance(5_000_000);
    expect(await row(id)).toMatchObject(heard ? { status: 'success', attempts: 1 } : { status: 'dead', attempts: 6 });
    await dispatcher.stop();
  });
});
