import {
  type AckResult,
  type ClaimedDelivery,
  type DispatchLock,
  type INotificationOutbox,
  type NotificationChannel,
  SLOT_COUNT,
} from '@bellhop/contracts';
import { type Clock, InputError, type Logger, type Random, silentLogger, systemClock, systemRandom } from '@bellhop/kernel';
import { checkName } from '@bellhop/store';

/** The channels that are mounted on this node, as they are at the moment of asking. */
export interface MountedChannels {
  get(id: string): NotificationChannel | undefined;
  ids(): readonly string[];
}

/** An attempt whose outcome is written, for one row; a digest reports each of its rows. */
export interface AttemptReport {
  readonly delivery: ClaimedDelivery;
  readonly success: boolean;
  readonly result: AckResult;
  /** Time in the channel, milliseconds. */
  readonly durationMs: number;
}

export interface NotificationDispatcherOptions {
  readonly outbox: INotificationOutbox;
  readonly channels: MountedChannels;
  /** Default: the machine's. Give the store's clock where the store has one. */
  readonly clock?: Clock;
  /** For retry jitter and the default `nodeId`. Default: the machine's. */
  readonly random?: Random;
  readonly logger?: Logger;
  /** Walks partitions exclusively. Default none: claim tokens make claims exclusive. */
  readonly lock?: DispatchLock;
  /** Names this node in its claims. 1 to 255 characters, default `notify-` and eight random hex digits. */
  readonly nodeId?: string;
  /** Partitions walked with a lock service bound, or by an outbox without `survey`. 1 to 4096, default 8. */
  readonly partitionCount?: number;
  /** Rows per claim, and rows held beyond the free slots. 1 to 10 000, default 32. */
  readonly batchSize?: number;
  /** Sends in flight. 1 to 10 000, default 16. */
  readonly concurrency?: number;
  /** Sends in flight per channel: `{ email: 4 }`. Each 1 to 10 000. Default: only `concurrency`. */
  readonly channelConcurrency?: Readonly<Record<string, number>>;
  /** Milliseconds between ticks while there is work. 1 to a year, default 500. */
  readonly intervalMs?: number;
  /** Ceiling of the idle backoff, milliseconds. 0 to a year, default 30 000; at or below `intervalMs` there is none. */
  readonly maxIdleIntervalMs?: number;
  /** Least milliseconds between two woken ticks. 0 to 60 000, default 10. */
  readonly minWakeSpacingMs?: number;
  /** Part of each idle interval that is drawn at random. 0 to 0.9, default 0. */
  readonly jitter?: number;
  /** Milliseconds until a claim expires unless renewed, which it is every third of it. An integer from 10 to 2 147 483 647, default 5 000. */
  readonly claimTtlMs?: number;
  /** Milliseconds a send may take; then it is aborted and counts as a failed attempt. An integer from 10 to 2 147 483 647, default 60 000. */
  readonly sendTimeoutMs?: number;
  /** Told of every attempt once its outcome is written. What it throws is ignored. */
  readonly onAttempt?: (attempt: AttemptReport) => unknown;
}

export interface DispatcherSettings {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly nodeId: string;
  readonly partitionCount: number;
  readonly batchSize: number;
  readonly claimTtlMs: number;
  readonly sendTimeoutMs: number;
}

/** Fills in defaults. @throws InputError `INVALID_INPUT`, naming the option; what is the loop's or the pool's they check themselves. */
export function checkedDispatcherSettings(options: NotificationDispatcherOptions): DispatcherSettings {
  const random = options.random ?? systemRandom;
  return {
    clock: options.clock ?? systemClock,
    random,
    logger: options.logger ?? silentLogger,
    nodeId: checkName(options.nodeId ?? defaultNodeId(random), 'nodeId'),
    partitionCount: checkInteger('partitionCount', options.partitionCount ?? 8, { least: 1, most: SLOT_COUNT }),
    batchSize: checkInteger('batchSize', options.batchSize ?? 32, { least: 1, most: 10_000 }),
    claimTtlMs: checkInteger('claimTtlMs', options.claimTtlMs ?? 5_000, { least: 10, most: 2_147_483_647 }),
    sendTimeoutMs: checkInteger('sendTimeoutMs', options.sendTimeoutMs ?? 60_000, { least: 10, most: 2_147_483_647 }),
  };
}

function defaultNodeId(random: Random): string {
  return `notify-${Math.floor(random() * 0x1_0000_0000)
    .toString(16)
    .padStart(8, '0')}`;
}

function checkInteger(path: string, value: number, { least, most }: { readonly least: number; readonly most: number }): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new InputError('INVALID_INPUT', `${path}: ${String(value)} given; an integer from ${least} to ${most} is allowed.`, { path });
}
