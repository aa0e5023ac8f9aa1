/**
 * Where others send events to. No key: who knows the URL gets in, and what is stored is decided by the source's signature. The token in the path is
 * the secret of it, so it must never be in a log, a metric or an error; those have the route's pattern. Nothing of a body is read before its address and its
 * token were looked at.
 */
import type { IBoard } from '@bellhop/contracts';
import type { HttpBindings } from '@hono/node-server';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { ClientAddresses } from './client-address.js';
import { answeredChallengeSchema, ingestedSchema } from './endpoint-schemas.js';
import type { InboundBodies } from './inbound-bodies.js';
import { requireJsonType } from './json-body.js';
import { errorResponses, jsonResponse } from './schemas.js';

export const WEBHOOK_BODY_MAX_BYTES = 5 * 1024 * 1024;

const ingest = createRoute({
  method: 'post',
  path: '/webhooks/w/{token}',
  summary: 'Send an event: no key needed, its source signs it',
  description: 'The body is JSON of at most 5 MiB, as its source sends it; it is not described here.',
  security: [],
  request: { params: z.object({ token: z.string().openapi({ param: { name: 'token', in: 'path' } }) }) },
  responses: {
    200: jsonResponse(
      z.union([ingestedSchema, answeredChallengeSchema]),
      'It was here before, or it only asks whether the URL is ours: nothing was stored.',
    ),
    202: jsonResponse(ingestedSchema, 'Stored, with its todos.'),
    ...errorResponses(400, 401, 404, 408, 413, 415, 429, 503),
  },
});

export function webhookPath(token: string): string {
  return `/webhooks/w/${token}`;
}

export interface IngressPorts {
  readonly bodies: InboundBodies;
  readonly addresses: ClientAddresses;
}

export function ingressRoutes(board: IBoard, { bodies, addresses }: IngressPorts): OpenAPIHono {
  const routes = new OpenAPIHono();

  routes.openapi(ingest, async (context) => {
    const { token } = context.req.valid('param');
    const type = context.req.header('Content-Type');
    if (type !== undefined) requireJsonType(type);
    const address = addresses.of(socketAddressOf(context), context.req.header('X-Forwarded-For'));
    const admission = await board.admit({ token, address });
    const result = await bodies.use(context, { maxBytes: WEBHOOK_BODY_MAX_BYTES, countedAs: admission.countedAs }, (body) =>
      admission.ingest({ headers: context.req.header(), body }),
    );
    if ('challenge' in result) return context.json({ challenge: result.challenge }, 200);
    const { eventId, todoIds, replayed, verified } = result;
    const answer = { eventId, todoIds, created: replayed ? 0 : todoIds.length, verified };
    return replayed ? context.json(answer, 200) : context.json(answer, 202);
  });

  return routes;
}

function socketAddressOf(context: Context): string | undefined {
  return (context.env as HttpBindings).incoming.socket.remoteAddress;
}
