/** The shapes of schedules, as `schemas.ts` has those of messaging. Bounds beyond these are the service's own, and theirs to tell. */
import { z } from '@hono/zod-openapi';
import { epochMs, limit, name } from './schemas.js';

const timing = z
  .union([
    z.strictObject({
      cron: z
        .string()
        .openapi({ description: 'Five fields, or six with seconds first. At most 1 000 characters.', example: '0 9 * * 1-5' }),
      timeZone: z.string().optional().openapi({ description: 'An IANA name. Default UTC.', example: 'Europe/Berlin' }),
    }),
    z.strictObject({
      everyMs: z.int().openapi({ description: '1 000 to 31 536 000 000.' }),
      startAt: epochMs.optional().openapi({ description: 'Where the intervals begin. Default: when it is made.' }),
    }),
    z.strictObject({ once: epochMs }),
  ])
  .openapi('ScheduleTiming');

const spec = {
  timing,
  queue: z.string(),
  data: z.unknown().optional().openapi({ description: 'The data of each job: any JSON value, default null.' }),
  misfire: z
    .union([z.enum(['skip', 'once']), z.strictObject({ all: z.int() })])
    .optional()
    .openapi({
      description: 'Of fire times that passed while nobody was there: none is run, one for all, or the latest `all` of them. Default once.',
    }),
  overlap: z.enum(['allow', 'skip', 'queue']).optional().openapi({
    description: 'When the job of the fire before is not finished: both run, the new one is left out, or waits. Default allow.',
  }),
  jitterMs: z.int().optional().openapi({ description: 'Milliseconds by which each job is delayed at random, at most. 0 to 3 600 000.' }),
  priority: z.int().optional(),
  maxAttempts: z.int().optional(),
  timeoutMs: z.int().optional(),
};

export const scheduleSpecSchema = z.strictObject(spec).openapi('ScheduleSpec');

export const scheduleSchema = z
  .strictObject({
    name: z.string(),
    organizationId: z.string(),
    spec: z.strictObject({ ...spec, organizationId: z.string().optional() }),
    paused: z.boolean(),
    nextFireAt: epochMs.nullable().openapi({ description: 'Null once it will not fire again.' }),
    lastFireAt: epochMs.nullable(),
    createdAt: epochMs,
    updatedAt: epochMs,
  })
  .openapi('Schedule');

export const scheduleRunSchema = z
  .strictObject({
    name: z.string(),
    fireAt: epochMs,
    outcome: z.enum(['published', 'skipped', 'waiting']),
    reason: z.string().nullable(),
    jobId: z.string().nullable(),
    createdAt: epochMs,
  })
  .openapi('ScheduleRun');

export const scheduleParamSchema = z.strictObject({ name: name.openapi({ param: { name: 'name', in: 'path' }, example: 'daily' }) });

export const runsQuerySchema = z.strictObject({ limit });

export const previewQuerySchema = z.strictObject({
  count: limit.openapi({ type: 'integer', minimum: 1, maximum: 100, default: 5, description: '1 to 100, default 5.' }),
});
