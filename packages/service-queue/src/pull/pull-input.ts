import { InputError } from '@bellhop/kernel';
import { checkFields, checkName, checkText, checkWhole } from '@bellhop/store';
import { DELAY } from '../job-input.js';
import { checkProgress } from '../job-store-input.js';
import { DEFAULT_LEASE_MS, LEASE_BOUNDS } from '../worker/worker-options.js';

/** The longest a claim may wait for work, in milliseconds: shorter than what proxies cut. */
export const PULL_WAIT_MAX_MS = 30_000;
/** Jobs of one claim at most. */
const PULL_LIMIT_MAX = 100;

export interface PullClaimInput {
  /** Jobs at most: 1 to 100, default 1. */
  readonly limit?: number | undefined;
  /** Milliseconds until the claims expire unless a heartbeat extends them. 1 000 to 3 600 000, default 30 000. */
  readonly leaseMs?: number | undefined;
  /** Milliseconds to wait for a job where there is none. 0 to 30 000, default 0. */
  readonly waitMs?: number | undefined;
}

export interface PullHeartbeatInput {
  readonly claimToken: string;
  /** Milliseconds from this call on. 1 000 to 3 600 000, default 30 000. */
  readonly leaseMs?: number | undefined;
  /** How far the job is: 0 to 100. */
  readonly progress?: number | undefined;
}

export interface PullFailInput {
  readonly claimToken: string;
  /** Why, for people. Kept as the job's last error: at most 8 KiB of it. */
  readonly error: string;
  /** No attempt will do better: dead at once. Default false. */
  readonly permanent?: boolean | undefined;
  /** Milliseconds until the next attempt, instead of the job's backoff. 0 to 31 536 000 000. */
  readonly retryDelayMs?: number | undefined;
}

export interface PullReleaseInput {
  readonly claimToken: string;
  /** Milliseconds until it is due again. 0 to 31 536 000 000, default 0: at once, in its old place. */
  readonly delayMs?: number | undefined;
}

export interface CheckedPullClaim {
  readonly queue: string;
  readonly organizationId: string;
  readonly limit: number;
  readonly leaseMs: number;
  readonly waitMs: number;
}

/** @throws InputError `INVALID_INPUT`; the path names the field. */
export function checkPullClaim(queue: string, organizationId: string, input: PullClaimInput): CheckedPullClaim {
  const { limit, leaseMs, waitMs } = checkFields(input, 'claim', ['limit', 'leaseMs', 'waitMs'], '');
  return {
    queue: checkName(queue, 'queue'),
    organizationId: checkName(organizationId, 'organizationId'),
    limit: checkWhole(limit ?? 1, 'limit', { least: 1, most: PULL_LIMIT_MAX }),
    leaseMs: checkWhole(leaseMs ?? DEFAULT_LEASE_MS, 'leaseMs', LEASE_BOUNDS),
    waitMs: checkWhole(waitMs ?? 0, 'waitMs', { least: 0, most: PULL_WAIT_MAX_MS }),
  };
}

/** @throws InputError `INVALID_INPUT`; the path names the field. */
export function checkHeartbeat(input: PullHeartbeatInput): { claimToken: string; leaseMs: number; progress: number | null } {
  const { claimToken, leaseMs, progress } = checkFields(input, 'heartbeat', ['claimToken', 'leaseMs', 'progress'], '');
  return {
    claimToken: checkName(claimToken, 'claimToken'),
    leaseMs: checkWhole(leaseMs ?? DEFAULT_LEASE_MS, 'leaseMs', LEASE_BOUNDS),
    progress: progress === undefined ? null : checkProgress(progress),
  };
}

/** @throws InputError `INVALID_INPUT`; the path names the field. */
export function checkFail(input: PullFailInput): { claimToken: string; error: string; permanent: boolean; retryDelayMs: number | null } {
  const { claimToken, error, permanent, retryDelayMs } = checkFields(
    input,
    'fail',
    ['claimToken', 'error', 'permanent', 'retryDelayMs'],
    '',
  );
  if (permanent !== undefined && typeof permanent !== 'boolean') {
    throw new InputError('INVALID_INPUT', `permanent: a value of type ${typeof permanent} given; true and false are allowed.`, {
      path: 'permanent',
    });
  }
  return {
    claimToken: checkName(claimToken, 'claimToken'),
    error: checkText(error, 'error'),
    permanent: permanent === true,
    retryDelayMs: retryDelayMs === undefined ? null : checkWhole(retryDelayMs, 'retryDelayMs', DELAY),
  };
}

/** @throws InputError `INVALID_INPUT`; the path names the field. */
export function checkRelease(input: PullReleaseInput): { claimToken: string; delayMs: number } {
  const { claimToken, delayMs } = checkFields(input, 'release', ['claimToken', 'delayMs'], '');
  return { claimToken: checkName(claimToken, 'claimToken'), delayMs: checkWhole(delayMs ?? 0, 'delayMs', DELAY) };
}
