/** Why a hook is off. */
export type HookDisabledReason = 'consecutive_failures' | 'operator';

/** A URL that is told of todos to be claimed. Its secret is never shown again. Times are epoch milliseconds. */
export interface NotifyHook {
  /** `nh_` and a UUID. */
  readonly id: string;
  readonly endpointId: string;
  /** Without its query: what stands there may be a secret. */
  readonly url: string;
  /** Only for these queues; empty: for all of the scope. */
  readonly queues: readonly string[];
  readonly enabled: boolean;
  readonly disabledReason: HookDisabledReason | null;
  /** Failed deliveries in a row: at 10 the hook is disabled. */
  readonly failures: number;
  readonly lastAttemptAt: number | null;
  /** The last answer's class: `2xx`, `4xx`, `timeout`, `refused` … */
  readonly lastOutcome: string | null;
  readonly createdAt: number;
  readonly rotatedAt: number | null;
}

export interface NotifyHookInput {
  /** https, at most 2 048 characters, no credentials in it; what it resolves to must be a public address. */
  readonly url: string;
  /** Queues of the scope. Default: all of them. */
  readonly queues?: readonly string[] | undefined;
}

export interface MadeNotifyHook {
  readonly hook: NotifyHook;
  /** `whsec_…`: the only time it is seen. */
  readonly signingSecret: string;
}

export interface NotifyHookList {
  readonly items: readonly NotifyHook[];
  /** How many an endpoint may have; 0: hooks are switched off. */
  readonly max: number;
}

/** The notify hooks of one endpoint. An unknown id is `NOT_FOUND`. */
export interface BoardHooks {
  /** @throws InputError `INVALID_INPUT` for a URL that may not be called; BellhopError `HOOK_CEILING`, `ENCRYPTION_KEY`. */
  create(input: NotifyHookInput): Promise<MadeNotifyHook>;
  list(): Promise<NotifyHookList>;
  /** A new secret; the old one signs, too, for 24 hours. Enables a hook that failures disabled, never one that an operator did. */
  rotate(id: string): Promise<MadeNotifyHook>;
  delete(id: string): Promise<void>;
}

/** What an operator may do besides. */
export interface OperatorHooks extends BoardHooks {
  enable(id: string): Promise<NotifyHook>;
  disable(id: string): Promise<NotifyHook>;
}
