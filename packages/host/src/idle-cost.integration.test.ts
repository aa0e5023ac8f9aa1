import { QUEUE, STORE } from '@bellhop/contracts';
import { Kernel } from '@bellhop/kernel';
import { REAPER } from '@bellhop/reaper';
import { NOTIFICATION_DISPATCHER } from '@bellhop/service-messaging';
import { QUEUE_WORKER, type QueuePluginOptions } from '@bellhop/service-queue';
import { ManualClock, TEST_STORE_NAMES, type TestStoreName, testDatabase } from '@bellhop/testing';
import { describe, expect, it } from 'vitest';
import { hostPlugins } from './plugins.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** What a host runs, without its port. */
async function boot(name: TestStoreName, { draw = 0, queue = {} as QueuePluginOptions } = {}) {
  const database = await testDatabase(name);
  const clock = new ManualClock();
  const kernel = new Kernel({ clock, random: () => draw });
  for (const plugin of hostPlugins({ database: database.options, queue })) kernel.use(plugin);
  await kernel.start();
  const loops = [NOTIFICATION_DISPATCHER, QUEUE_WORKER, REAPER].map((loop) => kernel.resolve<{ settled(): Promise<void> }>(loop));
  const settle = () => Promise.all(loops.map((loop) => loop.settled()));
  return {
    clock,
    kernel,
    settle,
    queue: kernel.resolve(QUEUE),
    reaper: kernel.resolve(REAPER),
    meter: kernel.resolve(STORE).meter,
    async close() {
      await kernel.stop();
      await database.drop();
    },
  };
}

describe.each(TEST_STORE_NAMES)('a host on %s', (name) => {
  it.each([
    ['the shortest', 0, 20],
    ['a middling', 0.5, 19],
  ])('idle asks three questions per 30 s at most, writes nothing, at %s interval of the reaper', async (_, draw, asks) => {
    const { clock, settle, queue, meter, close } = await boot(name, { draw });
    for (const each of ['mail', 'thumbnail', 'invoice']) queue.subscribe(each, () => {});
    // Past what a start looks at, to where the loops have backed off.
    await clock.runFor(2 * MINUTE_MS, { settle });
    const before = meter.snapshot();
    await clock.runFor(10 * MINUTE_MS, { settle });
    const { byLabel } = meter.snapshot();
    const asked = Object.entries(byLabel).map(([label, { statements }]) => [label, statements - (before.byLabel[label]?.statements ?? 0)]);
    expect(Object.fromEntries(asked.filter(([, count]) => count !== 0))).toEqual({
      'outbox.survey': 20,
      'queue.survey': 20,
      'reaper.ask': asks,
    });
    await close();
  });

  it('sweeps its jobs by itself, when their time is over (control: not before)', async () => {
    const { clock, settle, queue, kernel, reaper, close } = await boot(name, { queue: { keepCompletedMs: DAY_MS } });
    queue.subscribe('mail', () => {});
    const { id } = await queue.publish('mail', {});
    await settle();
    expect((await queue.get(id))?.status).toBe('completed');
    // A day of ticks costs every store as many reads; what matters is the one at its end.
    clock.jumpWall(DAY_MS - MINUTE_MS);
    await clock.runFor(MINUTE_MS, { settle });
    expect(await queue.get(id)).not.toBeNull();
    await clock.runFor(MINUTE_MS, { settle });
    expect(await queue.get(id)).toBeNull();
    const ran = reaper.dutyCounters().filter(({ done, failed, late }) => done + failed + late > 0);
    expect(ran).toMatchObject([{ duty: 'queue.retention', done: 1, count: 1 }]);
    expect((await kernel.health()).plugins.reaper?.status).toBe('ok');
    await close();
  });
});
