import type { NewJob } from '@bellhop/contracts';
import type { JobData } from './contender.js';

export const QUEUE = 'bench';

/** A job with every default, as the job store takes it. @param at.dueAt epoch milliseconds. */
export function newJob(data: JobData, at: { readonly id: string; readonly dueAt: number }): NewJob {
  return {
    id: at.id,
    organizationId: 'default',
    queue: QUEUE,
    dataText: JSON.stringify(data),
    metadataText: null,
    priority: 100,
    maxAttempts: 3,
    backoff: { type: 'exponential', delayMs: 1_000, maxDelayMs: 3_600_000, jitter: 'full' },
    timeoutMs: 3_600_000,
    dueAt: at.dueAt,
    groupKey: null,
    groupConcurrency: null,
    idempotencyKey: null,
    idempotencyUntil: null,
  };
}
