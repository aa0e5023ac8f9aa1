import type { Delivery, DeliveryFilter, Messaging } from '@bellhop/contracts';
import { createRoute, OpenAPIHono } from '@hono/zod-openapi';
import type { AuthEnv } from './auth.js';
import { refuseInvalid } from './invalid-input.js';
import { deliveryQuerySchema, deliverySchema, errorResponses, jsonResponse, pageOf } from './schemas.js';

const list = createRoute({
  method: 'get',
  path: '/v1/deliveries',
  summary: 'Deliveries, newest first',
  request: { query: deliveryQuerySchema },
  responses: { 200: jsonResponse(pageOf(deliverySchema), 'A page.'), ...errorResponses(400, 401, 403, 503) },
});

export function deliveryRoutes(messaging: Messaging): OpenAPIHono<AuthEnv> {
  const routes = new OpenAPIHono<AuthEnv>({ defaultHook: refuseInvalid });

  routes.openapi(list, async (context) => {
    const filter = context.req.valid('query') as DeliveryFilter;
    const { items, nextCursor } = await messaging.listDeliveries({ ...filter, organizationId: context.get('organizationId') });
    return context.json({ items: items.map(shown), nextCursor }, 200);
  });

  return routes;
}

/** What callers may rely on. Slots, digest keys and claims are the dispatcher's, and change without notice. */
function shown(delivery: Delivery) {
  const { slot, digestKey, claimedBy, claimedAt, claimExpiresAt, ...rest } = delivery;
  return rest;
}
