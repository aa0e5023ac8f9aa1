import { flakyChannel } from '@bellhop/testing';
import { describe, expect, test } from 'vitest';
import { dispatcherBench, heldChannel } from './dispatcher-bench.fixture.js';

describe('a send that hangs', () => {
  test.each([
    ['heeds its signal', flakyChannel({ id: 'email', outcomes: ['hang', 'ok'] })],
    ['ignores its signal', undefined],
  ])(
    '[send-timeout] is a failed attempt after sendTimeoutMs, and not before; its slot goes to the next row, whether the channel %s',
    async (_title, given) => {
      const held = heldChannel('email');
      const { dispatcher, enqueue, row, clock } = dispatcherBench({
        channels: [given ?? held.channel],
        concurrency: 1,
        sendTimeoutMs: 20_000,
      });
      const [hung, next] = [await enqueue(), await enqueue()];
      dispatcher.start();
      await clock.advance(19_999);
      expect(await row(hung)).toMatchObject({ status: 'in_flight', attempts: 1 });
      await clock.advance(1);
      // The outcome is written with the next batch.
      await clock.advance(20);
      expect(await row(hung)).toMatchObject({ status: 'pending', attempts: 1, error: expect.stringContaining('within 20000 ms') });
      if (!given) {
        expect(held.sends[0]?.signal.aborted).toBe(true);
        // An answer that comes after all changes nothing.
        held.sends[0]?.end({ ok: true });
        held.sends[1]?.end({ ok: true });
        await clock.advance(20);
        expect(await row(hung)).toMatchObject({ status: 'pending' });
      }
      expect(await row(next)).toMatchObject({ status: 'success' });
      const stopping = dispatcher.stop({ deadlineMs: 0 });
      await clock.advance(1_000);
      await stopping;
    },
  );

  test('is not asked of the channel’s classifyError: it failed because of us', async () => {
    const email = { ...heldChannel('email').channel, classifyError: () => 'permanent' as const };
    const { dispatcher, enqueue, row, clock, stop } = dispatcherBench({ channels: [email], sendTimeoutMs: 20_000 });
    const id = await enqueue();
    dispatcher.start();
    await clock.advance(20_000);
    expect(await row(id)).toMatchObject({ status: 'pending' });
    await stop();
  });
});
