import type { Clock, KernelHealth } from '@bellhop/kernel';
import { redactUrl } from '@bellhop/store';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { jsonResponse } from './schemas.js';

/** Milliseconds for which an answer serves everybody who asks: the door is open, and each look costs a statement. */
export const HEALTH_CACHE_MS = 1_000;

const pluginSchema = z.strictObject({
  status: z.enum(['ok', 'degraded', 'failing']),
  reason: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});

const healthSchema = z
  .strictObject({
    status: z.enum(['ok', 'degraded', 'failing']),
    state: z.string(),
    plugins: z.record(z.string(), pluginSchema),
  })
  .openapi('Health');

const health = createRoute({
  method: 'get',
  path: '/healthz',
  summary: 'Health, for probes: no key needed',
  security: [],
  responses: { 200: jsonResponse(healthSchema, 'ok or degraded.'), 503: jsonResponse(healthSchema, 'failing.') },
});

export function healthRoutes(ask: () => Promise<KernelHealth>, clock: Clock): OpenAPIHono {
  const routes = new OpenAPIHono();
  let asked: { readonly until: number; readonly answer: Promise<KernelHealth> } | undefined;

  routes.openapi(health, async (context) => {
    if (!asked || clock.monotonic() >= asked.until) asked = { until: clock.monotonic() + HEALTH_CACHE_MS, answer: ask() };
    const answer = withoutSecrets(await asked.answer);
    return answer.status === 'failing' ? context.json(answer, 503) : context.json(answer, 200);
  });

  return routes;
}

/** A reason can quote a database URL; its credentials are not for everybody. */
function withoutSecrets({ status, state, plugins }: KernelHealth) {
  return {
    status,
    state,
    plugins: Object.fromEntries(
      Object.entries(plugins).map(([name, { reason, ...rest }]) => [
        name,
        { ...rest, ...(reason === undefined ? {} : { reason: redactUrl(reason) }) },
      ]),
    ),
  };
}
