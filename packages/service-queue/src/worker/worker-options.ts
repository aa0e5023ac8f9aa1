import type { JobStore, SubscribeOptions } from '@bellhop/contracts';
import { type Clock, type Logger, type Random, silentLogger, systemClock, systemRandom } from '@bellhop/kernel';
import { checkFields, checkName, checkWhole } from '@bellhop/store';
import type { QueueSchedules } from '../schedules/queue-schedules.js';

export interface QueueWorkerOptions {
  readonly jobs: JobStore;
  /** Fires the schedules that are due, when the survey says that there are. Default: none are fired here. */
  readonly schedules?: Pick<QueueSchedules, 'fireDue'>;
  /** Told when jobs of whichever queue became claimable that nobody announces: returned leases, due jobs, the next of a limited group. */
  readonly onRecovered?: () => void;
  /** Default: the machine's. Give the store's clock where the store has one. */
  readonly clock?: Clock;
  /** For retry jitter and the default `workerId`. Default: the machine's. */
  readonly random?: Random;
  readonly logger?: Logger;
  /** Called when a stop or an `unsubscribe` has handed jobs of the queue back: who else works it need not wait for its next look. */
  readonly onHandedBack?: (queue: string) => void;
  /** Names this worker in its claims. 1 to 255 characters, default `worker-` and eight random hex digits. */
  readonly workerId?: string;
  /**
   * Handlers that run at once, over all subscriptions. 1 to 10 000, default 100. A subscription that runs nothing has a slot kept back for it, up
   * to half of them, so that slow queues do not stop the others.
   */
  readonly maxConcurrency?: number;
  /** Milliseconds between ticks while there is work. 1 to a year, default 500. */
  readonly intervalMs?: number;
  /** Ceiling of the idle backoff, milliseconds. 0 to a year, default 30 000; at or below `intervalMs` there is none. */
  readonly maxIdleIntervalMs?: number;
  /** Least milliseconds between two woken ticks. 0 to 60 000, default 10. */
  readonly minWakeSpacingMs?: number;
  /** Part of each idle interval that is drawn at random. 0 to 0.9, default 0. */
  readonly jitter?: number;
}

export interface WorkerSettings {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly workerId: string;
  readonly maxConcurrency: number;
}

/** Fills in defaults. @throws InputError `INVALID_INPUT`, naming the option; what is the loop's it checks itself. */
export function checkedWorkerSettings(options: QueueWorkerOptions): WorkerSettings {
  const random = options.random ?? systemRandom;
  return {
    clock: options.clock ?? systemClock,
    random,
    logger: options.logger ?? silentLogger,
    workerId: checkName(options.workerId ?? defaultWorkerId(random), 'workerId'),
    maxConcurrency: checkWhole(options.maxConcurrency ?? 100, 'maxConcurrency', { least: 1, most: 10_000 }),
  };
}

function defaultWorkerId(random: Random): string {
  return `worker-${Math.floor(random() * 0x1_0000_0000)
    .toString(16)
    .padStart(8, '0')}`;
}

export const DEFAULT_LEASE_MS = 30_000;
/** Milliseconds of a lease. */
export const LEASE_BOUNDS = { least: 1_000, most: 3_600_000 };

/** The options of a subscription, with every default filled in. */
export interface CheckedSubscription {
  readonly concurrency: number;
  readonly leaseMs: number;
  /** Null: all. */
  readonly organizationId: string | null;
  /** Null: one job at a time. */
  readonly batch: number | null;
}

const FIELDS = ['concurrency', 'leaseMs', 'organizationId', 'batch'] as const;

/** @throws InputError `INVALID_INPUT`; the path names the option: `options.leaseMs`. */
export function checkSubscribeOptions(options: SubscribeOptions & { readonly batch?: number } = {}): CheckedSubscription {
  const { concurrency, leaseMs, organizationId, batch } = checkFields(options, 'options', FIELDS, 'options.');
  return {
    concurrency: checkWhole(concurrency ?? 10, 'options.concurrency', { least: 1, most: 1_000 }),
    leaseMs: checkWhole(leaseMs ?? DEFAULT_LEASE_MS, 'options.leaseMs', LEASE_BOUNDS),
    organizationId: organizationId === undefined ? null : checkName(organizationId, 'options.organizationId'),
    batch: batch === undefined ? null : checkWhole(batch, 'options.batch', { least: 1, most: 1_000 }),
  };
}
