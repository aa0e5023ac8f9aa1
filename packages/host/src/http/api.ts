/** The HTTP API: who may pass, the route groups, and what becomes of everything else. It listens on nothing itself. */
import type { IQueueService, Messaging } from '@bellhop/contracts';
import type { Clock, KernelHealth, Logger } from '@bellhop/kernel';
import type { JobPull } from '@bellhop/service-queue';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Hono } from 'hono';
import type { KeyCheck } from '../keys/key-check.js';
import type { HostMetrics } from '../metrics/host-metrics.js';
import { type AuthEnv, authenticate, requireRoot } from './auth.js';
import { deliveryRoutes } from './delivery-routes.js';
import { answerFailure, HttpError } from './errors.js';
import { healthRoutes } from './health-routes.js';
import { inboxRoutes } from './inbox-routes.js';
import { jobRoutes } from './job-routes.js';
import { metricsRoutes } from './metrics-routes.js';
import { notificationRoutes } from './notification-routes.js';
import { describeApi } from './openapi-document.js';
import { refuseMalformedAddress } from './percent-encoding.js';
import { pullRoutes } from './pull-routes.js';
import { queueRoutes } from './queue-routes.js';
import { allowedMethods } from './route-table.js';
import { scheduleRoutes } from './schedule-routes.js';

export interface ApiParts {
  readonly messaging: Messaging;
  readonly queues: IQueueService;
  readonly pull: JobPull;
  readonly keys: KeyCheck;
  readonly metrics: HostMetrics;
  readonly health: () => Promise<KernelHealth>;
  readonly logger: Logger;
  readonly clock: Clock;
}

export function createApi({ messaging, queues, pull, keys, metrics, health, logger, clock }: ApiParts): Hono<AuthEnv> {
  const api = new OpenAPIHono<AuthEnv>();
  api.use('*', async (context, next) => {
    const startedAt = clock.monotonic();
    await next();
    const seconds = (clock.monotonic() - startedAt) / 1_000;
    metrics.countRequest(context.req.method, context.req.routePath, context.res.status, seconds);
  });
  api.use('/v1/*', authenticate(keys), refuseMalformedAddress);
  api.use('/metrics', authenticate(keys), requireRoot);

  api.route('/', notificationRoutes(messaging));
  api.route('/', deliveryRoutes(messaging));
  api.route('/', inboxRoutes(messaging));
  api.route('/', queueRoutes(queues));
  api.route('/', jobRoutes(queues));
  api.route('/', pullRoutes(pull));
  api.route('/', scheduleRoutes(queues));
  api.route('/', metricsRoutes(metrics.registry));
  api.route('/', healthRoutes(health, clock));
  describeApi(api);

  api.notFound((context) => answerFailure(context, noRoute(allowedMethods(api.routes, context.req.path)), logger));
  api.onError((error, context) => answerFailure(context, error, logger));
  return api;
}

function noRoute(allowed: readonly string[]): HttpError {
  if (allowed.length === 0)
    return new HttpError({ status: 404, code: 'NOT_FOUND', message: 'There is no such route. /openapi.json lists them.' });
  const methods = allowed.join(', ');
  return new HttpError({ status: 405, code: 'METHOD_NOT_ALLOWED', message: `Allowed here: ${methods}.`, headers: { Allow: methods } });
}
