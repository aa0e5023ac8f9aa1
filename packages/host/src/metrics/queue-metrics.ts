import { JOB_STORE, STORE } from '@bellhop/contracts';
import type { Kernel } from '@bellhop/kernel';
import { JOB_PULL, QUEUE_WORKER, SqlJobStore } from '@bellhop/service-queue';
import { Gauge, type Registry } from 'prom-client';
import { registerCounts } from './count-metrics.js';
import { oldestDeadAge } from './oldest-dead.js';
import { resolveBound } from './resolve-bound.js';

const COUNTERS = {
  claimed: ['bellhop_queue_claimed_total', 'Jobs claimed by the subscriptions of this process.'],
  completed: ['bellhop_queue_completed_total', 'Jobs completed.'],
  retried: ['bellhop_queue_retried_total', 'Attempts that failed and are tried again.'],
  dead: ['bellhop_queue_dead_total', 'Jobs given up.'],
  snoozed: ['bellhop_queue_snoozed_total', 'Jobs put off by their handlers, or handed back by a stop.'],
  lost: ['bellhop_queue_lost_total', 'Claims that somebody else took over; nothing was written for them.'],
  putOff: ['bellhop_queue_put_off_total', 'Jobs that may have ended a process, put off so that they run one at a time.'],
  reclaimed: ['bellhop_queue_reclaimed_total', 'Expired leases that this node returned, of whichever queue.'],
  promoted: ['bellhop_queue_promoted_total', 'Scheduled jobs that this node made claimable, of whichever queue.'],
} as const;

const GAUGES = {
  running: ['bellhop_queue_running', 'Handlers that run.'],
  subscriptions: ['bellhop_queue_subscriptions', 'Subscriptions that this process serves.'],
} as const;

const PULL_COUNTERS = {
  claimed: ['bellhop_queue_pull_claimed_total', 'Jobs claimed by consumers outside of this process.'],
  completed: ['bellhop_queue_pull_completed_total', 'Jobs that such consumers completed.'],
  retried: ['bellhop_queue_pull_retried_total', 'Their attempts that failed and are tried again.'],
  dead: ['bellhop_queue_pull_dead_total', 'Jobs given up in their hands.'],
  released: ['bellhop_queue_pull_released_total', 'Jobs handed back, by them or because they were gone.'],
  lost: ['bellhop_queue_pull_lost_total', 'Their calls under a claim that was lost; nothing was written for them.'],
} as const;

const PULL_GAUGES = { waiting: ['bellhop_queue_pull_waiting', 'Such consumers that wait for a job.'] } as const;

/**
 * Shows the queue worker of the kernel, when it runs one, and what consumers outside of it do; how long ago the oldest dead job died, when jobs are
 * in the store.
 */
export function registerQueueMetrics(registry: Registry, kernel: Kernel): void {
  const worker = resolveBound(kernel, QUEUE_WORKER);
  if (worker) registerCounts(registry, { labels: {}, read: () => worker.counters(), counters: COUNTERS, gauges: GAUGES });
  const pull = kernel.resolve(JOB_PULL);
  registerCounts(registry, { labels: {}, read: () => pull.counters(), counters: PULL_COUNTERS, gauges: PULL_GAUGES });

  if (!(resolveBound(kernel, JOB_STORE) instanceof SqlJobStore)) return;
  const store = kernel.resolve(STORE);
  new Gauge({
    name: 'bellhop_queue_oldest_dead_age_seconds',
    help: 'How long ago the dead job died that has been dead for longest, of whichever queue; 0 when there is none. Costs a statement, when scraped.',
    registers: [registry],
    async collect() {
      // An outage must not take the other metrics along.
      this.set(
        await oldestDeadAge(store).then(
          (ageMs) => ageMs / 1_000,
          () => Number.NaN,
        ),
      );
    },
  });
}
