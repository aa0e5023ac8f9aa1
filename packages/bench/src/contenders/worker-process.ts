/**
 * A process that works on a contender's jobs, for another one that measures. Argument: `WorkerOrders` as JSON. It says `ready` once its
 * connections are open, begins at `work`, and ends at `stop` with its report.
 */
import { monotonicMs } from '../measure/monotonic.js';
import type { JobData } from './contender.js';
import { kindOf } from './contenders.js';

export interface WorkerOrders {
  readonly product: string;
  readonly setting: string;
  readonly url: string;
  /** `count`: numbers go out now and then, the list at the end. `announce`: each start is sent at once. */
  readonly report: 'count' | 'announce';
}

export type WorkerMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'working' }
  /** How many so far. */
  | { readonly type: 'count'; readonly ran: number }
  | { readonly type: 'start'; readonly n: number; readonly at: number }
  | { readonly type: 'report'; readonly report: WorkerReport };

export interface WorkerReport {
  /** The `n` of each run, as often as it ran. */
  readonly ran: readonly number[];
  /** When the last one ran, by the machine's monotonic clock. */
  readonly lastAt: number;
}

export type WorkerCommand = 'work' | 'stop';

const COUNT_EVERY_MS = 50;

const orders = JSON.parse(process.argv[2] ?? '{}') as WorkerOrders;
const contender = await kindOf(orders.product, orders.setting).open(orders.url);
const ran: number[] = [];
let lastAt = 0;

const handlers: Readonly<Record<WorkerOrders['report'], (job: JobData) => void>> = {
  count({ n }) {
    ran.push(n);
    lastAt = monotonicMs();
  },
  announce({ n }) {
    lastAt = monotonicMs();
    ran.push(n);
    tell({ type: 'start', n, at: lastAt });
  },
};

const commanded = (command: WorkerCommand) =>
  new Promise<void>((resolve) => {
    process.on('message', (message) => {
      if (message === command) resolve();
    });
  });

const stop = commanded('stop');
const begin = commanded('work');
tell({ type: 'ready' });
await begin;
const counting = setInterval(() => tell({ type: 'count', ran: ran.length }), COUNT_EVERY_MS);
const work = await contender.work(handlers[orders.report]);
tell({ type: 'working' });
await stop;
clearInterval(counting);
await work.stop();
await contender.close();
process.send?.({ type: 'report', report: { ran, lastAt } } satisfies WorkerMessage, () => process.exit(0));

function tell(message: WorkerMessage): void {
  process.send?.(message);
}
