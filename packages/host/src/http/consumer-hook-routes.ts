import type { NotifyHookInput } from '@bellhop/contracts';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { ConsumerEnv } from './consumer-auth.js';
import { hookListSchema, madeHookSchema, notifyHookInputSchema, removedSchema } from './endpoint-schemas.js';
import { refuseInvalid } from './invalid-input.js';
import { jsonBody } from './json-body.js';
import { ENDPOINT_SECURITY } from './openapi-document.js';
import { errorResponses, idParamSchema, jsonResponse } from './schemas.js';

const create = createRoute({
  method: 'post',
  path: '/v1/notify-hooks',
  summary: "Have a URL told of todos of the credential's endpoint",
  security: ENDPOINT_SECURITY,
  middleware: jsonBody,
  request: { body: { required: true, content: { 'application/json': { schema: notifyHookInputSchema } } } },
  responses: { 201: jsonResponse(madeHookSchema, 'Made.'), ...errorResponses(400, 401, 403, 409, 413, 415, 503) },
});

const list = createRoute({
  method: 'get',
  path: '/v1/notify-hooks',
  summary: "The notify hooks of the credential's endpoint",
  security: ENDPOINT_SECURITY,
  responses: { 200: jsonResponse(hookListSchema, 'All of them.'), ...errorResponses(400, 401, 403, 503) },
});

const rotate = createRoute({
  method: 'post',
  path: '/v1/notify-hooks/{id}/rotate',
  summary: 'Make a new signing secret; the old one signs, too, for 24 hours',
  security: ENDPOINT_SECURITY,
  request: { params: idParamSchema },
  responses: { 200: jsonResponse(madeHookSchema, 'Rotated.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const remove = createRoute({
  method: 'delete',
  path: '/v1/notify-hooks/{id}',
  summary: 'Remove a notify hook',
  security: ENDPOINT_SECURITY,
  request: { params: idParamSchema },
  responses: { 200: jsonResponse(removedSchema, '1.'), ...errorResponses(400, 401, 403, 404, 503) },
});

/** A consumer's own notify hooks: its credential needs the verb `notify_hooks`. */
export function consumerHookRoutes(): OpenAPIHono<ConsumerEnv> {
  const routes = new OpenAPIHono<ConsumerEnv>({ defaultHook: refuseInvalid });

  routes.openapi(create, async (context) => {
    return context.json(await context.get('consumer').hooks.create(context.req.valid('json') as NotifyHookInput), 201);
  });

  routes.openapi(list, async (context) => context.json(await context.get('consumer').hooks.list(), 200));

  routes.openapi(rotate, async (context) => {
    return context.json(await context.get('consumer').hooks.rotate(context.req.valid('param').id), 200);
  });

  routes.openapi(remove, async (context) => {
    await context.get('consumer').hooks.delete(context.req.valid('param').id);
    return context.json({ removed: 1 }, 200);
  });

  return routes;
}
