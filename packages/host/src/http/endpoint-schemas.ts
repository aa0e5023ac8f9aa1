/** The shapes of endpoints, and of what hangs on them: inbound webhooks, notify hooks, why a queue is quiet. */
import { BOARD_VERBS, STALL_STATES, WEBHOOK_SOURCES } from '@bellhop/contracts';
import { z } from '@hono/zod-openapi';
import { epochMs, id, list, name } from './schemas.js';

const names = list(z.string(), { type: 'string' });

export const endpointSchema = z
  .strictObject({
    id,
    organizationId: z.string(),
    slug: z.string(),
    credentialPrefix: z.string().openapi({ description: 'The beginning of the credential.' }),
    queues: z.array(z.string()).readonly(),
    verbs: z.array(z.enum(BOARD_VERBS)).readonly(),
    state: z.enum(['active', 'revoked']),
    expiresAt: epochMs.nullable(),
    defaultLeaseMs: z.int().nullable(),
    createdAt: epochMs,
    revokedAt: epochMs.nullable(),
  })
  .openapi('Endpoint');

export const endpointListSchema = z.strictObject({ items: z.array(endpointSchema) });

export const vendSchema = z
  .strictObject({
    slug: z.string().openapi({ description: 'Unique in the organization. 1 to 63 of a-z, 0-9 and `-`.', example: 'reviewer' }),
    queues: names.openapi({ description: 'The queues it works: 1 to 100. `quarantine` is reserved.', example: ['reviews'] }),
    verbs: list(z.enum(BOARD_VERBS), { type: 'string' })
      .optional()
      .openapi({ description: 'What the credential may do. Default: everything but `notify_hooks`.' }),
    expiresAt: epochMs.optional().openapi({ description: 'Epoch milliseconds from which the credential is refused. Default: never.' }),
    defaultLeaseMs: z
      .int()
      .optional()
      .openapi({ description: 'Milliseconds of a claim that names no lease. 60 000 to 86 400 000, default 300 000.' }),
  })
  .openapi('Vend');

export const vendedSchema = z
  .strictObject({
    endpoint: endpointSchema,
    credential: z.string().openapi({ description: 'The only time it is seen.', example: 'sbk_…' }),
  })
  .openapi('VendedEndpoint');

export const endpointParamSchema = z.strictObject({
  endpoint: name.openapi({ param: { name: 'endpoint', in: 'path' }, description: 'The id or the slug.', example: 'reviewer' }),
});

export const ofEndpointParamSchema = endpointParamSchema.extend({ id: name.openapi({ param: { name: 'id', in: 'path' } }) });

const targetSchema = z.strictObject({ endpointId: z.string(), queue: z.string() }).openapi('WebhookTarget');

export const webhookSchema = z
  .strictObject({
    id,
    endpointId: z.string(),
    source: z.enum(WEBHOOK_SOURCES),
    targets: z.array(targetSchema).readonly(),
    trustedSenders: z.array(z.string()).readonly().nullable(),
    createdAt: epochMs,
  })
  .openapi('InboundWebhook');

export const webhookInputSchema = z
  .strictObject({
    source: z.enum(WEBHOOK_SOURCES).openapi({ description: 'Who signs, and how. `generic` trusts whoever knows the URL.' }),
    targets: list(targetSchema, { $ref: '#/components/schemas/WebhookTarget' })
      .optional()
      .openapi({ description: 'One todo is made for each: 1 to 20. Default: each queue of the endpoint.' }),
    trustedSenders: names.optional().openapi({ description: "Others' todos go to quarantine: 1 to 100. Default: everybody is trusted." }),
    secret: z.string().optional().openapi({ description: 'What the source signs with. Default: one is made.' }),
  })
  .openapi('InboundWebhookInput');

export const madeWebhookSchema = z
  .strictObject({
    webhook: webhookSchema,
    token: z.string().openapi({ description: 'The last part of its URL. The only time it is seen.' }),
    path: z.string().openapi({ description: 'Where the source sends to, on this host.', example: '/webhooks/w/wht_…' }),
    secret: z.string().nullable().openapi({ description: 'Only where the board made it. The only time it is seen.' }),
  })
  .openapi('MadeInboundWebhook');

export const webhookListSchema = z.strictObject({ items: z.array(webhookSchema) });

export const ingestedSchema = z
  .strictObject({
    eventId: z.string(),
    todoIds: z.array(z.string()).readonly().openapi({ description: 'Of a delivery that was here before: the first ones.' }),
    created: z.int().openapi({ description: 'Todos made by this delivery: 0 for a replay.' }),
    verified: z.boolean(),
  })
  .openapi('Ingested');

export const answeredChallengeSchema = z
  .strictObject({ challenge: z.string().openapi({ description: 'What Slack asked to have sent back.' }) })
  .openapi('AnsweredChallenge');

export const notifyHookSchema = z
  .strictObject({
    id,
    endpointId: z.string(),
    url: z.string().openapi({ description: 'Without its query.' }),
    queues: z.array(z.string()).readonly().openapi({ description: 'Empty: all of the scope.' }),
    enabled: z.boolean(),
    disabledReason: z.enum(['consecutive_failures', 'operator']).nullable(),
    failures: z.int().openapi({ description: 'Failed deliveries in a row: at 10 it is disabled.' }),
    lastAttemptAt: epochMs.nullable(),
    lastOutcome: z.string().nullable(),
    createdAt: epochMs,
    rotatedAt: epochMs.nullable(),
  })
  .openapi('NotifyHook');

export const notifyHookInputSchema = z
  .strictObject({
    url: z
      .string()
      .openapi({ description: 'https, and public unless this host allows more.', example: 'https://consumer.example.org/wake' }),
    queues: names.optional().openapi({ description: 'Queues of the scope. Default: all of them.' }),
  })
  .openapi('NotifyHookInput');

export const madeHookSchema = z
  .strictObject({
    hook: notifyHookSchema,
    signingSecret: z.string().openapi({ description: 'The only time it is seen.', example: 'whsec_…' }),
  })
  .openapi('MadeNotifyHook');

export const hookListSchema = z
  .strictObject({ items: z.array(notifyHookSchema).readonly(), max: z.int().openapi({ description: '0: hooks are switched off.' }) })
  .openapi('NotifyHookList');

export const removedSchema = z.strictObject({ removed: z.int() });

export const stallQuerySchema = z.strictObject({ queue: name.openapi({ type: 'string', example: 'reviews' }) });

export const stallSchema = z
  .strictObject({
    endpointId: z.string(),
    queue: z.string(),
    state: z.enum(STALL_STATES),
    reason: z.string(),
    nextWakeAt: epochMs.nullable().openapi({ description: 'Of the next nudge if nothing changes. Null: there will be none.' }),
    change: z.string().openapi({ description: 'What would bring a wake, or a sooner one.' }),
  })
  .openapi('StallExplanation');
