/**
 * An outbox that fails on command around a real one. Optional capabilities stay what they are on the original: a dispatcher that probes
 * for `reap` finds it exactly when the original has it.
 */
import type { INotificationOutbox } from '@bellhop/contracts';
import type { OutboxCapability } from '../conformance/notification-outbox/outbox-bench.js';

export type OutboxMethod = keyof INotificationOutbox;

export interface OutboxFault<Method extends OutboxMethod = OutboxMethod> {
  readonly method: Method;
  /**
   * - `throw`: the call rejects and the original never hears of it
   * - `throwAfter`: the original does it, and the answer is lost
   * - `hang`: the call never settles until `releaseHung`, and is then passed on
   */
  readonly kind: 'throw' | 'throwAfter' | 'hang';
  /** Which of the matching calls is the first to fail; 1 is the next. Default 1. */
  readonly nth?: number;
  /** How many from there on fail. Default 1; `Infinity` for all. */
  readonly times?: number;
  /** Only calls whose arguments this accepts count: `([options]) => options.partition?.index === 1`. Default: all. */
  readonly when?: (args: Parameters<NonNullable<INotificationOutbox[Method]>>) => boolean;
  /** What is thrown. Default: an `Error` that names the method. */
  readonly error?: unknown;
}

export interface FailingOutbox {
  readonly outbox: INotificationOutbox;
  /** Adds a fault to those given at the start. */
  fail<Method extends OutboxMethod>(fault: OutboxFault<Method>): void;
  /** Lets every hung call go on, and ends the hanging of faults that would hang more. */
  releaseHung(): void;
  /** Calls of a method so far, failed ones included. */
  calls(method: OutboxMethod): number;
}

interface ArmedFault {
  readonly fault: OutboxFault;
  seen: number;
  spent: boolean;
}

type AnyCall = (...args: unknown[]) => unknown;

/** Wraps `outbox`; each fault is counted by itself, and the first that applies decides. */
export function failingOutbox<Method extends OutboxMethod>(outbox: INotificationOutbox, ...faults: OutboxFault<Method>[]): FailingOutbox {
  const armed: ArmedFault[] = [];
  const counts = new Map<OutboxMethod, number>();
  let hung: (() => void)[] = [];

  const fail = (fault: OutboxFault<never>): void => {
    armed.push({ fault: fault as unknown as OutboxFault, seen: 0, spent: false });
  };
  for (const fault of faults) fail(fault as OutboxFault<never>);

  const applies = (method: OutboxMethod, args: unknown[]): OutboxFault | undefined => {
    let found: OutboxFault | undefined;
    for (const entry of armed) {
      const { fault } = entry;
      if (entry.spent || fault.method !== method || fault.when?.(args as never) === false) continue;
      entry.seen += 1;
      const first = fault.nth ?? 1;
      if (entry.seen >= first && entry.seen < first + (fault.times ?? 1)) found ??= fault;
    }
    return found;
  };

  const call = async (method: OutboxMethod, original: AnyCall, args: unknown[]): Promise<unknown> => {
    counts.set(method, (counts.get(method) ?? 0) + 1);
    const fault = applies(method, args);
    if (fault?.kind === 'hang') await new Promise<void>((resolve) => hung.push(resolve));
    if (fault?.kind !== 'throw') {
      const answer = await original(...args);
      if (fault?.kind !== 'throwAfter') return answer;
    }
    throw fault?.error ?? new Error(`${method} fails, as the test asked (${fault?.kind}).`);
  };

  return {
    outbox: wrap(
      outbox,
      (name, original) =>
        (...args) =>
          call(name, original, args),
    ),
    fail,
    releaseHung() {
      for (const entry of armed) if (entry.fault.kind === 'hang') entry.spent = true;
      const waiting = hung;
      hung = [];
      for (const resolve of waiting) resolve();
    },
    calls: (method) => counts.get(method) ?? 0,
  };
}

/** The same outbox as an older one would be: without these capabilities, which neither a call nor `in` finds. */
export function withoutCapabilities(outbox: INotificationOutbox, masked: readonly OutboxCapability[]): INotificationOutbox {
  return wrap(outbox, (_name, original) => original, new Set<PropertyKey>(masked));
}

function wrap(
  outbox: INotificationOutbox,
  replace: (name: OutboxMethod, original: AnyCall) => AnyCall,
  masked: ReadonlySet<PropertyKey> = new Set(),
): INotificationOutbox {
  return new Proxy(outbox, {
    has: (target, name) => !masked.has(name) && Reflect.has(target, name),
    get(target, name) {
      if (masked.has(name)) return undefined;
      const member: unknown = Reflect.get(target, name, target);
      // Bound to the original: its private fields are not on the proxy.
      return typeof member === 'function' ? replace(name as OutboxMethod, (member as AnyCall).bind(target)) : member;
    },
  });
}
