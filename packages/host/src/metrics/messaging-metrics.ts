import { MESSAGING, NOTIFICATION_OUTBOX, STORE } from '@bellhop/contracts';
import type { Kernel } from '@bellhop/kernel';
import { NOTIFICATION_DISPATCHER, SqlNotificationOutbox } from '@bellhop/service-messaging';
import { Gauge, type Registry } from 'prom-client';
import { registerCounts } from './count-metrics.js';
import { oldestDueAges } from './oldest-due.js';
import { resolveBound } from './resolve-bound.js';

const COUNTERS = {
  claimed: ['bellhop_dispatcher_claimed_total', 'Deliveries claimed.'],
  delivered: ['bellhop_dispatcher_delivered_total', 'Deliveries that their channel accepted.'],
  failed: ['bellhop_dispatcher_failed_total', 'Attempts that failed and are retried.'],
  deferred: ['bellhop_dispatcher_deferred_total', 'Attempts that a rate limit put off.'],
  dead: ['bellhop_dispatcher_dead_total', 'Deliveries given up.'],
  suppressed: ['bellhop_dispatcher_suppressed_total', 'Deliveries whose recipient cannot be reached on the channel.'],
  lost: ['bellhop_dispatcher_lost_total', 'Claims that somebody else took over; nothing was written for them.'],
  reaped: ['bellhop_dispatcher_reaped_total', 'Expired claims that this node returned to pending.'],
} as const;

const GAUGES = { sending: ['bellhop_dispatcher_sending', 'Sends in flight.'] } as const;

/** Shows the dispatcher of the kernel, when it runs one, and how long the oldest due delivery of each channel has waited, when the outbox is in the store. */
export function registerMessagingMetrics(registry: Registry, kernel: Kernel): void {
  const registers = [registry];
  const dispatcher = resolveBound(kernel, NOTIFICATION_DISPATCHER);
  if (dispatcher)
    registerCounts(registry, { labels: { loop: 'notifications' }, read: () => dispatcher.counters(), counters: COUNTERS, gauges: GAUGES });

  if (!(resolveBound(kernel, NOTIFICATION_OUTBOX) instanceof SqlNotificationOutbox)) return;
  new Gauge({
    name: 'bellhop_outbox_oldest_due_age_seconds',
    help: 'How long the oldest due delivery of a channel has waited; 0 when none is due. mounted="false": this process does not serve the channel. Costs a statement, when scraped.',
    labelNames: ['channel', 'mounted'],
    registers,
    async collect() {
      // A channel that somebody else served since the last scrape must not go on showing its last age.
      this.reset();
      const mounted = kernel.resolve(MESSAGING).channels();
      try {
        const ages = await oldestDueAges(kernel.resolve(STORE));
        for (const channel of new Set([...mounted, ...ages.keys()])) {
          this.set({ channel, mounted: String(mounted.includes(channel)) }, (ages.get(channel) ?? 0) / 1_000);
        }
      } catch {
        // An outage must not take the other metrics along; NaN is how Prometheus writes "not known".
        for (const channel of mounted) this.set({ channel, mounted: 'true' }, Number.NaN);
      }
    },
  });
}
