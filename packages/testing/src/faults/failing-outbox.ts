import type { INotificationOutbox } from '@bellhop/contracts';
import type { OutboxCapability } from '../conformance/notification-outbox/outbox-bench.js';
import { type CallFault, type FailingCalls, failingCalls, wrapCalls } from './failing-calls.js';

export type OutboxMethod = keyof INotificationOutbox;

/** A fault of an outbox: which call of it fails, and how. */
export type OutboxFault<Method extends OutboxMethod = OutboxMethod> = CallFault<INotificationOutbox, Method>;

export interface FailingOutbox extends Omit<FailingCalls<INotificationOutbox>, 'port'> {
  readonly outbox: INotificationOutbox;
}

/** Wraps `outbox` so that it fails on command; each fault is counted by itself, and the first that applies decides. */
export function failingOutbox<Method extends OutboxMethod>(outbox: INotificationOutbox, ...faults: OutboxFault<Method>[]): FailingOutbox {
  const { port, ...controls } = failingCalls(outbox);
  for (const fault of faults) controls.fail(fault);
  return { outbox: port, ...controls };
}

/** The same outbox as an older one would be: without these capabilities, which neither a call nor `in` finds. */
export function withoutCapabilities(outbox: INotificationOutbox, masked: readonly OutboxCapability[]): INotificationOutbox {
  return wrapCalls(outbox, (_name, original) => original, new Set<PropertyKey>(masked));
}
