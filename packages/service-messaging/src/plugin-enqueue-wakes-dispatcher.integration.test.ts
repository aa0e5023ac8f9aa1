// The composed plugin on a real kernel and database: what makes its dispatcher send at once is the emit, and nothing else.
import { MESSAGING, STORE } from '@bellhop/contracts';
import { Kernel } from '@bellhop/kernel';
import { storePlugin } from '@bellhop/store';
import { flakyChannel, ManualClock, type TestDatabase, testDatabase } from '@bellhop/testing';
import { afterEach, expect, it } from 'vitest';
import { NOTIFICATION_DISPATCHER } from './dispatcher-token.js';
import { messagingPlugin } from './messaging-plugin.js';

let database: TestDatabase;
let kernel: Kernel;
afterEach(async () => {
  await kernel.stop();
  await database.drop();
});

it('[A2] an emit wakes the plugin’s dispatcher, while a row written straight into the table stays pending (the control)', async () => {
  database = await testDatabase('sqlite');
  const clock = new ManualClock();
  const channel = flakyChannel({ id: 'pager' });
  // No timer fires in this test: the interval is 60 s, and the clock moves by half a second.
  kernel = new Kernel({ clock })
    .use(storePlugin(database.options))
    .use(messagingPlugin({ channels: [channel], dispatchIntervalMs: 60_000 }));
  await kernel.start();
  const dispatcher = kernel.resolve(NOTIFICATION_DISPATCHER);
  const { knex } = kernel.resolve(STORE);
  await dispatcher.settled();
  await knex('notification_delivery').insert({
    id: 'straight-in',
    notification_id: 'event',
    recipient_id: 'unannounced',
    channel: 'pager',
    payload: '{}',
    status: 'pending',
    attempts: 0,
    due_at: clock.now(),
    slot: 0,
    created_at: clock.now(),
    updated_at: clock.now(),
  });
  await clock.advance(500);
  await dispatcher.settled();
  expect(await knex('notification_delivery').pluck('status')).toEqual(['pending']);
  await kernel.resolve(MESSAGING).emit({ topic: 'order.placed', audience: 'ada', channels: ['pager'] });
  await dispatcher.settled();
  expect(channel.sent.map(({ recipientId }) => recipientId).sort()).toEqual(['ada', 'unannounced']);
  expect(await knex('notification_delivery').pluck('status')).toEqual(['success', 'success']);
});
