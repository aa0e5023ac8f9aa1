import type { Kernel } from '@bellhop/kernel';
import { QUEUE_WORKER } from '@bellhop/service-queue';
import type { Registry } from 'prom-client';
import { registerCounts } from './count-metrics.js';
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

/** Shows the queue worker of the kernel, when it runs one. A scrape costs no statement. */
export function registerQueueMetrics(registry: Registry, kernel: Kernel): void {
  const worker = resolveBound(kernel, QUEUE_WORKER);
  if (worker) registerCounts(registry, { labels: {}, read: () => worker.counters(), counters: COUNTERS, gauges: GAUGES });
}
