import type { ClaimInput, ClaimNextInput, HeartbeatInput, PushInput, ReleaseInput, SettleInput, TodoFilter } from '@bellhop/contracts';
import { createRoute, OpenAPIHono, type z } from '@hono/zod-openapi';
import type { ConsumerEnv } from './consumer-auth.js';
import { refuseInvalid } from './invalid-input.js';
import { jsonBody } from './json-body.js';
import { ENDPOINT_SECURITY } from './openapi-document.js';
import { errorResponses, idParamSchema, jsonResponse } from './schemas.js';
import {
  claimedTodoSchema,
  claimNextAnswerSchema,
  claimNextSchema,
  pushedSchema,
  todoClaimSchema,
  todoDetailSchema,
  todoHeartbeatSchema,
  todoPageSchema,
  todoPushSchema,
  todoQuerySchema,
  todoReleaseSchema,
  todoSchema,
  todoSettleSchema,
} from './todo-schemas.js';

const list = createRoute({
  method: 'get',
  path: '/v1/todos',
  summary: "Todos of the credential's scope, newest first",
  security: ENDPOINT_SECURITY,
  request: { query: todoQuerySchema },
  responses: { 200: jsonResponse(todoPageSchema, 'A page.'), ...errorResponses(400, 401, 403, 503) },
});

const get = createRoute({
  method: 'get',
  path: '/v1/todos/{id}',
  summary: 'One todo, with its newest attempts',
  security: ENDPOINT_SECURITY,
  request: { params: idParamSchema },
  responses: { 200: jsonResponse(todoDetailSchema, 'The todo.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const push = createRoute({
  method: 'post',
  path: '/v1/todos',
  summary: "Make a todo on the credential's own endpoint: it wakes nobody",
  security: ENDPOINT_SECURITY,
  middleware: jsonBody,
  request: { body: { required: true, content: { 'application/json': { schema: todoPushSchema } } } },
  responses: { 202: jsonResponse(pushedSchema, 'Stored.'), ...errorResponses(400, 401, 403, 413, 415, 503) },
});

const claimNext = createRoute({
  method: 'post',
  path: '/v1/todos/claim-next',
  summary: 'Claim the oldest claimable todo',
  description: 'Who never sees the answer claims again when the lease is over: nothing is handed back before that.',
  security: ENDPOINT_SECURITY,
  middleware: jsonBody,
  request: { body: { required: true, content: { 'application/json': { schema: claimNextSchema } } } },
  responses: {
    200: jsonResponse(claimNextAnswerSchema, 'The todo, or that there is none.'),
    ...errorResponses(400, 401, 403, 413, 415, 503),
  },
});

const claim = createRoute({
  method: 'post',
  path: '/v1/todos/{id}/claim',
  summary: 'Claim this very todo',
  ...acting(todoClaimSchema, claimedTodoSchema, 'Claimed.'),
});

const heartbeat = createRoute({
  method: 'post',
  path: '/v1/todos/{id}/heartbeat',
  summary: 'Extend a lease',
  ...acting(todoHeartbeatSchema, todoSchema, 'Extended.'),
});

const complete = createRoute({
  method: 'post',
  path: '/v1/todos/{id}/complete',
  summary: 'End a claimed todo as done',
  ...acting(todoSettleSchema, todoSchema, 'Done.'),
});

const fail = createRoute({
  method: 'post',
  path: '/v1/todos/{id}/fail',
  summary: 'End an attempt that failed: parked for the next one, a dead letter after the last',
  ...acting(todoSettleSchema, todoSchema, 'What became of it.'),
});

const release = createRoute({
  method: 'post',
  path: '/v1/todos/{id}/release',
  summary: 'Hand a claimed todo back: the attempt stays counted',
  ...acting(todoReleaseSchema, todoSchema, 'Pending again.'),
});

const retry = createRoute({
  method: 'post',
  path: '/v1/todos/{id}/retry',
  summary: 'Take a failed todo back to pending: all its attempts are before it',
  security: ENDPOINT_SECURITY,
  request: { params: idParamSchema },
  responses: { 200: jsonResponse(todoSchema, 'Pending again.'), ...errorResponses(400, 401, 403, 404, 409, 503) },
});

/** The verbs of a consumer. JSON holds no `undefined`: what a schema calls optional is either there or absent. */
export function todoRoutes(): OpenAPIHono<ConsumerEnv> {
  const routes = new OpenAPIHono<ConsumerEnv>({ defaultHook: refuseInvalid });

  routes.openapi(list, async (context) => {
    return context.json(await context.get('consumer').listTodos(context.req.valid('query') as TodoFilter), 200);
  });

  routes.openapi(get, async (context) => {
    return context.json(await context.get('consumer').getTodo(context.req.valid('param').id), 200);
  });

  routes.openapi(push, async (context) => {
    return context.json(await context.get('consumer').push(context.req.valid('json') as PushInput), 202);
  });

  routes.openapi(claimNext, async (context) => {
    const todo = await context.get('consumer').claimNext(context.req.valid('json') as ClaimNextInput);
    return todo ? context.json({ empty: false as const, todo }, 200) : context.json({ empty: true as const }, 200);
  });

  routes.openapi(claim, async (context) => {
    const { id } = context.req.valid('param');
    return context.json(await context.get('consumer').claim(id, context.req.valid('json') as ClaimInput), 200);
  });

  routes.openapi(heartbeat, async (context) => {
    const { id } = context.req.valid('param');
    return context.json(await context.get('consumer').heartbeat(id, context.req.valid('json') as HeartbeatInput), 200);
  });

  routes.openapi(complete, async (context) => {
    const { id } = context.req.valid('param');
    return context.json(await context.get('consumer').complete(id, context.req.valid('json') as SettleInput), 200);
  });

  routes.openapi(fail, async (context) => {
    const { id } = context.req.valid('param');
    return context.json(await context.get('consumer').fail(id, context.req.valid('json') as SettleInput), 200);
  });

  routes.openapi(release, async (context) => {
    const { id } = context.req.valid('param');
    return context.json(await context.get('consumer').release(id, context.req.valid('json') as ReleaseInput), 200);
  });

  routes.openapi(retry, async (context) => {
    return context.json(await context.get('consumer').retry(context.req.valid('param').id), 200);
  });

  return routes;
}

/** What the routes of a todo that is, or will be, held have in common. */
function acting<Body extends z.ZodType, Answer extends z.ZodType>(body: Body, answer: Answer, description: string) {
  return {
    security: ENDPOINT_SECURITY,
    middleware: jsonBody,
    request: { params: idParamSchema, body: { required: true, content: { 'application/json': { schema: body } } } },
    responses: { 200: jsonResponse(answer, description), ...errorResponses(400, 401, 403, 404, 409, 413, 415, 503) },
  } as const;
}
