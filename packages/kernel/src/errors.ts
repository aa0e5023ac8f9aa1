/**
 * Every error code of Bellhop, in one list. A code is stable: callers branch on it, never on the message.
 * Outcomes that are normal (a lost claim, a duplicate key) are data and have no code.
 */
export const ERROR_CODES = {
  // input
  INVALID_INPUT: 'A value is malformed or out of its bounds.',
  PAYLOAD_TOO_LARGE:
    'A payload is larger than 256 KiB, the metadata of a job larger than 16 KiB, or the body of an inbound webhook larger than 5 MiB.',
  UNKNOWN_CHANNEL: 'A channel id is not registered where one is required.',
  NOT_FOUND: 'The thing named does not exist, or belongs to another organization.',
  // kernel
  PLUGIN_OPTIONS: 'A plugin was given options it does not allow.',
  PLUGIN_DUPLICATE: 'Two plugins have the same name.',
  PLUGIN_MISSING: 'Plugins require others that are not loaded.',
  PLUGIN_CYCLE: 'Plugins require one another in a circle.',
  PLUGIN_FAILED: 'A plugin failed in init, start, ready or stop.',
  PLUGIN_TIMEOUT: 'A plugin did not finish init, start, ready or stop in time.',
  KERNEL_STATE: 'The kernel is not in a state that allows the call.',
  TOKEN_UNBOUND: 'Nothing is bound to the token.',
  TOKEN_BOUND: 'The token is bound already.',
  // store
  STORE_URL: 'The database URL is malformed or names no supported store.',
  STORE_UNREADABLE: 'The database cannot be opened or is not a database.',
  STORE_BUSY: 'The database stayed locked, or the transaction kept colliding with others, for the whole retry time.',
  STORE_UNAVAILABLE: 'The database cannot be reached.',
  STORE_FULL: 'The disk is full, or the database has reached its size limit.',
  STORE_CLOSED: 'The store is closed.',
  SCHEMA_NEWER: 'The database has a newer, breaking schema than this code.',
  MIGRATION_FAILED: 'A migration failed and was rolled back.',
  BATCH_ONLY: 'A read inside a transaction of a remote libSQL store, where a transaction is one batch of writes.',
  TRX_REQUIRED: 'A call without its transaction inside an open SQLite transaction, where it would wait for itself.',
  TRX_ABORTED:
    'A statement failed inside a Postgres transaction and its error was swallowed: the server rolled everything back at the commit.',
  // messaging
  OUTBOX_REQUIRED: 'An option needs an outbox and there is none.',
  // queue
  JOB_NOT_FOUND: 'There is no such job, it belongs to another organization, or it is not in the state the call is for.',
  SCHEDULE_NOT_FOUND: 'There is no schedule of that name.',
  CLAIM_LOST: 'The job is no longer held by this claim: its lease ran out, or it was settled already.',
  // switchboard
  TODO_CONFLICT: 'The todo is not in the state the call is for, or the claim, its owner or its lease token is not the one it is held by.',
  SLUG_TAKEN: 'Another endpoint of the organization has this slug.',
  HOOK_CEILING: 'The endpoint has as many notify hooks as it may have.',
  RATE_LIMITED: 'Too many requests from one address within a short time.',
  // secrets
  ENCRYPTION_KEY: 'A secret is to be kept or read and no usable encryption key is configured.',
  SEALED_VALUE: 'A stored secret cannot be opened: it is not sealed, was altered, or belongs to another key.',
  // host
  CONFIG: 'The configuration file or environment is wrong.',
  UNAUTHENTICATED: 'No valid key was given.',
  FORBIDDEN: 'The key may not do this.',
  PORT_IN_USE: 'The port to listen on is taken.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/**
 * The base of every error Bellhop throws on purpose. The message says what was given, what is allowed and what to do;
 * `cause` keeps the first error underneath.
 */
export class BellhopError extends Error {
  override readonly name: string = 'BellhopError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Bad input from a caller: a 4xx over HTTP. Nothing was written. */
export class InputError extends BellhopError {
  override readonly name = 'InputError';
  /** The path of the offending value inside the input (`payload.title`), when there is one. */
  readonly path: string | undefined;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown; path?: string }) {
    super(code, message, options);
    this.path = options?.path;
  }
}

/** The store could not do what it was asked. */
export class StoreError extends BellhopError {
  override readonly name = 'StoreError';
}

/**
 * The text of anything thrown. Total: code of others may throw nothing, an object without a prototype, or an error whose `message` throws
 * when it is read, and whoever handles a failure must not fail over its text.
 */
export function errorMessage(error: unknown): string {
  try {
    return error instanceof Error ? textOf(error) : String(error);
  } catch {
    return `${error === null ? 'null' : typeof error} thrown, which has no text`;
  }
}

/** Node's own errors can come without a message (an AggregateError of refused connections): then the code says more than nothing. */
function textOf(error: Error & { readonly code?: unknown }): string {
  const text = [error.message, error.code].find((each) => typeof each === 'string' && each !== '');
  return text === undefined ? `${String(error.name)} without a message` : String(text);
}
