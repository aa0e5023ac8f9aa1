import type { Statement } from '@bellhop/contracts';
import { defineStatement } from '@bellhop/store';
import { JOB_COLUMNS, type JobRecord } from './job-columns.js';

// Reads of single jobs and of the failed ones.

/** A condition: the job, or the schedule, is the organization's; anybody's where none is named. Param: `organizationId`, or null. */
export const MINE = '(CAST(:organizationId AS TEXT) IS NULL OR organization_id = :organizationId)';

/** Params: `id`, `organizationId` or null. */
export const getJob = defineStatement({
  label: 'queue.get',
  operation: 'select',
  table: 'queue_job',
  sql: `SELECT ${JOB_COLUMNS} FROM queue_job WHERE id = :id AND ${MINE}`,
});

export interface FailedShape {
  readonly organization: boolean;
  readonly queue: boolean;
  readonly after: boolean;
}

/** A row of the page, or the total alone where the page is empty. */
export type FailedRecord = { readonly total: number } & (JobRecord | { readonly id: null });

/**
 * A page of dead jobs, those that died last first, and how many there are in all. Plan: the organization's part of the index of dead jobs, or that
 * of all that have ended; a queue is looked for in the index. Params, as the shape has them: `organizationId, queue, afterTime, afterId, limit`.
 */
export function listFailedJobs(shape: FailedShape): Statement {
  const key = JSON.stringify(shape);
  let statement = lists.get(key);
  if (!statement) {
    const matching = [
      ...(shape.organization ? [`status = 'dead' AND organization_id = :organizationId`] : [`status = 'dead' AND ${SETTLED}`]),
      ...(shape.queue ? ['queue = :queue'] : []),
    ];
    const page = [...matching, ...(shape.after ? ['(finished_at, id) < (:afterTime, :afterId)'] : [])];
    statement = defineStatement({
      label: 'queue.listFailed',
      operation: 'select',
      table: 'queue_job',
      sql: `
        SELECT t.total, j.* FROM (SELECT COUNT(*) AS total FROM queue_job WHERE ${matching.join(' AND ')}) AS t
        LEFT JOIN (SELECT ${JOB_COLUMNS} FROM queue_job WHERE ${page.join(' AND ')} ORDER BY finished_at DESC, id DESC LIMIT CAST(:limit AS INTEGER)) AS j ON true
        ORDER BY j.finished_at DESC, j.id DESC`,
    });
    lists.set(key, statement);
  }
  return statement;
}

const lists = new Map<string, Statement>();

/** Ended, and no key of it holds: the very words of the index of such jobs, which SQLite wants to read. */
export const SETTLED = 'finished_at IS NOT NULL AND idempotency_token IS NULL';
