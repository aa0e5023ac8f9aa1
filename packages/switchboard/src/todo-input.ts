import {
  type BoardEndpoint,
  type ClaimInput,
  type ClaimNextInput,
  type HeartbeatInput,
  type HeldInput,
  type OperatorTodoFilter,
  type PushInput,
  QUARANTINE_QUEUE,
  type ReleaseInput,
  type SettleInput,
  TODO_STATES,
  type TodoFilter,
} from '@bellhop/contracts';
import { BellhopError, InputError } from '@bellhop/kernel';
import { checkFields, checkName, checkPageLimit, checkPayload, checkText, checkWhole, decodeCursor } from '@bellhop/store';
import { hashCredential } from './credential.js';
import type { TodoQuery } from './stores/operator-todo-store.js';
import type { Claim } from './stores/todo-store.js';

// What callers give about todos, checked at the door, the same over HTTP, the CLI and in process. Nothing is written before.

/** Milliseconds of a lease. A day is the most: what runs longer shall say so by heartbeats. */
export const LEASE_DEFAULT_MS = 300_000;
export const LEASE_LEAST_MS = 1_000;
export const LEASE_MOST_MS = 86_400_000;
const CLAIMANT_MAX = 128;
const SUMMARY_MAX_BYTES = 2_048;
const LEASE_TOKEN_MAX = 255;

export interface CheckedPush {
  readonly queue: string;
  readonly title: string;
  /** JSON text. */
  readonly payload: string;
  readonly kind: string | null;
  readonly idempotencyKey: string | null;
  readonly assignee: string | null;
  readonly maxAttempts: number;
}

/** @throws InputError `INVALID_INPUT`, also for a queue outside the scope; `PAYLOAD_TOO_LARGE`. */
export function checkPush(given: PushInput, endpoint: BoardEndpoint): CheckedPush {
  checkFields(given, 'todo', ['queue', 'title', 'payload', 'kind', 'idempotencyKey', 'assignee', 'maxAttempts'], '');
  return {
    queue: checkQueue(given.queue, endpoint),
    title: checkName(given.title, 'title'),
    payload: checkPayload(given.payload ?? null, 'payload'),
    kind: optional(given.kind, (kind) => checkName(kind, 'kind')),
    idempotencyKey: optional(given.idempotencyKey, (key) => checkName(key, 'idempotencyKey')),
    assignee: optional(given.assignee, (assignee) => checkClaimant(assignee, 'assignee')),
    maxAttempts: given.maxAttempts === undefined ? 5 : checkWhole(given.maxAttempts, 'maxAttempts', { least: 1, most: 100 }),
  };
}

/** @param fence the token to hand out, where one is asked for. */
export function checkClaim(given: ClaimInput, endpoint: BoardEndpoint, fence: string): Claim {
  checkFields(given, 'claim', ['leaseMs', 'requireFence', 'claimant', 'queues'], '');
  const { requireFence = false } = given;
  if (typeof requireFence !== 'boolean')
    throw new InputError('INVALID_INPUT', 'requireFence: true or false is needed.', { path: 'requireFence' });
  return {
    leaseMs: checkLease(given.leaseMs, endpoint),
    claimant: optional(given.claimant, (claimant) => checkClaimant(claimant, 'claimant')),
    fence: requireFence ? hashCredential(fence) : null,
  };
}

/** The queues that a claim takes from. */
export function checkClaimQueues({ queues }: ClaimNextInput, endpoint: BoardEndpoint): readonly string[] {
  if (queues === undefined) return endpoint.queues;
  if (!Array.isArray(queues) || queues.length < 1 || queues.length > 100) {
    throw new InputError('INVALID_INPUT', 'queues: a list of 1 to 100 queues is needed; leave it out for all of the scope.', {
      path: 'queues',
    });
  }
  return [...new Set(queues.map((queue, place) => checkQueue(queue, endpoint, `queues[${place}]`)))];
}

export function checkHeartbeat(
  given: HeartbeatInput,
  endpoint: BoardEndpoint,
): { readonly fence: string | null; readonly leaseMs: number } {
  checkFields(given, 'heartbeat', ['leaseToken', 'leaseMs'], '');
  return { fence: checkFence(given), leaseMs: checkLease(given.leaseMs, endpoint) };
}

export interface CheckedEnd {
  readonly fence: string | null;
  /** JSON text. */
  readonly result: string | null;
  readonly summary: string | null;
}

export function checkEnd(given: SettleInput): CheckedEnd {
  checkFields(given, 'end', ['leaseToken', 'result', 'summary'], '');
  return {
    fence: checkFence(given),
    result: optional(given.result, (result) => checkPayload(result, 'result')),
    summary: optional(given.summary, checkSummary),
  };
}

export function checkRelease(given: ReleaseInput): Omit<CheckedEnd, 'result'> {
  checkFields(given, 'release', ['leaseToken', 'summary'], '');
  return { fence: checkFence(given), summary: optional(given.summary, checkSummary) };
}

const FILTER = ['queue', 'state', 'cursor', 'limit'];

/** @returns the query, and the queues it reads. */
export function checkFilter(given: TodoFilter, endpoint: BoardEndpoint): { readonly queues: readonly string[]; readonly query: TodoQuery } {
  checkFields(given, 'filter', FILTER, '');
  return { queues: given.queue === undefined ? endpoint.queues : [checkQueue(given.queue, endpoint)], query: checkQuery(given) };
}

export function checkOperatorFilter(given: OperatorTodoFilter): TodoQuery {
  checkFields(given, 'filter', [...FILTER, 'endpointId'], '');
  if (given.queue !== undefined) checkName(given.queue, 'queue');
  if (given.endpointId !== undefined) checkName(given.endpointId, 'endpointId');
  return checkQuery(given);
}

/** Ids of other forms than ours are nobody's: not found, not malformed. @throws BellhopError `NOT_FOUND` for what is no text of 1 to 255 characters. */
export function checkTodoId(id: unknown): string {
  try {
    return checkName(id, 'id');
  } catch {
    throw new BellhopError('NOT_FOUND', 'There is no todo of that id here.');
  }
}

function checkQuery({ state, cursor, limit }: TodoFilter): TodoQuery {
  if (state !== undefined && !TODO_STATES.includes(state)) {
    throw new InputError('INVALID_INPUT', `state: one of ${TODO_STATES.join(', ')} is allowed.`, { path: 'state' });
  }
  return { state: state ?? null, after: cursor === undefined ? null : decodeCursor(cursor), limit: checkPageLimit(limit) };
}

/** @throws InputError `INVALID_INPUT`. */
function checkQueue(given: unknown, { queues }: BoardEndpoint, path = 'queue'): string {
  const queue = checkName(given, path);
  if (queue === QUARANTINE_QUEUE) {
    throw new InputError(
      'INVALID_INPUT',
      `${path}: ${QUARANTINE_QUEUE} is reserved for todos that wait for a person; name another queue.`,
      { path },
    );
  }
  if (!queues.includes(queue)) {
    throw new InputError(
      'INVALID_INPUT',
      `${path}: the queue ${JSON.stringify(queue)} is not in the scope of the endpoint (${queues.join(', ').slice(0, 200)}).`,
      {
        path,
      },
    );
  }
  return queue;
}

function checkLease(leaseMs: number | undefined, { defaultLeaseMs }: BoardEndpoint): number {
  if (leaseMs === undefined) return defaultLeaseMs ?? LEASE_DEFAULT_MS;
  return checkWhole(leaseMs, 'leaseMs', { least: LEASE_LEAST_MS, most: LEASE_MOST_MS });
}

function checkClaimant(given: unknown, path: string): string {
  const claimant = checkName(given, path);
  if ([...claimant].length > CLAIMANT_MAX) {
    throw new InputError('INVALID_INPUT', `${path}: ${[...claimant].length} characters given; at most ${CLAIMANT_MAX} are allowed.`, {
      path,
    });
  }
  return claimant;
}

/** @returns the hash by which the token is known. */
function checkFence({ leaseToken }: HeldInput): string | null {
  if (leaseToken === undefined) return null;
  const text = checkText(leaseToken, 'leaseToken');
  if (text.length === 0 || text.length > LEASE_TOKEN_MAX) {
    throw new InputError(
      'INVALID_INPUT',
      `leaseToken: the token of the claim is needed, 1 to ${LEASE_TOKEN_MAX} characters; leave it out where the claim had none.`,
      {
        path: 'leaseToken',
      },
    );
  }
  return hashCredential(text);
}

/** Clipped to 2 048 bytes at a character's edge: a summary is for people, and a long one is no fault. */
function checkSummary(given: string): string {
  const text = checkText(given, 'summary');
  if (Buffer.byteLength(text) <= SUMMARY_MAX_BYTES) return text;
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(SUMMARY_MAX_BYTES)).read);
}

function optional<Given, Checked>(given: Given | undefined, check: (given: Given) => Checked): Checked | null {
  return given === undefined ? null : check(given);
}
