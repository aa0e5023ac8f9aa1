import type { HttpBindings } from '@hono/node-server';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { ConsumerEnv } from './consumer-auth.js';
import type { DoorbellStreams } from './doorbell-streams.js';
import { HttpError } from './errors.js';
import { refuseInvalid } from './invalid-input.js';
import { ENDPOINT_SECURITY } from './openapi-document.js';
import { errorResponses } from './schemas.js';

const doorbell = createRoute({
  method: 'get',
  path: '/v1/doorbell',
  summary: 'Be told of todos to claim, as server-sent events, for as long as the request lasts',
  description:
    'Each is `event: todo.ready` with `data: {"todoId":"…","queue":"…"}` and perhaps a `reason`. A comment every 25 s says that the stream lives. ' +
    'A ring is a hint and never the todo itself: claim it, and claim again after every reconnect.',
  security: ENDPOINT_SECURITY,
  request: { query: z.strictObject({}) },
  responses: {
    200: { description: 'The stream.', content: { 'text/event-stream': { schema: z.string() } } },
    ...errorResponses(400, 401, 403, 429, 503),
  },
});

const HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // Proxies of the kind of nginx keep an answer back until it ends.
  'X-Accel-Buffering': 'no',
};

export function doorbellRoutes(streams: DoorbellStreams): OpenAPIHono<ConsumerEnv> {
  const routes = new OpenAPIHono<ConsumerEnv>({ defaultHook: refuseInvalid });

  routes.openapi(doorbell, (context) => {
    const { endpoint } = context.get('consumer');
    if (!endpoint.verbs.includes('doorbell')) throw notGranted();
    // Nobody reads the body of a HEAD: a session would stay attached to nothing.
    if (context.req.method === 'HEAD') return context.body(null, 200, HEADERS);
    const { incoming, outgoing } = context.env as unknown as HttpBindings;
    // Nor does whoever hung up while the credential was looked up, and no event will tell of that any more.
    if (outgoing.closed || incoming.socket.destroyed) return context.body(null, 200, HEADERS);
    const { body, end } = streams.attach({
      endpointId: endpoint.id,
      queues: endpoint.queues,
      checkCredentialAgain: context.get('checkCredentialAgain'),
    });
    outgoing.once('close', end);
    return context.body(body, 200, HEADERS);
  });

  return routes;
}

function notGranted(): HttpError {
  return new HttpError({ status: 403, code: 'FORBIDDEN', message: 'This endpoint is not granted the verb "doorbell".' });
}
