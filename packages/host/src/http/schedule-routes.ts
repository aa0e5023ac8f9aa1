import type { IQueueService, ScheduleSpec } from '@bellhop/contracts';
import { BellhopError } from '@bellhop/kernel';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { AuthEnv } from './auth.js';
import { refuseInvalid } from './invalid-input.js';
import { jsonBody } from './json-body.js';
import { enqueuedSchema } from './queue-schemas.js';
import {
  previewQuerySchema,
  runsQuerySchema,
  scheduleParamSchema,
  scheduleRunSchema,
  scheduleSchema,
  scheduleSpecSchema,
} from './schedule-schemas.js';
import { epochMs, errorResponses, jsonResponse } from './schemas.js';

const list = createRoute({
  method: 'get',
  path: '/v1/schedules',
  summary: 'The schedules of the organization, by name',
  responses: {
    200: jsonResponse(z.strictObject({ items: z.array(scheduleSchema) }), 'All of them.'),
    ...errorResponses(400, 401, 403, 503),
  },
});

const put = createRoute({
  method: 'put',
  path: '/v1/schedules/{name}',
  summary: 'Make or replace a schedule',
  description:
    'The same once more changes nothing. With the same timing the next fire time stays; another timing counts from here. Names are one for all organizations.',
  middleware: jsonBody,
  request: { params: scheduleParamSchema, body: { required: true, content: { 'application/json': { schema: scheduleSpecSchema } } } },
  responses: { 200: jsonResponse(scheduleSchema, 'As it is stored.'), ...errorResponses(400, 401, 403, 413, 415, 503) },
});

const remove = createRoute({
  method: 'delete',
  path: '/v1/schedules/{name}',
  summary: 'Remove a schedule; its jobs stay',
  request: { params: scheduleParamSchema },
  responses: { 200: jsonResponse(z.strictObject({ removed: z.int() }), '1.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const preview = createRoute({
  method: 'get',
  path: '/v1/schedules/{name}/preview',
  summary: 'The fire times to come, as if it were not paused',
  request: { params: scheduleParamSchema, query: previewQuerySchema },
  responses: {
    200: jsonResponse(z.strictObject({ items: z.array(epochMs) }), 'The next one first.'),
    ...errorResponses(400, 401, 403, 404, 503),
  },
});

const runs = createRoute({
  method: 'get',
  path: '/v1/schedules/{name}/runs',
  summary: 'What came of its fire times, the latest first',
  request: { params: scheduleParamSchema, query: runsQuerySchema },
  responses: {
    200: jsonResponse(z.strictObject({ items: z.array(scheduleRunSchema) }), 'Runs.'),
    ...errorResponses(400, 401, 403, 404, 503),
  },
});

const trigger = createRoute({
  method: 'post',
  path: '/v1/schedules/{name}/trigger',
  summary: 'Publish its job now, whatever its policies',
  request: { params: scheduleParamSchema },
  responses: { 202: jsonResponse(enqueuedSchema, 'Published.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const pausedSchema = z.strictObject({ paused: z.boolean() });

const pause = createRoute({
  method: 'post',
  path: '/v1/schedules/{name}/pause',
  summary: 'Let a schedule fire no more',
  request: { params: scheduleParamSchema },
  responses: { 200: jsonResponse(pausedSchema, 'Stored.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const resume = createRoute({
  method: 'post',
  path: '/v1/schedules/{name}/resume',
  summary: 'Let it fire again; fire times that passed go by its misfire policy',
  request: { params: scheduleParamSchema },
  responses: { 200: jsonResponse(pausedSchema, 'Resumed.'), ...errorResponses(400, 401, 403, 404, 503) },
});

/** Schedules of the organization. Another's are not found, as if they did not exist. */
export function scheduleRoutes(queues: IQueueService): OpenAPIHono<AuthEnv> {
  const routes = new OpenAPIHono<AuthEnv>({ defaultHook: refuseInvalid });

  routes.openapi(list, async (context) => {
    return context.json({ items: await queues.listSchedules({ organizationId: context.get('organizationId') }) }, 200);
  });

  routes.openapi(put, async (context) => {
    const { name } = context.req.valid('param');
    const owner = { organizationId: context.get('organizationId') };
    const spec = { ...context.req.valid('json'), ...owner } as ScheduleSpec;
    return context.json(await queues.schedule(name, spec, owner), 200);
  });

  routes.openapi(remove, async (context) => {
    const { name } = context.req.valid('param');
    if (await queues.unschedule(name, { organizationId: context.get('organizationId') })) return context.json({ removed: 1 }, 200);
    throw new BellhopError('SCHEDULE_NOT_FOUND', `There is no schedule ${JSON.stringify(name)} in this organization.`);
  });

  routes.openapi(preview, async (context) => {
    const { name } = context.req.valid('param');
    const { count } = context.req.valid('query');
    return context.json({ items: await queues.previewSchedule(name, count, { organizationId: context.get('organizationId') }) }, 200);
  });

  routes.openapi(runs, async (context) => {
    const { name } = context.req.valid('param');
    const { limit } = context.req.valid('query');
    return context.json({ items: await queues.scheduleRuns(name, limit, { organizationId: context.get('organizationId') }) }, 200);
  });

  routes.openapi(trigger, async (context) => {
    const { name } = context.req.valid('param');
    return context.json(await queues.trigger(name, { organizationId: context.get('organizationId') }), 202);
  });

  routes.openapi(pause, async (context) => {
    await queues.pauseSchedule(context.req.valid('param').name, { organizationId: context.get('organizationId') });
    return context.json({ paused: true }, 200);
  });

  routes.openapi(resume, async (context) => {
    await queues.resumeSchedule(context.req.valid('param').name, { organizationId: context.get('organizationId') });
    return context.json({ paused: false }, 200);
  });

  return routes;
}
