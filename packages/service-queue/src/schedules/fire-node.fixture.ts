// A node with the queue plugin, whose clock and whose steps the test decides. With `{ advanceMs, gated }` it lives on for so long and answers
// `{ at, ran, outcomes }`: the runs it worked and what came of its fires, since it was asked last. Gated, it says `{ noticed }` when it has read
// what is due for the first time, and waits for `{ go }` before it fires.
import { type DueSchedule, JOB_STORE, QUEUE, SCHEDULE_STORE, type ScheduleFire, type ScheduleFireOutcome, STORE } from '@bellhop/contracts';
import { Kernel } from '@bellhop/kernel';
import { openStore, storePlugin } from '@bellhop/store';
import { ManualClock } from '@bellhop/testing';
import { queuePlugin } from '../queue-plugin.js';
import { SqlJobStore } from '../stores/sql-job-store.js';
import { SqlScheduleStore } from '../stores/sql-schedule-store.js';
import { QUEUE_WORKER } from '../worker/queue-worker-token.js';

export interface NodeReport {
  readonly at: number;
  readonly ran: readonly string[];
  readonly outcomes: readonly ScheduleFireOutcome[];
}

const send = (message: unknown) => process.send?.(message);
let ran: string[] = [];
let outcomes: ScheduleFireOutcome[] = [];
let gated = false;
let open: () => void = () => {};

class GatedSchedules extends SqlScheduleStore {
  override async due(options: { readonly now: number; readonly limit: number }): Promise<DueSchedule[]> {
    const due = await super.due(options);
    if (gated && due.length > 0) {
      gated = false;
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      send({ noticed: due.length });
      await opened;
    }
    return due;
  }

  override async fire(fires: readonly ScheduleFire[]): Promise<ScheduleFireOutcome[]> {
    const come = await super.fire(fires);
    outcomes.push(...come);
    return come;
  }
}

const clock = new ManualClock();
const url = process.argv[2] as string;
const store = await openStore({ url, posture: 'isolated' }, { clock });
const kernel = new Kernel({ clock })
  .bind(STORE, store)
  .bind(JOB_STORE, new SqlJobStore({ store }))
  .bind(SCHEDULE_STORE, new GatedSchedules({ store }))
  .use(storePlugin({ url }))
  .use(queuePlugin());
await kernel.start();
const worker = kernel.resolve(QUEUE_WORKER);
kernel.resolve(QUEUE).subscribe('report', ({ metadata }) => void ran.push(`${metadata?.schedule} ${metadata?.fireAt}`));
await worker.settled();

process.on('message', async (message: { readonly advanceMs: number; readonly gated: boolean } | { readonly go: true }) => {
  if ('go' in message) return open();
  gated = message.gated;
  await clock.runFor(message.advanceMs, { settle: () => worker.settled() });
  send({ at: clock.now(), ran, outcomes } satisfies NodeReport);
  [ran, outcomes] = [[], []];
});
send({ ready: true });
