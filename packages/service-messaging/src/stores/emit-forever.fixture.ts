// Emits to fifty recipients again and again until it is killed, and prints the id of every event that it was told is written. Many emits are
// under way at once, each a write of its own and no two at the same point, so that whenever it is killed it is in the middle of some.
import { systemClock } from '@bellhop/kernel';
import { openStore } from '@bellhop/store';
import { preparedEmits } from './prepared-emit.fixture.js';
import { SqlEmitWriter } from './sql-emit-writer.js';

const EMITTERS = 8;

const store = await openStore({ url: process.argv[2] as string });
const emit = preparedEmits(systemClock.now());

async function emitForever(emitter: number): Promise<never> {
  const writer = new SqlEmitWriter(store);
  for (let turn = 0; turn < emitter; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  for (;;) {
    const [written] = await writer.write([emit({ recipients: 50 })]);
    console.log(`written ${written?.notificationId}`);
  }
}

await Promise.all(Array.from({ length: EMITTERS }, (_, emitter) => emitForever(emitter)));
