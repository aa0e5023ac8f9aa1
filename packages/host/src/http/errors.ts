/**
 * Every error of the API in one place: what a thrown error means over HTTP, and the shape it is told in, `{ error: { code, message } }`.
 * What the caller did wrong is explained; what failed inside is logged and not told, because texts of drivers name hosts, users and tables.
 */
import { BellhopError, type ErrorCode, InputError, type Logger } from '@bellhop/kernel';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** Codes that exist over HTTP only. */
export type HttpErrorCode = 'METHOD_NOT_ALLOWED' | 'REQUEST_TIMEOUT' | 'UNSUPPORTED_MEDIA_TYPE' | 'STARTING' | 'TOO_BUSY' | 'INTERNAL';

export interface HttpFailure {
  readonly status: ContentfulStatusCode;
  readonly code: ErrorCode | HttpErrorCode;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error that knows its own status. */
export class HttpError extends Error {
  override readonly name = 'HttpError';

  constructor(readonly failure: HttpFailure) {
    super(failure.message);
  }
}

/** Seconds after which a caller may try again. A held lock passes sooner than an outage. */
const RETRY_AFTER: Partial<Record<ErrorCode, string>> = {
  STORE_BUSY: '1',
  STORE_UNAVAILABLE: '5',
  STORE_CLOSED: '5',
  STORE_FULL: '60',
  RATE_LIMITED: '1',
};

const UNAVAILABLE: Partial<Record<ErrorCode, string>> = {
  STORE_BUSY: 'The database is busy. Nothing was written; try again.',
  STORE_UNAVAILABLE: 'The database cannot be reached. Try again later; give a dedupKey or an idempotencyKey, so that a repeat is harmless.',
  STORE_CLOSED: 'This host is stopping. Try again.',
  STORE_FULL: 'The disk of the database is full. Nothing was written; try again once there is room.',
};

/** What the operator has to mend before a request can succeed: nothing says when to come again. */
const UNCONFIGURED: Partial<Record<ErrorCode, string>> = {
  ENCRYPTION_KEY:
    'This host has no usable encryption key, and keeps or reads no secrets without one. Its operator sets BELLHOP_ENCRYPTION_KEY.',
  SEALED_VALUE:
    'A stored secret cannot be opened with the encryption key of this host. Its operator restores the key, or the secret is set anew.',
};

/** What the caller's request met, by its code. */
const STATUS: Partial<Record<ErrorCode, ContentfulStatusCode>> = {
  PAYLOAD_TOO_LARGE: 413,
  NOT_FOUND: 404,
  JOB_NOT_FOUND: 404,
  SCHEDULE_NOT_FOUND: 404,
  CLAIM_LOST: 409,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  TODO_CONFLICT: 409,
  SLUG_TAKEN: 409,
  HOOK_CEILING: 409,
  RATE_LIMITED: 429,
};

export function toFailure(error: unknown): HttpFailure {
  if (error instanceof HttpError) return error.failure;
  if (error instanceof InputError) return { status: STATUS[error.code] ?? 400, code: error.code, message: error.message };
  if (error instanceof HTTPException) return fromFramework(error);
  if (error instanceof BellhopError && UNAVAILABLE[error.code] !== undefined) {
    const { code } = error;
    return { status: 503, code, message: UNAVAILABLE[code] as string, headers: { 'Retry-After': RETRY_AFTER[code] as string } };
  }
  if (error instanceof BellhopError && UNCONFIGURED[error.code] !== undefined) {
    return { status: 503, code: error.code, message: UNCONFIGURED[error.code] as string };
  }
  if (error instanceof BellhopError && STATUS[error.code] !== undefined) {
    const { code, message } = error;
    const retryAfter = RETRY_AFTER[code];
    return {
      status: STATUS[code] as ContentfulStatusCode,
      code,
      message,
      ...(retryAfter === undefined ? {} : { headers: { 'Retry-After': retryAfter } }),
    };
  }
  return { status: 500, code: 'INTERNAL', message: 'Something failed inside the host; its log says what.' };
}

/** Answers a failure, and logs those that are not the caller's. */
export function answerFailure(context: Context, error: unknown, logger: Logger): Response {
  const failure = toFailure(error);
  if (failure.status >= 500) {
    const fields = { method: context.req.method, path: context.req.routePath, status: failure.status, code: failure.code };
    if (failure.status === 503) logger.warn({ ...fields, reason: String(error) }, 'request refused');
    else logger.error({ ...fields, err: error }, 'request failed');
  }
  return context.json({ error: { code: failure.code, message: failure.message } }, failure.status, { ...failure.headers });
}

/** Errors that hono throws itself. */
function fromFramework(error: HTTPException): HttpFailure {
  const status = error.status as ContentfulStatusCode;
  if (status === 415) return { status, code: 'UNSUPPORTED_MEDIA_TYPE', message: 'Send the body as Content-Type: application/json.' };
  if (status < 500) return { status, code: 'INVALID_INPUT', message: `${error.message}.` };
  return { status: 500, code: 'INTERNAL', message: 'Something failed inside the host; its log says what.' };
}
