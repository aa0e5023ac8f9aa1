import type { InboxFilter, Messaging } from '@bellhop/contracts';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { AuthEnv } from './auth.js';
import { refuseInvalid } from './invalid-input.js';
import { jsonBody } from './json-body.js';
import { errorResponses, inboxItemSchema, inboxQuerySchema, jsonResponse, markReadSchema, pageOf, userParamSchema } from './schemas.js';

const list = createRoute({
  method: 'get',
  path: '/v1/inbox/{userId}',
  summary: "A user's inbox, newest first",
  request: { params: userParamSchema, query: inboxQuerySchema },
  responses: {
    200: jsonResponse(
      pageOf(inboxItemSchema).extend({ unreadCount: z.int().openapi({ description: 'Of the whole inbox, whatever the filter.' }) }),
      'A page, and how many messages are unread.',
    ),
    ...errorResponses(400, 401, 403, 503),
  },
});

const markRead = createRoute({
  method: 'post',
  path: '/v1/inbox/{userId}/read',
  summary: 'Mark messages read',
  middleware: jsonBody,
  request: { params: userParamSchema, body: { required: true, content: { 'application/json': { schema: markReadSchema } } } },
  responses: {
    200: jsonResponse(z.strictObject({ marked: z.int() }).openapi('Marked'), 'How many were unread until now.'),
    ...errorResponses(400, 401, 403, 413, 415, 503),
  },
});

export function inboxRoutes({ inbox }: Messaging): OpenAPIHono<AuthEnv> {
  const routes = new OpenAPIHono<AuthEnv>({ defaultHook: refuseInvalid });

  routes.openapi(list, async (context) => {
    const caller = { userId: context.req.valid('param').userId, organizationId: context.get('organizationId') };
    const filter = context.req.valid('query') as InboxFilter;
    const [{ items, nextCursor }, unreadCount] = await Promise.all([inbox.list(caller, filter), inbox.unreadCount(caller)]);
    return context.json({ items, nextCursor, unreadCount }, 200);
  });

  routes.openapi(markRead, async (context) => {
    const caller = { userId: context.req.valid('param').userId, organizationId: context.get('organizationId') };
    const which = context.req.valid('json');
    const marked = 'all' in which ? await inbox.markAllRead(caller) : await inbox.markRead(caller, which.ids);
    return context.json({ marked }, 200);
  });

  return routes;
}
