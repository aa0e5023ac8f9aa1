import type {
  ChannelDelivery,
  ClaimedDelivery,
  EnqueueDeliveryInput,
  INotificationOutbox,
  NotificationChannel,
  SendResult,
} from '@bellhop/contracts';
import { failingOutbox, flakyChannel, ManualClock, type OutboxCapability, type OutboxMethod, withoutCapabilities } from '@bellhop/testing';
import { MemoryNotificationOutbox } from '../stores/memory-notification-outbox.js';
import type { NotificationDispatcherOptions } from './dispatcher-options.js';
import { NotificationDispatcher } from './notification-dispatcher.js';

const METHODS: readonly OutboxMethod[] = ['survey', 'reap', 'claim', 'claimDigest', 'ack', 'ackMany', 'renew', 'release'];

export interface BenchOptions extends Partial<Omit<NotificationDispatcherOptions, 'outbox' | 'channels' | 'clock'>> {
  readonly clock?: ManualClock;
  /** Shared with another bench: two nodes on one outbox. */
  readonly memory?: MemoryNotificationOutbox;
  /** Capabilities the dispatcher's outbox has not. */
  readonly without?: readonly OutboxCapability[];
  readonly channels?: readonly NotificationChannel[];
}

/**
 * A dispatcher on a memory outbox and a manual clock. The dispatcher's calls go through a fault injector that counts them; the test itself
 * writes to `memory` directly. Retry jitter is none (the draw is 0.5) unless `random` is given.
 */
export function dispatcherBench(options: BenchOptions = {}) {
  const { clock = new ManualClock(), without = [], channels, memory = new MemoryNotificationOutbox({ clock }), ...rest } = options;
  const faults = failingOutbox(withoutCapabilities(memory, without));
  const channel = flakyChannel({ id: 'email' });
  const mounted = new Map((channels ?? [channel]).map((each) => [each.id, each]));
  const dispatcher = new NotificationDispatcher({
    random: () => 0.5,
    ...rest,
    outbox: faults.outbox,
    channels: { get: (id) => mounted.get(id), ids: () => [...mounted.keys()] },
    clock,
  });
  let enqueued = 0;

  return {
    clock,
    memory,
    dispatcher,
    /** The default channel: every send is ok. */
    channel,
    mounted,
    faults,
    /** Enqueues one row, due now unless it says otherwise. */
    enqueue: (input: Partial<EnqueueDeliveryInput> = {}) => {
      enqueued += 1;
      return memory.enqueue({
        notificationId: `notification-${enqueued}`,
        recipientId: 'ada',
        channel: 'email',
        topic: 'order.placed',
        payload: { title: `Title ${enqueued}` },
        ...input,
      });
    },
    /** Claims everything due for a node that then dies. */
    claimForDeadNode: (claimTtlMs = 5_000): Promise<ClaimedDelivery[]> => memory.claim({ nodeId: 'dead', limit: 1_000, claimTtlMs }),
    row: async (id: string) => {
      const { items } = await memory.list({ limit: 200 });
      const row = items.find((item) => item.id === id);
      if (!row) throw new Error(`No row ${id}.`);
      return row;
    },
    statuses: async () => (await memory.list({ limit: 200 })).items.map(({ status }) => status),
    /** Stops it while time passes, as a hanging send needs. */
    stop: async (deadlineMs = 0) => {
      const stopping = dispatcher.stop({ deadlineMs });
      await clock.advance(deadlineMs + 1_000);
      await stopping;
    },
    /** Calls that reached the dispatcher's outbox, by method; those never made are left out. */
    calls: () => Object.fromEntries(METHODS.map((method) => [method, faults.calls(method)]).filter(([, count]) => count !== 0)),
    callCount: () => METHODS.reduce((sum, method) => sum + faults.calls(method), 0),
  };
}

/** The monotonic times at which `method` was called. */
export function timesOf(clock: ManualClock, outbox: INotificationOutbox, method: 'reap' | 'survey') {
  const times: number[] = [];
  const original = outbox[method] as (...args: never[]) => Promise<never>;
  Object.defineProperty(outbox, method, {
    configurable: true,
    writable: true,
    value: (...args: never[]) => {
      times.push(clock.monotonic());
      return original.apply(outbox, args);
    },
  });
  return times;
}

/** A channel whose every send waits for the test to end it. It does not listen to its signal. */
export function heldChannel(id: string) {
  const sends: { readonly delivery: ChannelDelivery; readonly signal: AbortSignal; readonly end: (result?: SendResult) => void }[] = [];
  const channel: NotificationChannel = {
    id,
    send: ({ signal }, delivery) =>
      new Promise((resolve) => sends.push({ delivery, signal, end: (result = { ok: true }) => resolve(result) })),
  };
  return { channel, sends };
}
