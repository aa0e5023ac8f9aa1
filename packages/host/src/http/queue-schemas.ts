/** The shapes of queues and jobs, as `schemas.ts` has those of messaging. Bounds beyond these are the service's own, and theirs to tell. */
import { JOB_STATUSES } from '@bellhop/contracts';
import { z } from '@hono/zod-openapi';
import { cursor, epochMs, id, jsonObject, limit, list, name } from './schemas.js';

/** Any JSON value, handed on as it came. */
const json = z.unknown().openapi({ description: 'Any JSON value. At most 256 KiB.' });

const publishOptionsSchema = z
  .strictObject({
    delayMs: z.int().optional().openapi({ description: 'Milliseconds until it is due. 0 to 31 536 000 000. Not with `runAt`.' }),
    runAt: epochMs.optional().openapi({ description: 'Epoch milliseconds at which it is due.' }),
    priority: z.int().optional().openapi({ description: 'Lower first: each point is a head start of 6 s. 0 to 1 000 000, default 100.' }),
    maxAttempts: z.int().optional().openapi({ description: '1 to 1 000, default 3.' }),
    backoff: z
      .strictObject({
        type: z.enum(['exponential', 'fixed']).optional(),
        delayMs: z.int().optional().openapi({ description: 'Milliseconds before the second attempt. Default 1 000.' }),
        maxDelayMs: z.int().optional().openapi({ description: 'Default 3 600 000.' }),
        jitter: z.enum(['full', 'none']).optional(),
      })
      .optional(),
    idempotencyKey: z.string().optional().openapi({
      description:
        'One live job per organization, queue and key: a repeat answers with the first one and stores nothing. 1 to 255 characters.',
    }),
    idempotencyWindowMs: z
      .int()
      .optional()
      .openapi({ description: 'Milliseconds from publish for which a completed job keeps its key. Default 86 400 000.' }),
    groupKey: z
      .string()
      .optional()
      .openapi({ description: 'A queue is served in turn over organizations and their groups. 1 to 255 characters.' }),
    groupConcurrency: z
      .int()
      .optional()
      .openapi({ description: 'Jobs of the group that may run at once, in the whole store. 1 to 10 000. Only with `groupKey`.' }),
    timeoutMs: z
      .int()
      .optional()
      .openapi({ description: 'Milliseconds an attempt of a subscription may take; 0: no limit. Default 3 600 000.' }),
    metadata: jsonObject.optional().openapi({ description: 'A JSON object that handlers see. At most 16 KiB.' }),
  })
  .openapi('PublishOptions');

const newJobSchema = z.strictObject({ data: json, options: publishOptionsSchema.optional() }).openapi('NewJob', { required: ['data'] });

export const publishSchema = z
  .union([newJobSchema, z.strictObject({ jobs: list(newJobSchema, { $ref: '#/components/schemas/NewJob' }) })])
  .openapi('Publish', { description: 'One job, or `jobs`: all of them or none, at most 10 000.' });

export const enqueuedSchema = z
  .strictObject({
    id: id.openapi({ description: 'Of the job, or of the one that holds the idempotency key.' }),
    deduped: z.boolean().nullable().openapi({ description: 'Another job holds the idempotency key: nothing was stored.' }),
  })
  .openapi('Published');

export const publishedSchema = z
  .union([enqueuedSchema, z.strictObject({ jobs: z.array(enqueuedSchema) })])
  .openapi('PublishResult', { description: 'As the request had it: one, or `jobs` in its order.' });

const ageMs = z.int().nullable();

export const queueStatsSchema = z
  .strictObject({
    queue: z.string(),
    paused: z.boolean().openapi({ description: 'For every organization.' }),
    scheduled: z.int(),
    pending: z.int(),
    running: z.int(),
    completed: z.int(),
    dead: z.int(),
    cancelled: z.int(),
    oldestPendingMs: ageMs.openapi({ description: 'Milliseconds since the pending job that is due longest was due.' }),
    oldestDeadMs: ageMs.openapi({ description: 'Milliseconds since the oldest dead job died.' }),
  })
  .openapi('QueueStats');

export const jobSchema = z
  .strictObject({
    id,
    organizationId: z.string(),
    queue: z.string(),
    status: z.enum(JOB_STATUSES),
    data: json,
    metadata: jsonObject.nullable(),
    priority: z.int(),
    attempts: z.int().openapi({ description: 'Attempts begun.' }),
    maxAttempts: z.int(),
    backoff: z.strictObject({
      type: z.enum(['exponential', 'fixed']),
      delayMs: z.int(),
      maxDelayMs: z.int(),
      jitter: z.enum(['full', 'none']),
    }),
    timeoutMs: z.int(),
    dueAt: epochMs,
    groupKey: z.string().nullable(),
    idempotencyKey: z.string().nullable(),
    progress: z.int(),
    claimedBy: z.string().nullable(),
    lockedUntil: epochMs.nullable(),
    lastError: z.string().nullable(),
    createdAt: epochMs,
    updatedAt: epochMs,
    finishedAt: epochMs.nullable(),
  })
  .openapi('Job');

export const jobPageSchema = z
  .strictObject({
    items: z.array(jobSchema),
    nextCursor: z.string().nullable(),
    total: z.int().openapi({ description: 'Jobs that match, on this page or not.' }),
  })
  .openapi('JobPage');

export const failedQuerySchema = z.strictObject({
  queue: name.optional().openapi({ type: 'string', description: 'Default all.' }),
  cursor,
  limit,
});

export const rescheduleSchema = z.strictObject({ at: epochMs }).openapi('Reschedule');

export const queueParamSchema = z.strictObject({ queue: name.openapi({ param: { name: 'queue', in: 'path' }, example: 'mail' }) });

export const pullClaimSchema = z
  .strictObject({
    limit: z.int().optional().openapi({ description: 'Jobs at most. 1 to 100, default 1.' }),
    leaseMs: z.int().optional().openapi({
      description: 'Milliseconds until the claims expire, unless a heartbeat extends them. 1 000 to 3 600 000, default 30 000.',
    }),
    waitMs: z.int().optional().openapi({ description: 'Milliseconds to wait for a job where there is none. 0 to 30 000, default 0.' }),
  })
  .openapi('Claim');

const claimToken = z.string().openapi({ description: 'From the claim: who holds it, holds the job.' });

export const claimedSchema = z
  .strictObject({ jobs: z.array(jobSchema.extend({ claimToken }).openapi('ClaimedJob')) })
  .openapi('Claimed', { description: 'Empty where there is none, or none came in time.' });

export const heartbeatSchema = z
  .strictObject({
    claimToken,
    leaseMs: z.int().optional().openapi({ description: 'Milliseconds from here on. 1 000 to 3 600 000, default 30 000.' }),
    progress: z.number().optional().openapi({ description: 'How far the job is: 0 to 100.' }),
  })
  .openapi('Heartbeat');

export const completeSchema = z.strictObject({ claimToken }).openapi('Complete');

export const failSchema = z
  .strictObject({
    claimToken,
    error: z.string().openapi({ description: 'Why, for people. 8 KiB of it are kept.' }),
    permanent: z.boolean().optional().openapi({ description: 'No attempt will do better: dead at once. Default false.' }),
    retryDelayMs: z.int().optional().openapi({ description: "Milliseconds until the next attempt, instead of the job's backoff." }),
  })
  .openapi('Fail');

export const releaseSchema = z
  .strictObject({
    claimToken,
    delayMs: z.int().optional().openapi({ description: 'Milliseconds until it is due again. Default 0: at once.' }),
  })
  .openapi('Release');

export const settledSchema = z
  .strictObject({ status: z.enum(JOB_STATUSES), dueAt: epochMs.nullable().openapi({ description: 'Null: it is not due again.' }) })
  .openapi('Settled');
