/** A process that has a schedule and a subscription, and nothing else to do: it ends by itself. */
import { QUEUE } from '@bellhop/contracts';
import { Kernel } from '@bellhop/kernel';
import { storePlugin } from '@bellhop/store';
import { queuePlugin } from '../queue-plugin.js';

const kernel = new Kernel().use(storePlugin({ url: 'memory:', posture: 'isolated' })).use(queuePlugin());
await kernel.start();
const queue = kernel.resolve(QUEUE);
queue.subscribe('report', () => {});
await queue.schedule('hourly', { timing: { everyMs: 3_600_000 }, queue: 'report' });
console.log('scheduled');
