// Emits to fifty recipients again and again until it is killed, and prints the id of every event that it was told is written.
import { systemClock } from '@bellhop/kernel';
import { openStore } from '@bellhop/store';
import { preparedEmits } from './prepared-emit.fixture.js';
import { SqlEmitWriter } from './sql-emit-writer.js';

const store = await openStore({ url: process.argv[2] as string });
const writer = new SqlEmitWriter(store);
const emit = preparedEmits(systemClock.now());
for (;;) {
  const written = await Promise.all([writer.write([emit({ recipients: 50 })]), writer.write([emit({ recipients: 50 })])]);
  for (const [outcome] of written) console.log(`written ${outcome?.notificationId}`);
}
