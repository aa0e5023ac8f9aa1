import { MESSAGING, NOTIFICATION_OUTBOX, STORE } from '@bellhop/contracts';
import { BellhopError, type Kernel, type Token } from '@bellhop/kernel';
import { NOTIFICATION_DISPATCHER, SqlNotificationOutbox } from '@bellhop/service-messaging';
import { Counter, Gauge, type Registry } from 'prom-client';
import { oldestDueAges } from './oldest-due.js';

const COUNTERS = {
  ticks: ['bellhop_loop_ticks_total', 'Passes of the loop.'],
  wakes: ['bellhop_loop_wakes_total', 'Times work was announced to the loop.'],
  coalescedWakes: ['bellhop_loop_coalesced_wakes_total', 'Wakes that one tick answered together with an earlier one.'],
  errors: ['bellhop_loop_errors_total', 'Ticks, and parts of ticks, that failed.'],
  claimed: ['bellhop_dispatcher_claimed_total', 'Deliveries claimed.'],
  delivered: ['bellhop_dispatcher_delivered_total', 'Deliveries that their channel accepted.'],
  failed: ['bellhop_dispatcher_failed_total', 'Attempts that failed and are retried.'],
  deferred: ['bellhop_dispatcher_deferred_total', 'Attempts that a rate limit put off.'],
  dead: ['bellhop_dispatcher_dead_total', 'Deliveries given up.'],
  suppressed: ['bellhop_dispatcher_suppressed_total', 'Deliveries whose recipient cannot be reached on the channel.'],
  lost: ['bellhop_dispatcher_lost_total', 'Claims that somebody else took over; nothing was written for them.'],
  reaped: ['bellhop_dispatcher_reaped_total', 'Expired claims that this node returned to pending.'],
} as const;

const GAUGES = {
  idleLevel: ['bellhop_loop_idle_level', 'Ticks in a row that found nothing.'],
  sending: ['bellhop_dispatcher_sending', 'Sends in flight.'],
} as const;

/** Shows the dispatcher of the kernel, when it runs one, and how long the oldest due delivery of each channel has waited, when the outbox is in the store. */
export function registerMessagingMetrics(registry: Registry, kernel: Kernel): void {
  const registers = [registry];
  const dispatcher = resolveBound(kernel, NOTIFICATION_DISPATCHER);
  if (dispatcher) {
    const labels = { loop: 'notifications' };
    for (const [counter, [name, help]] of Object.entries(COUNTERS) as [keyof typeof COUNTERS, readonly [string, string]][]) {
      new Counter({
        name,
        help,
        labelNames: ['loop'],
        registers,
        collect() {
          this.reset();
          this.inc(labels, dispatcher.counters()[counter]);
        },
      });
    }
    for (const [gauge, [name, help]] of Object.entries(GAUGES) as [keyof typeof GAUGES, readonly [string, string]][]) {
      new Gauge({
        name,
        help,
        labelNames: ['loop'],
        registers,
        collect() {
          this.set(labels, dispatcher.counters()[gauge]);
        },
      });
    }
    new Gauge({
      name: 'bellhop_loop_lateness_seconds',
      help: 'Claim time minus due time: of the last tick that claimed, and the most there was.',
      labelNames: ['loop', 'of'],
      registers,
      collect() {
        const { lateness } = dispatcher.counters();
        if (!lateness) return;
        this.set({ ...labels, of: 'last' }, lateness.lastMs / 1_000);
        this.set({ ...labels, of: 'max' }, lateness.maxMs / 1_000);
      },
    });
  }

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

function resolveBound<T>(kernel: Kernel, token: Token<T>): T | undefined {
  try {
    return kernel.resolve(token);
  } catch (error) {
    if (error instanceof BellhopError && error.code === 'TOKEN_UNBOUND') return undefined;
    throw error;
  }
}
