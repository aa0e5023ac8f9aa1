import type { FailedJobFilter, IQueueService } from '@bellhop/contracts';
import { BellhopError } from '@bellhop/kernel';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { AuthEnv } from './auth.js';
import { refuseInvalid } from './invalid-input.js';
import { jsonBody } from './json-body.js';
import { failedQuerySchema, jobPageSchema, jobSchema, rescheduleSchema } from './queue-schemas.js';
import { errorResponses, idParamSchema, jsonResponse } from './schemas.js';

// Before the route of one job, whose id could else be "failed".
const listFailed = createRoute({
  method: 'get',
  path: '/v1/jobs/failed',
  summary: 'Dead jobs, those that died last first',
  request: { query: failedQuerySchema },
  responses: { 200: jsonResponse(jobPageSchema, 'A page.'), ...errorResponses(400, 401, 403, 503) },
});

const get = createRoute({
  method: 'get',
  path: '/v1/jobs/{id}',
  summary: 'One job',
  request: { params: idParamSchema },
  responses: { 200: jsonResponse(jobSchema, 'The job.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const cancel = createRoute({
  method: 'post',
  path: '/v1/jobs/{id}/cancel',
  summary: 'Cancel a job that has not started',
  request: { params: idParamSchema },
  responses: {
    200: jsonResponse(z.strictObject({ cancelled: z.boolean() }), 'False: it runs, or has ended.'),
    ...errorResponses(400, 401, 403, 404, 503),
  },
});

const reschedule = createRoute({
  method: 'post',
  path: '/v1/jobs/{id}/reschedule',
  summary: 'Move the due time of a job that has not started',
  middleware: jsonBody,
  request: { params: idParamSchema, body: { required: true, content: { 'application/json': { schema: rescheduleSchema } } } },
  responses: {
    200: jsonResponse(z.strictObject({ rescheduled: z.boolean() }), 'False: it runs, or has ended.'),
    ...errorResponses(400, 401, 403, 404, 413, 415, 503),
  },
});

const replay = createRoute({
  method: 'post',
  path: '/v1/jobs/{id}/replay',
  summary: 'Run a dead job again: all its attempts are before it',
  request: { params: idParamSchema },
  responses: { 200: jsonResponse(z.strictObject({ replayed: z.int() }), '1.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const remove = createRoute({
  method: 'delete',
  path: '/v1/jobs/{id}',
  summary: 'Remove a dead job',
  request: { params: idParamSchema },
  responses: { 200: jsonResponse(z.strictObject({ removed: z.int() }), '1.'), ...errorResponses(400, 401, 403, 404, 503) },
});

/** What becomes of single jobs. Another organization's are not found, as if they did not exist. */
export function jobRoutes(queues: IQueueService): OpenAPIHono<AuthEnv> {
  const routes = new OpenAPIHono<AuthEnv>({ defaultHook: refuseInvalid });

  routes.openapi(listFailed, async (context) => {
    const filter = context.req.valid('query') as FailedJobFilter;
    return context.json(await queues.listFailed({ ...filter, organizationId: context.get('organizationId') }), 200);
  });

  routes.openapi(get, async (context) => {
    const { id } = context.req.valid('param');
    const found = await queues.get(id, { organizationId: context.get('organizationId') });
    if (!found) throw new BellhopError('JOB_NOT_FOUND', `There is no job ${JSON.stringify(id)} in this organization.`);
    return context.json(found, 200);
  });

  routes.openapi(cancel, async (context) => {
    const { id } = context.req.valid('param');
    return context.json({ cancelled: await queues.cancel(id, { organizationId: context.get('organizationId') }) }, 200);
  });

  routes.openapi(reschedule, async (context) => {
    const { id } = context.req.valid('param');
    const { at } = context.req.valid('json');
    return context.json({ rescheduled: await queues.reschedule(id, at, { organizationId: context.get('organizationId') }) }, 200);
  });

  routes.openapi(replay, async (context) => {
    await queues.replay(context.req.valid('param').id, { organizationId: context.get('organizationId') });
    return context.json({ replayed: 1 }, 200);
  });

  routes.openapi(remove, async (context) => {
    await queues.purgeFailed(context.req.valid('param').id, { organizationId: context.get('organizationId') });
    return context.json({ removed: 1 }, 200);
  });

  return routes;
}
