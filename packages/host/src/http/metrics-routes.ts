import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { Registry } from 'prom-client';
import type { AuthEnv } from './auth.js';
import { errorResponses } from './schemas.js';

const metrics = createRoute({
  method: 'get',
  path: '/metrics',
  summary: 'Metrics in the Prometheus text format: needs a root key',
  responses: {
    200: { description: 'The metrics.', content: { 'text/plain': { schema: z.string() } } },
    ...errorResponses(401, 403, 503),
  },
});

export function metricsRoutes(registry: Registry): OpenAPIHono<AuthEnv> {
  const routes = new OpenAPIHono<AuthEnv>();
  routes.openapi(metrics, async (context) => context.text(await registry.metrics(), 200, { 'Content-Type': registry.contentType }));
  return routes;
}
