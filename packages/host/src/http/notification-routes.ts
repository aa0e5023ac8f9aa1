import type { EmitInput, Messaging } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { AuthEnv } from './auth.js';
import { refuseInvalid } from './invalid-input.js';
import { jsonBody } from './json-body.js';
import { emitResultSchema, emitSchema, errorResponses, idParamSchema, jsonResponse, notificationSchema } from './schemas.js';

const emit = createRoute({
  method: 'post',
  path: '/v1/notifications',
  summary: 'Emit a notification',
  description: 'Answered once the notification and its deliveries are committed; they are sent after that.',
  middleware: jsonBody,
  request: { body: { required: true, content: { 'application/json': { schema: emitSchema } } } },
  responses: { 202: jsonResponse(emitResultSchema, 'Accepted.'), ...errorResponses(400, 401, 403, 413, 415, 503) },
});

const get = createRoute({
  method: 'get',
  path: '/v1/notifications/{id}',
  summary: 'One notification',
  request: { params: idParamSchema },
  responses: { 200: jsonResponse(notificationSchema, 'The notification.'), ...errorResponses(400, 401, 403, 404, 503) },
});

export function notificationRoutes(messaging: Messaging): OpenAPIHono<AuthEnv> {
  const routes = new OpenAPIHono<AuthEnv>({ defaultHook: refuseInvalid });

  routes.openapi(emit, async (context) => {
    // JSON holds no `undefined`: what the schema calls optional is either there or absent.
    const input = context.req.valid('json') as EmitInput;
    return context.json(await messaging.emit({ ...input, organizationId: context.get('organizationId') }), 202);
  });

  routes.openapi(get, async (context) => {
    const { id } = context.req.valid('param');
    const found = await messaging.getNotification(id, { organizationId: context.get('organizationId') });
    if (!found) throw new InputError('NOT_FOUND', `There is no notification ${JSON.stringify(id)} in this organization.`);
    return context.json(found, 200);
  });

  return routes;
}
