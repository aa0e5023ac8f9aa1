import type { IBoard, NotifyHookInput, OperatorHooks } from '@bellhop/contracts';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { AuthEnv } from './auth.js';
import {
  endpointParamSchema,
  hookListSchema,
  madeHookSchema,
  notifyHookInputSchema,
  notifyHookSchema,
  ofEndpointParamSchema,
  removedSchema,
} from './endpoint-schemas.js';
import { refuseInvalid } from './invalid-input.js';
import { jsonBody } from './json-body.js';
import { errorResponses, jsonResponse } from './schemas.js';

const create = createRoute({
  method: 'post',
  path: '/v1/endpoints/{endpoint}/notify-hooks',
  summary: 'Have a URL told of todos of an endpoint',
  middleware: jsonBody,
  request: { params: endpointParamSchema, body: { required: true, content: { 'application/json': { schema: notifyHookInputSchema } } } },
  responses: { 201: jsonResponse(madeHookSchema, 'Made.'), ...errorResponses(400, 401, 403, 404, 409, 413, 415, 503) },
});

const list = createRoute({
  method: 'get',
  path: '/v1/endpoints/{endpoint}/notify-hooks',
  summary: 'The notify hooks of an endpoint',
  request: { params: endpointParamSchema },
  responses: { 200: jsonResponse(hookListSchema, 'All of them.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const rotate = createRoute({
  method: 'post',
  path: '/v1/endpoints/{endpoint}/notify-hooks/{id}/rotate',
  summary: 'Make a new signing secret; the old one signs, too, for 24 hours',
  request: { params: ofEndpointParamSchema },
  responses: { 200: jsonResponse(madeHookSchema, 'Rotated.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const enable = createRoute({
  method: 'post',
  path: '/v1/endpoints/{endpoint}/notify-hooks/{id}/enable',
  summary: 'Let a notify hook be called again',
  request: { params: ofEndpointParamSchema },
  responses: { 200: jsonResponse(notifyHookSchema, 'Enabled.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const disable = createRoute({
  method: 'post',
  path: '/v1/endpoints/{endpoint}/notify-hooks/{id}/disable',
  summary: 'Let a notify hook be called no more',
  request: { params: ofEndpointParamSchema },
  responses: { 200: jsonResponse(notifyHookSchema, 'Disabled.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const remove = createRoute({
  method: 'delete',
  path: '/v1/endpoints/{endpoint}/notify-hooks/{id}',
  summary: 'Remove a notify hook',
  request: { params: ofEndpointParamSchema },
  responses: { 200: jsonResponse(removedSchema, '1.'), ...errorResponses(400, 401, 403, 404, 503) },
});

/** Notify hooks, as the organization that owns their endpoint sees them. */
export function endpointHookRoutes(board: IBoard): OpenAPIHono<AuthEnv> {
  const routes = new OpenAPIHono<AuthEnv>({ defaultHook: refuseInvalid });
  const hooksOf = (context: Context<AuthEnv>, endpoint: string): Promise<OperatorHooks> =>
    board.hooks(endpoint, { organizationId: context.get('organizationId') });

  routes.openapi(create, async (context) => {
    const hooks = await hooksOf(context, context.req.valid('param').endpoint);
    return context.json(await hooks.create(context.req.valid('json') as NotifyHookInput), 201);
  });

  routes.openapi(list, async (context) => {
    const hooks = await hooksOf(context, context.req.valid('param').endpoint);
    return context.json(await hooks.list(), 200);
  });

  routes.openapi(rotate, async (context) => {
    const { endpoint, id } = context.req.valid('param');
    return context.json(await (await hooksOf(context, endpoint)).rotate(id), 200);
  });

  routes.openapi(enable, async (context) => {
    const { endpoint, id } = context.req.valid('param');
    return context.json(await (await hooksOf(context, endpoint)).enable(id), 200);
  });

  routes.openapi(disable, async (context) => {
    const { endpoint, id } = context.req.valid('param');
    return context.json(await (await hooksOf(context, endpoint)).disable(id), 200);
  });

  routes.openapi(remove, async (context) => {
    const { endpoint, id } = context.req.valid('param');
    await (await hooksOf(context, endpoint)).delete(id);
    return context.json({ removed: 1 }, 200);
  });

  return routes;
}
