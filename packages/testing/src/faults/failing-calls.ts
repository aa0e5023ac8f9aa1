/**
 * A port that fails on command around a real one. Optional members stay what they are on the original: who probes for one finds it exactly when
 * the original has it.
 */
export interface CallFault<Port, Method extends keyof Port = keyof Port> {
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
  readonly when?: (args: ArgumentsOf<Port, Method>) => boolean;
  /** What is thrown. Default: an `Error` that names the method. */
  readonly error?: unknown;
}

type ArgumentsOf<Port, Method extends keyof Port> = NonNullable<Port[Method]> extends (...args: infer Args) => unknown ? Args : never;

export interface FailingCalls<Port> {
  readonly port: Port;
  /** Adds a fault to those given at the start. */
  fail<Method extends keyof Port>(fault: CallFault<Port, Method>): void;
  /** Lets every hung call go on, and ends the hanging of faults that would hang more. */
  releaseHung(): void;
  /** Calls of a method so far, failed ones included. */
  calls(method: keyof Port): number;
}

interface ArmedFault {
  readonly fault: CallFault<never>;
  seen: number;
  spent: boolean;
}

type AnyCall = (...args: unknown[]) => unknown;

/** Wraps `original`; each fault is counted by itself, and the first that applies decides. */
export function failingCalls<Port extends object>(original: Port): FailingCalls<Port> {
  const armed: ArmedFault[] = [];
  const counts = new Map<PropertyKey, number>();
  let hung: (() => void)[] = [];

  const applies = (method: PropertyKey, args: unknown[]): CallFault<never> | undefined => {
    let found: CallFault<never> | undefined;
    for (const entry of armed) {
      const { fault } = entry;
      if (entry.spent || fault.method !== method || fault.when?.(args as never) === false) continue;
      entry.seen += 1;
      const first = fault.nth ?? 1;
      if (entry.seen >= first && entry.seen < first + (fault.times ?? 1)) found ??= fault;
    }
    return found;
  };

  const call = async (method: PropertyKey, member: AnyCall, args: unknown[]): Promise<unknown> => {
    counts.set(method, (counts.get(method) ?? 0) + 1);
    const fault = applies(method, args);
    if (fault?.kind === 'hang') await new Promise<void>((resolve) => hung.push(resolve));
    if (fault?.kind !== 'throw') {
      const answer = await member(...args);
      if (fault?.kind !== 'throwAfter') return answer;
    }
    throw fault?.error ?? new Error(`${String(method)} fails, as the test asked (${fault?.kind}).`);
  };

  return {
    port: wrapCalls(
      original,
      (method, member) =>
        (...args) =>
          call(method, member, args),
    ),
    fail: (fault) => void armed.push({ fault: fault as unknown as CallFault<never>, seen: 0, spent: false }),
    releaseHung() {
      for (const entry of armed) if (entry.fault.kind === 'hang') entry.spent = true;
      const waiting = hung;
      hung = [];
      for (const resolve of waiting) resolve();
    },
    calls: (method) => counts.get(method) ?? 0,
  };
}

/** The same port with each call replaced, and without those members that are masked, which neither a call nor `in` finds. */
export function wrapCalls<Port extends object>(
  port: Port,
  replace: (method: PropertyKey, member: AnyCall) => AnyCall,
  masked: ReadonlySet<PropertyKey> = new Set(),
): Port {
  return new Proxy(port, {
    has: (target, name) => !masked.has(name) && Reflect.has(target, name),
    get(target, name) {
      if (masked.has(name)) return undefined;
      const member: unknown = Reflect.get(target, name, target);
      // Bound to the original: its private fields are not on the proxy.
      return typeof member === 'function' ? replace(name, (member as AnyCall).bind(target)) : member;
    },
  });
}
