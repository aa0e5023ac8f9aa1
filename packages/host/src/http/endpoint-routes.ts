import type { IBoard, IStall, PushInput, TodoFilter, VendInput } from '@bellhop/contracts';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { AuthEnv } from './auth.js';
import {
  endpointListSchema,
  endpointParamSchema,
  endpointSchema,
  stallQuerySchema,
  stallSchema,
  vendedSchema,
  vendSchema,
} from './endpoint-schemas.js';
import { refuseInvalid } from './invalid-input.js';
import { jsonBody } from './json-body.js';
import { errorResponses, jsonResponse } from './schemas.js';
import { pushedSchema, todoPageSchema, todoPushSchema, todoQuerySchema } from './todo-schemas.js';

const vend = createRoute({
  method: 'post',
  path: '/v1/endpoints',
  summary: "Make an endpoint: a consumer's place on the board, and its credential",
  middleware: jsonBody,
  request: { body: { required: true, content: { 'application/json': { schema: vendSchema } } } },
  responses: { 201: jsonResponse(vendedSchema, 'Made.'), ...errorResponses(400, 401, 403, 409, 413, 415, 503) },
});

const list = createRoute({
  method: 'get',
  path: '/v1/endpoints',
  summary: 'The endpoints of the organization, oldest first, revoked ones too',
  responses: { 200: jsonResponse(endpointListSchema, 'All of them.'), ...errorResponses(400, 401, 403, 503) },
});

const get = createRoute({
  method: 'get',
  path: '/v1/endpoints/{endpoint}',
  summary: 'One endpoint',
  request: { params: endpointParamSchema },
  responses: { 200: jsonResponse(endpointSchema, 'The endpoint.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const revoke = createRoute({
  method: 'post',
  path: '/v1/endpoints/{endpoint}/revoke',
  summary: 'End a credential at once; what is not done becomes dead letters',
  request: { params: endpointParamSchema },
  responses: { 200: jsonResponse(endpointSchema, 'Revoked; twice does nothing.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const push = createRoute({
  method: 'post',
  path: '/v1/endpoints/{endpoint}/todos',
  summary: 'Make a todo for the consumer of an endpoint, who is woken',
  middleware: jsonBody,
  request: { params: endpointParamSchema, body: { required: true, content: { 'application/json': { schema: todoPushSchema } } } },
  responses: { 202: jsonResponse(pushedSchema, 'Stored.'), ...errorResponses(400, 401, 403, 404, 409, 413, 415, 503) },
});

const todos = createRoute({
  method: 'get',
  path: '/v1/endpoints/{endpoint}/todos',
  summary: 'The todos of an endpoint, newest first',
  request: { params: endpointParamSchema, query: todoQuerySchema },
  responses: { 200: jsonResponse(todoPageSchema, 'A page.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const stall = createRoute({
  method: 'get',
  path: '/v1/endpoints/{endpoint}/stall',
  summary: 'Why a queue of an endpoint is quiet, and when its consumer is woken next',
  request: { params: endpointParamSchema, query: stallQuerySchema },
  responses: { 200: jsonResponse(stallSchema, 'The first reason that applies.'), ...errorResponses(400, 401, 403, 404, 503) },
});

/** Endpoints, as the organization that owns them sees them. Another organization's are not found, as if they did not exist. */
export function endpointRoutes(board: IBoard, stalls: IStall): OpenAPIHono<AuthEnv> {
  const routes = new OpenAPIHono<AuthEnv>({ defaultHook: refuseInvalid });

  routes.openapi(vend, async (context) => {
    const scope = { organizationId: context.get('organizationId') };
    return context.json(await board.vend(context.req.valid('json') as VendInput, scope), 201);
  });

  routes.openapi(list, async (context) => {
    return context.json({ items: await board.endpoints({ organizationId: context.get('organizationId') }) }, 200);
  });

  routes.openapi(get, async (context) => {
    const { endpoint } = context.req.valid('param');
    return context.json(await board.endpoint(endpoint, { organizationId: context.get('organizationId') }), 200);
  });

  routes.openapi(revoke, async (context) => {
    const { endpoint } = context.req.valid('param');
    return context.json(await board.revoke(endpoint, { organizationId: context.get('organizationId') }), 200);
  });

  routes.openapi(push, async (context) => {
    const { endpoint } = context.req.valid('param');
    const scope = { organizationId: context.get('organizationId') };
    return context.json(await board.push(endpoint, context.req.valid('json') as PushInput, scope), 202);
  });

  routes.openapi(todos, async (context) => {
    const scope = { organizationId: context.get('organizationId') };
    const { id } = await board.endpoint(context.req.valid('param').endpoint, scope);
    return context.json(await board.listTodos({ ...(context.req.valid('query') as TodoFilter), endpointId: id }, scope), 200);
  });

  routes.openapi(stall, async (context) => {
    const { endpoint } = context.req.valid('param');
    const { queue } = context.req.valid('query');
    return context.json(await stalls.explain(endpoint, queue, { organizationId: context.get('organizationId') }), 200);
  });

  return routes;
}
