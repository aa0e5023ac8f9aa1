import type { AttemptDisposition, AttemptOutcome, ListedTodo, Todo, TodoAttempt, TodoState } from '@bellhop/contracts';

/** A row of `board_todo`, as `todoColumns` names it. */
export interface TodoRecord {
  readonly id: string;
  readonly organization_id: string;
  readonly endpoint_id: string;
  readonly queue: string;
  readonly state: string;
  readonly source: string;
  readonly kind: string | null;
  readonly title: string;
  readonly payload: string;
  readonly event_id: string | null;
  readonly gate: number;
  readonly idempotency_key: string | null;
  readonly assignee: string | null;
  readonly claimant: string | null;
  readonly lease_until: number | null;
  readonly attempt: number;
  readonly max_attempts: number;
  readonly attempts_total: number;
  readonly next_retry_at: number | null;
  readonly result: string | null;
  readonly quarantine_reason: string | null;
  readonly created_at: number;
  readonly pending_since: number;
  readonly updated_at: number;
  readonly claimed_at: number | null;
  readonly completed_at: number | null;
}

/** A row of `board_todo`, as `listedTodoColumns` names it. */
export interface ListedTodoRecord extends Omit<TodoRecord, 'payload'> {
  readonly payload: string | null;
  readonly payload_omitted: number;
  readonly result_omitted: number;
}

export interface AttemptRecord {
  readonly seq: number;
  readonly claimant: string | null;
  readonly claimed_at: number;
  readonly heartbeat_at: number | null;
  readonly lease_until: number;
  readonly ended_at: number | null;
  readonly outcome: string | null;
  readonly disposition: string | null;
  readonly summary: string | null;
}

export function toListedTodo({
  payload,
  payload_omitted: payloadOmitted,
  result_omitted: resultOmitted,
  ...row
}: ListedTodoRecord): ListedTodo {
  return {
    ...toTodo({ ...row, payload: payload ?? 'null' }),
    payloadOmitted: Number(payloadOmitted) === 1,
    resultOmitted: Number(resultOmitted) === 1,
  };
}

export function toTodo(row: TodoRecord): Todo {
  return {
    id: row.id,
    organizationId: row.organization_id,
    endpointId: row.endpoint_id,
    queue: row.queue,
    state: row.state as TodoState,
    source: row.source,
    kind: row.kind,
    title: row.title,
    payload: JSON.parse(row.payload) as unknown,
    eventId: row.event_id,
    gate: Number(row.gate) === 1,
    idempotencyKey: row.idempotency_key,
    assignee: row.assignee,
    claimant: row.claimant,
    leaseUntil: row.lease_until,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    attemptsTotal: row.attempts_total,
    nextRetryAt: row.next_retry_at,
    result: row.result === null ? null : (JSON.parse(row.result) as unknown),
    quarantineReason: row.quarantine_reason,
    createdAt: row.created_at,
    pendingSince: row.pending_since,
    updatedAt: row.updated_at,
    claimedAt: row.claimed_at,
    completedAt: row.completed_at,
  };
}

export function toAttempt(row: AttemptRecord): TodoAttempt {
  return {
    seq: row.seq,
    claimant: row.claimant,
    claimedAt: row.claimed_at,
    heartbeatAt: row.heartbeat_at,
    leaseUntil: row.lease_until,
    endedAt: row.ended_at,
    outcome: row.outcome as AttemptOutcome | null,
    disposition: row.disposition as AttemptDisposition | null,
    summary: row.summary,
  };
}
