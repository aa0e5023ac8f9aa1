import type { IBoard, OperatorTodoFilter } from '@bellhop/contracts';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { AuthEnv } from './auth.js';
import { refuseInvalid } from './invalid-input.js';
import { errorResponses, idParamSchema, jsonResponse } from './schemas.js';
import { operatorTodoQuerySchema, todoDetailSchema, todoPageSchema, todoSchema } from './todo-schemas.js';

const list = createRoute({
  method: 'get',
  path: '/v1/board/todos',
  summary: 'The todos of the organization, newest first',
  description: 'Those in quarantine too: `queue=quarantine`.',
  request: { query: operatorTodoQuerySchema },
  responses: { 200: jsonResponse(todoPageSchema, 'A page.'), ...errorResponses(400, 401, 403, 503) },
});

const get = createRoute({
  method: 'get',
  path: '/v1/board/todos/{id}',
  summary: 'One todo of the organization, with its newest attempts',
  request: { params: idParamSchema },
  responses: { 200: jsonResponse(todoDetailSchema, 'The todo.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const changed = {
  request: { params: idParamSchema },
  responses: { 200: jsonResponse(todoSchema, 'The todo.'), ...errorResponses(400, 401, 403, 404, 409, 503) },
} as const;

const retry = createRoute({
  method: 'post',
  path: '/v1/board/todos/{id}/retry',
  summary: 'Take a failed todo back to pending: all its attempts are before it',
  ...changed,
});

const releaseQuarantined = createRoute({
  method: 'post',
  path: '/v1/board/todos/{id}/release-quarantined',
  summary: 'Let a todo out of quarantine, into the queue it was meant for',
  ...changed,
});

const discardQuarantined = createRoute({
  method: 'post',
  path: '/v1/board/todos/{id}/discard-quarantined',
  summary: 'End a todo in quarantine, unseen by any consumer',
  ...changed,
});

/** What an operator does with single todos. Another organization's are not found, as if they did not exist. */
export function boardTodoRoutes(board: IBoard): OpenAPIHono<AuthEnv> {
  const routes = new OpenAPIHono<AuthEnv>({ defaultHook: refuseInvalid });

  routes.openapi(list, async (context) => {
    const filter = context.req.valid('query') as OperatorTodoFilter;
    return context.json(await board.listTodos(filter, { organizationId: context.get('organizationId') }), 200);
  });

  routes.openapi(get, async (context) => {
    const { id } = context.req.valid('param');
    return context.json(await board.getTodo(id, { organizationId: context.get('organizationId') }), 200);
  });

  routes.openapi(retry, async (context) => {
    const { id } = context.req.valid('param');
    return context.json(await board.retry(id, { organizationId: context.get('organizationId') }), 200);
  });

  routes.openapi(releaseQuarantined, async (context) => {
    const { id } = context.req.valid('param');
    return context.json(await board.releaseQuarantined(id, { organizationId: context.get('organizationId') }), 200);
  });

  routes.openapi(discardQuarantined, async (context) => {
    const { id } = context.req.valid('param');
    return context.json(await board.discardQuarantined(id, { organizationId: context.get('organizationId') }), 200);
  });

  return routes;
}
