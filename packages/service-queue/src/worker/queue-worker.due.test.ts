import { expect, test } from 'vitest';
import { queueBench } from '../queue-bench.fixture.js';

test('a job that comes due while a tick is under way runs next, not an interval later', async () => {
  const { service, worker, clock } = queueBench();
  const ran: [unknown, number][] = [];
  const start = clock.now();
  service.subscribe('mail', ({ data }) => {
    ran.push([data, clock.now() - start]);
    // So long it takes from the survey to the end of the tick.
    if (data === 'first') clock.jumpWall(5);
  });
  worker.start();
  await worker.settled();
  await service.publish('mail', 'first', { runAt: start + 1_000 });
  await service.publish('mail', 'second', { runAt: start + 1_003 });
  await service.publish('mail', 'third', { runAt: start + 2_000 });
  await clock.advance(1_000);
  expect(ran).toEqual([
    ['first', 1_000],
    ['second', 1_005],
  ]);
  await clock.advance(1_000);
  expect(ran.slice(2)).toEqual([['third', 2_000]]);
  await worker.stop();
});
