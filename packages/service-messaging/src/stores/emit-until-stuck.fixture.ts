// Emits to fifty recipients, twice, and prints the id of each event that it was told is written; then once more under the topic `stuck`, which
// the test has made a write that never ends.
import { systemClock } from '@bellhop/kernel';
import { openStore } from '@bellhop/store';
import { preparedEmits } from './prepared-emit.fixture.js';
import { SqlEmitWriter } from './sql-emit-writer.js';

const store = await openStore({ url: process.argv[2] as string });
const writer = new SqlEmitWriter(store);
const emit = preparedEmits(systemClock.now());

for (const topic of ['order.placed', 'order.paid', 'stuck']) {
  const prepared = emit({ recipients: 50, topic });
  if (topic === 'stuck') console.log('about to be stuck');
  await writer.write([prepared]);
  console.log(`written ${prepared.event.id}`);
}
