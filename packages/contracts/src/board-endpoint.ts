/** What a credential may be granted, one word per verb. `claim` covers `claim_next`. */
export const BOARD_VERBS = [
  'list_todos',
  'get_todo',
  'claim',
  'heartbeat',
  'complete',
  'fail',
  'release',
  'retry',
  'push',
  'notify_hooks',
  'doorbell',
] as const;
export type BoardVerb = (typeof BOARD_VERBS)[number];

/** What an endpoint is granted unless its vend says otherwise: everything but `notify_hooks`, which lets a consumer make the host call out. */
export const DEFAULT_BOARD_VERBS: readonly BoardVerb[] = BOARD_VERBS.filter((verb) => verb !== 'notify_hooks');

/** A consumer's place on the board: a slug, the hash of a credential, and what that may do. Times are epoch milliseconds. */
export interface BoardEndpoint {
  /** `ep_` and a UUID. */
  readonly id: string;
  readonly organizationId: string;
  readonly slug: string;
  /** The beginning of the credential, by which a person tells it from others. */
  readonly credentialPrefix: string;
  readonly queues: readonly string[];
  readonly verbs: readonly BoardVerb[];
  readonly state: 'active' | 'revoked';
  readonly expiresAt: number | null;
  /** Milliseconds of a claim that names no lease; null: the board's own, 300 000. */
  readonly defaultLeaseMs: number | null;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

export interface VendInput {
  /** Unique in the organization: 1 to 63 characters, a-z, 0-9 and `-`, beginning and ending with a letter or digit. */
  readonly slug: string;
  /** The queues it works: 1 to 100 names of 1 to 255 characters. `quarantine` is reserved. */
  readonly queues: readonly string[];
  /** Default {@link DEFAULT_BOARD_VERBS}. */
  readonly verbs?: readonly BoardVerb[] | undefined;
  /** Epoch milliseconds, later than now; the credential is refused from then on. Default: never. */
  readonly expiresAt?: number | undefined;
  /** 60 000 to 86 400 000. Default: the board's, 300 000. */
  readonly defaultLeaseMs?: number | undefined;
}

export interface VendedEndpoint {
  readonly endpoint: BoardEndpoint;
  /** `sbk_…`: the only time it is seen. */
  readonly credential: string;
}
