import type { JobPull, PullClaimInput, PullFailInput, PullHeartbeatInput, PullReleaseInput } from '@bellhop/service-queue';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { AuthEnv } from './auth.js';
import { whenAnswerIsCut } from './cut-answer.js';
import { refuseInvalid } from './invalid-input.js';
import { jsonBody } from './json-body.js';
import {
  claimedSchema,
  completeSchema,
  failSchema,
  heartbeatSchema,
  pullClaimSchema,
  queueParamSchema,
  releaseSchema,
  settledSchema,
} from './queue-schemas.js';
import { epochMs, errorResponses, idParamSchema, jsonResponse } from './schemas.js';

const claim = createRoute({
  method: 'post',
  path: '/v1/queues/{queue}/claim',
  summary: 'Claim jobs of the organization, and wait for some where there are none',
  description: 'What is claimed for a caller that hangs up before its answer is written goes back, and the attempt is not counted.',
  middleware: jsonBody,
  request: { params: queueParamSchema, body: { required: true, content: { 'application/json': { schema: pullClaimSchema } } } },
  responses: { 200: jsonResponse(claimedSchema, 'What was claimed.'), ...errorResponses(400, 401, 403, 413, 415, 503) },
});

const heartbeat = createRoute({
  method: 'post',
  path: '/v1/jobs/{id}/heartbeat',
  summary: 'Extend a claim, and note how far the job is',
  ...settling(heartbeatSchema, z.strictObject({ lockedUntil: epochMs }).openapi('Extended'), 'When the claim expires.'),
});

const complete = createRoute({
  method: 'post',
  path: '/v1/jobs/{id}/complete',
  summary: 'End a claimed job',
  ...settling(completeSchema, settledSchema, 'Completed.'),
});

const fail = createRoute({
  method: 'post',
  path: '/v1/jobs/{id}/fail',
  summary: 'End an attempt that failed: tried again later, dead after the last',
  ...settling(failSchema, settledSchema, 'What became of the job.'),
});

const release = createRoute({
  method: 'post',
  path: '/v1/jobs/{id}/release',
  summary: 'Hand a claimed job back: the attempt is not counted',
  ...settling(releaseSchema, settledSchema, 'What became of the job.'),
});

/** Jobs for consumers that are no part of this process. */
export function pullRoutes(pull: JobPull): OpenAPIHono<AuthEnv> {
  const routes = new OpenAPIHono<AuthEnv>({ defaultHook: refuseInvalid });

  routes.openapi(claim, async (context) => {
    const { queue } = context.req.valid('param');
    const { signal } = context.req.raw;
    const input = context.req.valid('json') as PullClaimInput;
    const claimed = await pull.claim(queue, { ...input, organizationId: context.get('organizationId'), signal });
    if (claimed.length > 0 && input.waitMs) {
      await context
        .get('checkKeyAgain')()
        .catch(async (error: unknown) => {
          await pull.giveBack(claimed);
          throw error;
        });
    }
    // From here to its last byte the answer may still find nobody.
    if (claimed.length > 0) whenAnswerIsCut(context, () => void pull.giveBack(claimed));
    return context.json({ jobs: claimed.map(({ lane, groupConcurrency, ...job }) => job) }, 200);
  });

  routes.openapi(heartbeat, async (context) => {
    const { id } = context.req.valid('param');
    return context.json(await pull.heartbeat(id, context.get('organizationId'), context.req.valid('json') as PullHeartbeatInput), 200);
  });

  routes.openapi(complete, async (context) => {
    const { id } = context.req.valid('param');
    const { status } = await pull.complete(id, context.get('organizationId'), context.req.valid('json'));
    return context.json({ status, dueAt: null }, 200);
  });

  routes.openapi(fail, async (context) => {
    const { id } = context.req.valid('param');
    return context.json(await pull.fail(id, context.get('organizationId'), context.req.valid('json') as PullFailInput), 200);
  });

  routes.openapi(release, async (context) => {
    const { id } = context.req.valid('param');
    return context.json(await pull.release(id, context.get('organizationId'), context.req.valid('json') as PullReleaseInput), 200);
  });

  return routes;
}

/** What the routes of a claimed job have in common. */
function settling<Body extends z.ZodType, Answer extends z.ZodType>(body: Body, answer: Answer, description: string) {
  return {
    middleware: jsonBody,
    request: { params: idParamSchema, body: { required: true, content: { 'application/json': { schema: body } } } },
    responses: { 200: jsonResponse(answer, description), ...errorResponses(400, 401, 403, 404, 409, 413, 415, 503) },
  } as const;
}
