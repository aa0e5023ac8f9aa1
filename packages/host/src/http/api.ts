/** The HTTP API: who may pass, the route groups, and what becomes of everything else. It listens on nothing itself. */
import type { IBoard, IQueueService, IStall, Messaging } from '@bellhop/contracts';
import type { Clock, KernelHealth, Logger } from '@bellhop/kernel';
import type { JobPull } from '@bellhop/service-queue';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Hono, MiddlewareHandler } from 'hono';
import type { KeyCheck } from '../keys/key-check.js';
import type { HostMetrics } from '../metrics/host-metrics.js';
import { type AuthEnv, authenticate, requireRoot } from './auth.js';
import { boardTodoRoutes } from './board-todo-routes.js';
import { ClientAddresses } from './client-address.js';
import { authenticateConsumer, isConsumerPath } from './consumer-auth.js';
import { consumerHookRoutes } from './consumer-hook-routes.js';
import { deliveryRoutes } from './delivery-routes.js';
import { doorbellRoutes } from './doorbell-routes.js';
import type { DoorbellStreams } from './doorbell-streams.js';
import { endpointHookRoutes } from './endpoint-hook-routes.js';
import { endpointRoutes } from './endpoint-routes.js';
import { endpointWebhookRoutes } from './endpoint-webhook-routes.js';
import { answerFailure, HttpError } from './errors.js';
import { healthRoutes } from './health-routes.js';
import { InboundBodies } from './inbound-bodies.js';
import { inboxRoutes } from './inbox-routes.js';
import { ingressRoutes } from './ingress-routes.js';
import { jobRoutes } from './job-routes.js';
import { metricsRoutes } from './metrics-routes.js';
import { notificationRoutes } from './notification-routes.js';
import { describeApi } from './openapi-document.js';
import { refuseMalformedAddress } from './percent-encoding.js';
import { pullRoutes } from './pull-routes.js';
import { queueRoutes } from './queue-routes.js';
import { allowedMethods } from './route-table.js';
import { scheduleRoutes } from './schedule-routes.js';
import { todoRoutes } from './todo-routes.js';

export interface ApiParts {
  readonly messaging: Messaging;
  readonly queues: IQueueService;
  readonly pull: JobPull;
  readonly board: IBoard;
  readonly stalls: IStall;
  readonly doorbell: DoorbellStreams;
  readonly keys: KeyCheck;
  readonly metrics: HostMetrics;
  readonly health: () => Promise<KernelHealth>;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Proxies in front of the host. Default none. */
  readonly trustedProxies?: readonly string[] | undefined;
}

export function createApi(parts: ApiParts): Hono<AuthEnv> {
  const { messaging, queues, pull, keys, metrics, health, logger, clock } = parts;
  const api = new OpenAPIHono<AuthEnv>();
  api.use('*', async (context, next) => {
    const startedAt = clock.monotonic();
    await next();
    const seconds = (clock.monotonic() - startedAt) / 1_000;
    metrics.countRequest(context.req.method, context.req.routePath, context.res.status, seconds);
  });
  api.use('/v1/*', door(keys, parts.board), refuseMalformedAddress);
  api.use('/metrics', authenticate(keys), requireRoot);

  api.route('/', notificationRoutes(messaging));
  api.route('/', deliveryRoutes(messaging));
  api.route('/', inboxRoutes(messaging));
  api.route('/', queueRoutes(queues));
  api.route('/', jobRoutes(queues));
  api.route('/', pullRoutes(pull));
  api.route('/', scheduleRoutes(queues));
  mountBoard(api, parts);
  api.route('/', metricsRoutes(metrics.registry));
  api.route('/', healthRoutes(health, clock));
  describeApi(api);

  api.notFound((context) => answerFailure(context, noRoute(allowedMethods(api.routes, context.req.path)), logger));
  api.onError((error, context) => answerFailure(context, error, logger));
  return api;
}

/** Two kinds of caller, and no route for both: consumers of the board come with a credential, everybody else with an API key. */
function door(keys: KeyCheck, board: IBoard): MiddlewareHandler {
  const [forKeys, forConsumers] = [authenticate(keys), authenticateConsumer(board)];
  return (context, next) => (isConsumerPath(context.req.path) ? forConsumers(context, next) : forKeys(context, next));
}

function mountBoard(api: OpenAPIHono<AuthEnv>, { board, stalls, doorbell, clock, trustedProxies }: ApiParts): void {
  api.route('/', endpointRoutes(board, stalls));
  api.route('/', endpointHookRoutes(board));
  api.route('/', endpointWebhookRoutes(board));
  api.route('/', boardTodoRoutes(board));
  api.route('/', todoRoutes());
  api.route('/', consumerHookRoutes());
  api.route('/', doorbellRoutes(doorbell));
  api.route('/', ingressRoutes(board, { bodies: new InboundBodies({ clock }), addresses: new ClientAddresses(trustedProxies) }));
}

function noRoute(allowed: readonly string[]): HttpError {
  if (allowed.length === 0)
    return new HttpError({ status: 404, code: 'NOT_FOUND', message: 'There is no such route. /openapi.json lists them.' });
  const methods = allowed.join(', ');
  return new HttpError({ status: 405, code: 'METHOD_NOT_ALLOWED', message: `Allowed here: ${methods}.`, headers: { Allow: methods } });
}
