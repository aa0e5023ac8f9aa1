import { bothFamilies, defineStatement, inJsonTexts, joinLookUp, jsonRows } from '@bellhop/store';
import { PRIORITY_POINT_MS } from '../job-rank.js';

// Statements that store jobs.
//
// Jobs that go to one queue alike share a head, which travels and is read once: with each job a JSON object of its own, the reading of eleven
// fields cost more than the row and its indexes (11.0 µs a job on SQLite, 5.1 with heads, 6.8 for a prepared INSERT of single values).

const COLUMNS = `organization_id, queue, status, lane, group_limit, priority, max_attempts, id, due_at, rank_at, data, options, idempotency_token,
  idempotency_until, attempts, progress, created_at, updated_at`;

/** What the jobs of a head have in common, as JSON. */
export interface JobHead {
  readonly organization_id: string;
  readonly queue: string;
  readonly status: 'pending' | 'scheduled';
  readonly lane: string;
  readonly group_limit: number | null;
  readonly priority: number;
  readonly max_attempts: number;
  /** Id, due time, data and options as texts, idempotency key, until when it holds. What is not given at the end is null. */
  readonly jobs: readonly (readonly (string | number | null)[])[];
}

const insertInto = (onConflict: string) => ({
  // MATERIALIZED: else SQLite reads the head, jobs and all, again for each of them.
  sqlite: `
    INSERT INTO queue_job (${COLUMNS})
    WITH h AS MATERIALIZED (
      SELECT value ->> '$.organization_id' AS organization_id, value ->> '$.queue' AS queue, value ->> '$.status' AS status,
        value ->> '$.lane' AS lane, value ->> '$.group_limit' AS group_limit, value ->> '$.priority' AS priority,
        value ->> '$.max_attempts' AS max_attempts, value -> '$.jobs' AS jobs
      FROM json_each(:heads))
    SELECT h.organization_id, h.queue, h.status, h.lane, h.group_limit, h.priority, h.max_attempts,
      r.value ->> 0, r.value ->> 1, (r.value ->> 1) + h.priority * ${PRIORITY_POINT_MS}, r.value ->> 2, r.value ->> 3, r.value ->> 4, r.value ->> 5,
      0, 0, :now, :now
    FROM h CROSS JOIN json_each(h.jobs) AS r WHERE true ${onConflict}`,
  // jsonb: a field of json reads its job's text from the start again, six times for each.
  postgres: `
    INSERT INTO queue_job (${COLUMNS})
    SELECT h.organization_id, h.queue, h.status, h.lane, h.group_limit, h.priority, h.max_attempts,
      r.value ->> 0, CAST(r.value ->> 1 AS BIGINT), CAST(r.value ->> 1 AS BIGINT) + CAST(h.priority AS BIGINT) * ${PRIORITY_POINT_MS}, r.value ->> 2, r.value ->> 3,
      r.value ->> 4, CAST(r.value ->> 5 AS BIGINT), 0, 0, CAST(:now AS BIGINT), CAST(:now AS BIGINT)
    FROM jsonb_to_recordset(:heads::jsonb) AS h(organization_id text, queue text, status text, lane text, group_limit integer, priority integer,
      max_attempts integer, jobs jsonb)
    CROSS JOIN LATERAL jsonb_array_elements(h.jobs) AS r(value) ${onConflict}`,
});

/** One job: no JSON to read, which is most of what it would cost (9 µs instead of 20). Params: a value each, as `toValues` gives them. */
export const insertJob = defineStatement({
  label: 'queue.enqueue',
  operation: 'insert',
  table: 'queue_job',
  sql: `
    INSERT INTO queue_job (organization_id, queue, status, lane, group_limit, priority, max_attempts, id, due_at, rank_at, data, options,
      attempts, progress, created_at, updated_at)
    VALUES (:organizationId, :queue, :status, :lane, :groupLimit, :priority, :maxAttempts, :id, :dueAt, :rankAt, :data, :options, 0, 0,
      CAST(:now AS BIGINT), CAST(:now AS BIGINT))`,
});

/** Params: `now`, `heads` (JSON of `JobHead[]`). */
export const insertJobs = defineStatement({ label: 'queue.enqueue', operation: 'insert', table: 'queue_job', sql: insertInto('') });

/** As `insertJobs`, for jobs with idempotency keys: one whose key is held writes nothing. */
export const insertKeyedJobs = defineStatement({
  label: 'queue.enqueueKeyed',
  operation: 'insert',
  table: 'queue_job',
  sql: insertInto('ON CONFLICT (organization_id, queue, idempotency_token) WHERE idempotency_token IS NOT NULL DO NOTHING'),
});

const HOLDS = 'j.organization_id = k.organization_id AND j.queue = k.queue AND j.idempotency_token = k.token';
const KEYS = { place: 'integer', organization_id: 'text', queue: 'text', token: 'text' } as const;

/** Takes the keys from completed jobs whose window is over; dead and cancelled ones gave theirs back. Params: `now`, `keys` (JSON rows). */
export const freeKeys = defineStatement({
  label: 'queue.freeKeys',
  operation: 'update',
  table: 'queue_job',
  sql: bothFamilies(
    (family) => `
      UPDATE queue_job SET idempotency_token = NULL
      WHERE status = 'completed' AND idempotency_until <= :now AND id IN (
        SELECT j.id FROM ${jsonRows(family, ':keys', 'k', KEYS)}
        ${joinLookUp(family, { table: 'queue_job', as: 'j', columns: ['id'], where: HOLDS })})`,
  ),
});

/** The job that holds each key. Params: `keys` (JSON rows). */
export const findHolders = defineStatement({
  label: 'queue.findHolders',
  operation: 'select',
  table: 'queue_job',
  sql: bothFamilies(
    (family) => `
      SELECT k.place, j.id FROM ${jsonRows(family, ':keys', 'k', KEYS)}
      ${joinLookUp(family, { table: 'queue_job', as: 'j', columns: ['id'], where: HOLDS })}`,
  ),
});

/** Which of the ids were stored at this very moment. Params: `ids` (JSON), `now`. */
export const findStored = defineStatement({
  label: 'queue.findStored',
  operation: 'select',
  table: 'queue_job',
  sql: bothFamilies((family) => `SELECT id FROM queue_job WHERE ${inJsonTexts(family, 'id', ':ids')} AND created_at = :now`),
});
