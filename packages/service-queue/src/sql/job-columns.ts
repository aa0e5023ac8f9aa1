import type { ClaimedJob, Job, JobBackoff, JobStatus, NewJob } from '@bellhop/contracts';

// Rows of `queue_job` and jobs, one into the other. Must read every row, also one that somebody damaged by hand.

/** A row as the driver gives it. */
export interface JobRecord {
  readonly id: string;
  readonly organization_id: string;
  readonly queue: string;
  readonly status: JobStatus;
  readonly priority: number;
  readonly due_at: number;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly claimed_by: string | null;
  readonly locked_until: number | null;
  readonly progress: number;
  readonly last_error: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly finished_at: number | null;
  readonly options: string | null;
  readonly data: string;
}

/** What a claim returns: the rest is known to whoever made it, and each column of each row costs. */
export interface ClaimedRecord extends Omit<JobRecord, 'status' | 'claimed_by' | 'locked_until' | 'updated_at' | 'finished_at'> {
  readonly lane: string;
  readonly group_limit: number | null;
}

const CLAIMED_COLUMNS = [
  'id',
  'organization_id',
  'queue',
  'lane',
  'group_limit',
  'priority',
  'due_at',
  'attempts',
  'max_attempts',
  'progress',
  'last_error',
  'created_at',
  'options',
  'data',
] as const satisfies readonly (keyof ClaimedRecord)[];

const COLUMNS = [
  'id',
  'organization_id',
  'queue',
  'status',
  'priority',
  'due_at',
  'attempts',
  'max_attempts',
  'claimed_by',
  'locked_until',
  'progress',
  'last_error',
  'created_at',
  'updated_at',
  'finished_at',
  'options',
  'data',
] as const satisfies readonly (keyof JobRecord)[];

export const JOB_COLUMNS = COLUMNS.join(', ');

/** The RETURNING list of a claim, qualified where the statement needs it. */
export function claimedColumns(table = ''): string {
  return CLAIMED_COLUMNS.map((column) => (table ? `${table}.${column}` : column)).join(', ');
}

/** What seldom differs from its default, in one column. Written into rows, so a default here is one for ever. */
interface JobOptions {
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly backoff: JobBackoff;
  readonly timeoutMs: number;
  readonly groupKey: string | null;
  readonly idempotencyKey: string | null;
}

const BACKOFF: JobBackoff = { type: 'exponential', delayMs: 1_000, maxDelayMs: 3_600_000, jitter: 'full' };
const OPTIONS: JobOptions = { metadata: null, backoff: BACKOFF, timeoutMs: 3_600_000, groupKey: null, idempotencyKey: null };

/** The options as they are stored: what differs from the defaults, null when nothing does. */
export function toOptionsText(job: NewJob): string | null {
  const { backoff, timeoutMs, groupKey, idempotencyKey, metadataText } = job;
  const isDefault =
    backoff.type === BACKOFF.type &&
    backoff.delayMs === BACKOFF.delayMs &&
    backoff.maxDelayMs === BACKOFF.maxDelayMs &&
    backoff.jitter === BACKOFF.jitter;
  const given = [
    ...(metadataText === null ? [] : [`"metadata":${metadataText}`]),
    ...(isDefault ? [] : [`"backoff":${JSON.stringify(backoff)}`]),
    ...(timeoutMs === OPTIONS.timeoutMs ? [] : [`"timeoutMs":${timeoutMs}`]),
    ...(groupKey === null ? [] : [`"groupKey":${JSON.stringify(groupKey)}`]),
    ...(idempotencyKey === null ? [] : [`"idempotencyKey":${JSON.stringify(idempotencyKey)}`]),
  ];
  return given.length === 0 ? null : `{${given.join(',')}}`;
}

export function toJob(record: JobRecord): Job {
  const { metadata, backoff, timeoutMs, groupKey, idempotencyKey } = readOptions(record.options);
  return {
    id: record.id,
    organizationId: record.organization_id,
    queue: record.queue,
    status: record.status,
    data: readData(record.data),
    metadata,
    priority: record.priority,
    attempts: record.attempts,
    maxAttempts: record.max_attempts,
    backoff,
    timeoutMs,
    dueAt: record.due_at,
    groupKey,
    idempotencyKey,
    progress: record.progress,
    claimedBy: record.claimed_by,
    lockedUntil: record.locked_until,
    lastError: record.last_error,
    createdAt: record.created_at,
    updatedAt: record.updated_at,
    finishedAt: record.finished_at,
  };
}

/** What the rows of one claim have in common. */
export interface Claim {
  readonly token: string;
  readonly workerId: string;
  readonly now: number;
  readonly lockedUntil: number;
}

export function toClaimed(record: ClaimedRecord, { token, workerId, now, lockedUntil }: Claim): ClaimedJob {
  const { metadata, backoff, timeoutMs, groupKey, idempotencyKey } = readOptions(record.options);
  return {
    id: record.id,
    organizationId: record.organization_id,
    queue: record.queue,
    status: 'running',
    data: readData(record.data),
    metadata,
    priority: record.priority,
    attempts: record.attempts,
    maxAttempts: record.max_attempts,
    backoff,
    timeoutMs,
    dueAt: record.due_at,
    groupKey,
    idempotencyKey,
    progress: record.progress,
    claimedBy: workerId,
    lockedUntil,
    lastError: record.last_error,
    createdAt: record.created_at,
    updatedAt: now,
    finishedAt: null,
    claimToken: token,
    lane: record.lane,
    groupConcurrency: record.group_limit,
  };
}

/** Data that is no JSON must not take the rest of its batch down: it reads as undefined, which no JSON text gives. */
function readData(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readOptions(text: string | null): JobOptions {
  if (text === null) return OPTIONS;
  try {
    const given: unknown = JSON.parse(text);
    return typeof given === 'object' && given !== null ? { ...OPTIONS, ...given } : OPTIONS;
  } catch {
    return OPTIONS;
  }
}
