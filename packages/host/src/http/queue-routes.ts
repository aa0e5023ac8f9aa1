import type { IQueueService, PublishOptions } from '@bellhop/contracts';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { type AuthEnv, requireRoot } from './auth.js';
import { refuseInvalid } from './invalid-input.js';
import { jsonBody } from './json-body.js';
import { publishedSchema, publishSchema, queueParamSchema, queueStatsSchema } from './queue-schemas.js';
import { errorResponses, jsonResponse } from './schemas.js';

const publish = createRoute({
  method: 'post',
  path: '/v1/queues/{queue}/jobs',
  summary: 'Publish jobs',
  description: 'Answered once the jobs are committed; they run after that.',
  middleware: jsonBody,
  request: { params: queueParamSchema, body: { required: true, content: { 'application/json': { schema: publishSchema } } } },
  responses: { 202: jsonResponse(publishedSchema, 'Accepted.'), ...errorResponses(400, 401, 403, 413, 415, 503) },
});

const list = createRoute({
  method: 'get',
  path: '/v1/queues',
  summary: 'The queues that hold jobs of the organization, with their counts',
  responses: { 200: jsonResponse(z.strictObject({ items: z.array(queueStatsSchema) }), 'By name.'), ...errorResponses(400, 401, 403, 503) },
});

const stats = createRoute({
  method: 'get',
  path: '/v1/queues/{queue}/stats',
  summary: "Counts of one queue: the organization's jobs",
  request: { params: queueParamSchema },
  responses: { 200: jsonResponse(queueStatsSchema, 'All 0 for a queue that never held a job.'), ...errorResponses(400, 401, 403, 503) },
});

const replay = createRoute({
  method: 'post',
  path: '/v1/queues/{queue}/replay',
  summary: 'Run the dead jobs of a queue again',
  request: { params: queueParamSchema },
  responses: { 200: jsonResponse(z.strictObject({ replayed: z.int() }), 'How many.'), ...errorResponses(400, 401, 403, 503) },
});

const purge = createRoute({
  method: 'post',
  path: '/v1/queues/{queue}/purge',
  summary: 'Remove the jobs of a queue that have not started',
  request: { params: queueParamSchema },
  responses: { 200: jsonResponse(z.strictObject({ purged: z.int() }), 'How many.'), ...errorResponses(400, 401, 403, 503) },
});

const pausedSchema = z.strictObject({ paused: z.boolean() });

const pause = createRoute({
  method: 'post',
  path: '/v1/queues/{queue}/pause',
  summary: 'Let no job of a queue begin, of any organization: needs a root key',
  middleware: requireRoot,
  request: { params: queueParamSchema },
  responses: {
    200: jsonResponse(pausedSchema, 'Stored: it holds for every process. Running jobs end.'),
    ...errorResponses(400, 401, 403, 503),
  },
});

const resume = createRoute({
  method: 'post',
  path: '/v1/queues/{queue}/resume',
  summary: 'Let the jobs of a paused queue begin: needs a root key',
  middleware: requireRoot,
  request: { params: queueParamSchema },
  responses: { 200: jsonResponse(pausedSchema, 'Resumed.'), ...errorResponses(400, 401, 403, 503) },
});

export function queueRoutes(queues: IQueueService): OpenAPIHono<AuthEnv> {
  const routes = new OpenAPIHono<AuthEnv>({ defaultHook: refuseInvalid });

  routes.openapi(publish, async (context) => {
    const { queue } = context.req.valid('param');
    const body = context.req.valid('json');
    const organizationId = context.get('organizationId');
    // JSON holds no `undefined`: what the schema calls optional is either there or absent.
    const owned = (options: object | undefined): PublishOptions => ({ ...options, organizationId });
    if (!('jobs' in body)) return context.json(await queues.publish(queue, body.data, owned(body.options)), 202);
    const jobs = body.jobs.map(({ data, options }) => ({ data, options: owned(options) }));
    return context.json({ jobs: await queues.publishMany(queue, jobs) }, 202);
  });

  routes.openapi(list, async (context) => {
    const items = await queues.stats(undefined, { organizationId: context.get('organizationId') });
    return context.json({ items }, 200);
  });

  routes.openapi(stats, async (context) => {
    const { queue } = context.req.valid('param');
    const [own] = await queues.stats(queue, { organizationId: context.get('organizationId') });
    return context.json(own ?? { ...NOTHING, queue }, 200);
  });

  routes.openapi(replay, async (context) => {
    const { queue } = context.req.valid('param');
    return context.json({ replayed: await queues.replayAll(queue, { organizationId: context.get('organizationId') }) }, 200);
  });

  routes.openapi(purge, async (context) => {
    const { queue } = context.req.valid('param');
    return context.json({ purged: await queues.purge(queue, { organizationId: context.get('organizationId') }) }, 200);
  });

  routes.openapi(pause, async (context) => {
    await queues.pause(context.req.valid('param').queue);
    return context.json({ paused: true }, 200);
  });

  routes.openapi(resume, async (context) => {
    await queues.resume(context.req.valid('param').queue);
    return context.json({ paused: false }, 200);
  });

  return routes;
}

const NOTHING = {
  paused: false,
  scheduled: 0,
  pending: 0,
  running: 0,
  completed: 0,
  dead: 0,
  cancelled: 0,
  oldestPendingMs: null,
  oldestDeadMs: null,
};
