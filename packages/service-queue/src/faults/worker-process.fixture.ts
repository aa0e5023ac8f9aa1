/** A process that works a queue's jobs, for tests of what happens between processes: it does what messages tell it, one line of `ORDERS` each. */
import { QUEUE, type SubscribeOptions } from '@bellhop/contracts';
import { Kernel, type Logger, silentLogger, systemClock } from '@bellhop/kernel';
import { storePlugin } from '@bellhop/store';
import { queuePlugin } from '../queue-plugin.js';
import { QUEUE_WORKER } from '../worker/queue-worker-token.js';

/** What the handler of a subscription does with a job at its first attempt; a later one, and a `quick` job, is done at once. */
export type Act = 'record' | 'hold' | 'block';

export interface Run {
  readonly id: string;
  readonly attempt: number;
  /** Epoch milliseconds at which it began. */
  readonly at: number;
}

export interface Report {
  readonly runs: Run[];
  /** Everything that was logged as a warning or worse. */
  readonly logged: string[];
  readonly lost: number;
}

/** How long a blocking handler keeps the event loop from turning. */
const BLOCKED_MS = 1_800;

const [url = ''] = process.argv.slice(2);
const logged: string[] = [];
const log = (fields: Readonly<Record<string, unknown>>, message: string) => void logged.push(`${message}: ${JSON.stringify(fields)}`);
const logger: Logger = { ...silentLogger, warn: log, error: log, child: () => logger };
const runs = new Map<string, Run[]>();
let finish = () => {};
const told = new Promise<void>((resolve) => {
  finish = resolve;
});

const kernel = new Kernel({ logger })
  .use(storePlugin({ url, posture: 'isolated' }))
  .use(queuePlugin({ workIntervalMs: 100, workMaxIdleIntervalMs: 500 }));
await kernel.start();
const queue = kernel.resolve(QUEUE);

const ORDERS = {
  async publish({ to, count }: { to: string; count: number }) {
    const some = 250;
    for (let n = 0; n < count; n += some) {
      await queue.publishMany(
        to,
        Array.from({ length: Math.min(some, count - n) }, (_, place) => ({ data: n + place })),
      );
    }
    return { published: count };
  },
  async work({ of, act, options }: { of: string; act: Act; options?: SubscribeOptions }) {
    const own: Run[] = [];
    runs.set(of, own);
    queue.subscribe(
      of,
      async ({ id, attempt, data }, { signal }) => {
        own.push({ id, attempt, at: systemClock.now() });
        if (act === 'record' || attempt > 1 || data === 'quick') return;
        await say({ holds: id });
        if (act === 'block') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BLOCKED_MS);
        signal.addEventListener('abort', () => void say({ aborted: id, why: String(signal.reason) }));
        await told;
      },
      options,
    );
    return { works: of };
  },
  async leave({ of }: { of: string }) {
    await queue.unsubscribe(of);
    return { left: of };
  },
  async finish() {
    finish();
    return { finishes: true };
  },
  async report({ of }: { of: string }): Promise<Report> {
    return { runs: runs.get(of) ?? [], logged: logged.splice(0), lost: kernel.resolve(QUEUE_WORKER).counters().lost };
  },
};

process.on('message', (order: { readonly order: keyof typeof ORDERS }) => {
  void ORDERS[order.order](order as never).then((answer) => say({ answer }));
});
await say({ ready: true });

/** Resolves when it has left the process: what follows may keep it from leaving. */
function say(message: unknown): Promise<void> {
  return new Promise((resolve, reject) => process.send?.(message, undefined, undefined, (error) => (error ? reject(error) : resolve())));
}
