import type { IBoard, InboundWebhookInput } from '@bellhop/contracts';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { AuthEnv } from './auth.js';
import {
  endpointParamSchema,
  madeWebhookSchema,
  ofEndpointParamSchema,
  removedSchema,
  webhookInputSchema,
  webhookListSchema,
} from './endpoint-schemas.js';
import { webhookPath } from './ingress-routes.js';
import { refuseInvalid } from './invalid-input.js';
import { jsonBody } from './json-body.js';
import { errorResponses, jsonResponse } from './schemas.js';

const create = createRoute({
  method: 'post',
  path: '/v1/endpoints/{endpoint}/webhooks',
  summary: 'Make a URL that others send events to, which become todos',
  middleware: jsonBody,
  request: { params: endpointParamSchema, body: { required: true, content: { 'application/json': { schema: webhookInputSchema } } } },
  responses: { 201: jsonResponse(madeWebhookSchema, 'Made.'), ...errorResponses(400, 401, 403, 404, 413, 415, 503) },
});

const list = createRoute({
  method: 'get',
  path: '/v1/endpoints/{endpoint}/webhooks',
  summary: 'The inbound webhooks of an endpoint',
  request: { params: endpointParamSchema },
  responses: { 200: jsonResponse(webhookListSchema, 'All of them.'), ...errorResponses(400, 401, 403, 404, 503) },
});

const remove = createRoute({
  method: 'delete',
  path: '/v1/endpoints/{endpoint}/webhooks/{id}',
  summary: 'Remove an inbound webhook: its URL is answered 404 from then on',
  request: { params: ofEndpointParamSchema },
  responses: { 200: jsonResponse(removedSchema, '1.'), ...errorResponses(400, 401, 403, 404, 503) },
});

/** Inbound webhooks, as the organization that owns their endpoint sees them. */
export function endpointWebhookRoutes(board: IBoard): OpenAPIHono<AuthEnv> {
  const routes = new OpenAPIHono<AuthEnv>({ defaultHook: refuseInvalid });

  routes.openapi(create, async (context) => {
    const webhooks = await board.webhooks(context.req.valid('param').endpoint, { organizationId: context.get('organizationId') });
    const made = await webhooks.create(context.req.valid('json') as InboundWebhookInput);
    return context.json({ ...made, path: webhookPath(made.token) }, 201);
  });

  routes.openapi(list, async (context) => {
    const webhooks = await board.webhooks(context.req.valid('param').endpoint, { organizationId: context.get('organizationId') });
    return context.json({ items: await webhooks.list() }, 200);
  });

  routes.openapi(remove, async (context) => {
    const { endpoint, id } = context.req.valid('param');
    await (await board.webhooks(endpoint, { organizationId: context.get('organizationId') })).delete(id);
    return context.json({ removed: 1 }, 200);
  });

  return routes;
}
