import { randomBytes, randomUUID } from 'node:crypto';
import type { ReadyTodo, Store, WakeOutcome } from '@bellhop/contracts';
import type { Logger } from '@bellhop/kernel';
import { type OutboundRequest, type OutboundResult, SecretSealer } from '@bellhop/outbound';
import type { ManualClock } from '@bellhop/testing';
import type { SeededEndpoint } from '../stores/board-stores.fixture.js';
import { NotifyHookStore } from '../stores/notify-hook-store.js';
import { NotifyDispatcher } from './notify-dispatcher.js';

export interface LogLine {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export function recordingLogger(lines: LogLine[]): Logger {
  const at = (level: string) => (fields: LogLine['fields'], message: string) => void lines.push({ level, fields, message });
  const logger: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error'), child: () => logger };
  return logger;
}

export const sealer = SecretSealer.fromKey(randomBytes(32).toString('base64'));

export function answered(status: number): OutboundResult {
  return { kind: 'answered', status, headers: {}, text: '', cut: false, durationMs: 1 };
}

export function failed(cause: Extract<OutboundResult, { kind: 'failed' }>['cause']): OutboundResult {
  return { kind: 'failed', cause, message: cause, durationMs: 1 };
}

/** Something that a test waits for. */
export function happening(): { readonly happened: Promise<void>; now(): void } {
  let now = () => {};
  const happened = new Promise<void>((resolve) => {
    now = resolve;
  });
  return { happened, now: () => now() };
}

/** What arrives, in order, each for one who waits. */
export function arrivals<T>(): { deliver(item: T): void; take(): Promise<T> } {
  const items: T[] = [];
  const waiting: ((item: T) => void)[] = [];
  return {
    deliver(item) {
      const next = waiting.shift();
      if (next) next(item);
      else items.push(item);
    },
    take: () => (items.length > 0 ? Promise.resolve(items.shift() as T) : new Promise((resolve) => waiting.push(resolve))),
  };
}

export type Receiver = (request: OutboundRequest, call: number) => OutboundResult | Promise<OutboundResult>;

export interface NotifyBench {
  readonly dispatcher: NotifyDispatcher;
  readonly hooks: NotifyHookStore;
  /** In the order they were sent. */
  readonly requests: OutboundRequest[];
  readonly outcomes: WakeOutcome[];
  readonly lines: LogLine[];
  /** Moves the clock, and lets what comes due end. */
  run(ms: number): Promise<void>;
  hook(endpoint: SeededEndpoint, url?: string, queues?: readonly string[]): Promise<{ id: string; secret: string }>;
  bodies(): Record<string, unknown>[];
}

/** A dispatcher whose receivers are a function. */
export function notifyBench({
  store,
  clock,
  receiver = () => answered(200),
  max = 5,
}: {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly receiver?: Receiver | undefined;
  readonly max?: number | undefined;
}): NotifyBench {
  const requests: OutboundRequest[] = [];
  const outcomes: WakeOutcome[] = [];
  const lines: LogLine[] = [];
  const logger = recordingLogger(lines);
  const hooks = new NotifyHookStore({ store, sealer, guard: { check: async () => undefined }, max });
  const client = {
    async send(request: OutboundRequest) {
      requests.push(request);
      return receiver(request, requests.length);
    },
  };
  const dispatcher = new NotifyDispatcher({ store, hooks, client, sealer, clock, random: () => 0.5, logger, version: '1.2.3' });
  dispatcher.onOutcome((outcome) => void outcomes.push(outcome));
  return {
    dispatcher,
    hooks,
    requests,
    outcomes,
    lines,
    run: (ms) => clock.runFor(ms, { settle: () => dispatcher.settled() }),
    async hook(endpoint, url = `https://hook.example/${randomUUID()}`, queues) {
      const made = await hooks.of(endpoint).create({ url, queues });
      return { id: made.hook.id, secret: made.signingSecret };
    },
    bodies: () => requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>),
  };
}

export function ready(endpoint: Pick<SeededEndpoint, 'id' | 'organizationId'>, id: string, queue = 'work'): ReadyTodo {
  return { id, organizationId: endpoint.organizationId, endpointId: endpoint.id, queue };
}
