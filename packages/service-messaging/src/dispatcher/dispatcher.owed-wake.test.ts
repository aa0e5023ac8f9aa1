import { expect, test } from 'vitest';
import { dispatcherBench } from './dispatcher-bench.fixture.js';

test('[L6] a wake owed to a tick that the outbox failed is made good within 5 s of its recovery', async () => {
  const { dispatcher, enqueue, clock, faults, channel } = dispatcherBench();
  dispatcher.start();
  await clock.advance(70_000);
  await enqueue();
  faults.fail({ method: 'claim', kind: 'throw', times: Number.POSITIVE_INFINITY, when: () => clock.monotonic() < 90_000 });
  faults.fail({ method: 'survey', kind: 'throw', times: Number.POSITIVE_INFINITY, when: () => clock.monotonic() < 90_000 });
  dispatcher.wake();
  await clock.advance(20_000);
  expect(channel.sent).toHaveLength(0);
  await clock.advance(5_000);
  expect(channel.sent).toHaveLength(1);
  await dispatcher.stop();
});
