/**
 * A host in a process of its own, whose hours pass when the test says so. Its arguments: the database's URL, the root key, and `with` or `without` the plugin that
 * wakes the consumers of stalled queues.
 */
import { type IStall, STALL } from '@bellhop/contracts';
import { Kernel, type KernelPlugin } from '@bellhop/kernel';
import { REAPER } from '@bellhop/reaper';
import { NOTIFY_DISPATCHER } from '@bellhop/switchboard';
import { ManualClock } from '@bellhop/testing';
import { createHost } from '../host.js';

const [url = '', apiKey = '', stall = ''] = process.argv.slice(2);

/** As of a deployment that does not load it. */
const NO_STALL: KernelPlugin = {
  name: 'switchboard-stall',
  init({ container }) {
    const none: IStall = {
      explain: () => Promise.reject(new Error('not loaded')),
      counts: () => [],
      exhaustedPairs: async () => 0,
    };
    container.bind(STALL, none);
  },
};
if (stall === 'without') {
  const use = Kernel.prototype.use;
  Kernel.prototype.use = function (this: Kernel, plugin: KernelPlugin) {
    return use.call(this, plugin.name === NO_STALL.name ? NO_STALL : plugin);
  };
}

const clock = new ManualClock();
const host = createHost(
  {
    database: { url },
    port: 0,
    apiKey,
    encryptionKey: Buffer.alloc(32, 7).toString('base64'),
    outbound: { allowHttp: true, allowCidrs: ['127.0.0.1/32'] },
  },
  { clock },
);
await host.start();

/** What a timer set off is over before the next one fires: the sweep, and the wakes it fired. */
async function settle(): Promise<void> {
  await host.kernel.resolve(REAPER).settled();
  await host.kernel.resolve(NOTIFY_DISPATCHER).settled();
}

process.on('message', ({ advanceMs }: { readonly advanceMs: number }) => {
  void clock.runFor(advanceMs, { settle }).then(() => process.send?.({ now: clock.now() }));
});
process.send?.({ url: host.url, now: clock.now() });
