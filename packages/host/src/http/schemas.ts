/** The shapes of the API, for checking what comes in and for `/openapi.json`. Bounds beyond these are the services' own, and theirs to tell. */
import { DELIVERY_STATUSES, SEVERITIES } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { checkName } from '@bellhop/store';
import { z } from '@hono/zod-openapi';

export const id = z.string().openapi({ example: '0198c3f0-5b1e-7cc1-9f3a-2b8f4d1c7a10' });
export const epochMs = z.int().openapi({ description: 'Epoch milliseconds.' });

/** A name or id that comes in by the path or the query: what no store could hold is refused at the door. */
export const name = z.string().superRefine((value, context) => {
  try {
    checkName(value, 'value');
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    context.addIssue({ code: 'custom', message: error.message.replace(/^value: /, '').replace(/\.$/, '') });
  }
});

/** Any JSON object, handed on as it came: a copy would lose keys such as `__proto__`. */
export const jsonObject = z
  .custom<Record<string, unknown>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'expected a JSON object',
  )
  .openapi({ type: 'object', additionalProperties: true });

/** Faulty elements of one list that a refusal names. */
const FAULTY_MAX = 10;

/**
 * A list that is looked through up to its tenth faulty element: zod's own notes every one, and a body of a few hundred thousand overflows its stack.
 *
 * @param items the element, for `/openapi.json`.
 */
export function list<Item extends z.ZodType>(
  item: Item,
  items: { type: 'string' } | { $ref: string },
): z.ZodType<z.output<Item>[], z.input<Item>[]> {
  const checked = z.array(z.unknown()).superRefine((values, context) => {
    let faulty = 0;
    for (const [index, value] of values.entries()) {
      const { error } = item.safeParse(value);
      if (!error) continue;
      for (const issue of error.issues)
        context.addIssue({ ...issue, path: [index, ...issue.path] } as Parameters<typeof context.addIssue>[0]);
      faulty += 1;
      if (faulty === FAULTY_MAX) return;
    }
  });
  return checked.openapi({ type: 'array', items }) as unknown as z.ZodType<z.output<Item>[], z.input<Item>[]>;
}

const texts = list(z.string(), { type: 'string' });

const errorSchema = z.strictObject({ error: z.strictObject({ code: z.string(), message: z.string() }) }).openapi('Error');

const severity = z.enum(SEVERITIES);
const source = z.strictObject({ type: z.string(), id: z.string() });

export const emitSchema = z
  .strictObject({
    topic: z.string().openapi({ description: 'Dotted event name, 1 to 255 characters.', example: 'order.placed' }),
    audience: z
      .union([z.string(), texts])
      .openapi({ description: 'A user id or many, bare or as `user:<id>`. Repeats count once.', example: ['user:ada'] }),
    payload: jsonObject.optional().openapi({
      description:
        'What is shown: `title`, `body`, `severity`, where it leads, and anything else. It leads to `url`, else to `actionUrl`, else to the ' +
        '`source` as `/<type>/<id>`; `javascript:`, `data:` and `vbscript:` URLs are refused. At most 256 KiB as JSON.',
      example: { title: 'Thank you', body: 'Your order is on its way.' },
    }),
    severity: severity.optional().openapi({ description: 'Default: the `severity` of the payload, else `info`.' }),
    dedupKey: z.string().optional().openapi({
      description: 'A repeat within (organization, topic) returns the first notification and enqueues nothing. 1 to 255 characters.',
    }),
    source: source.optional().openapi({ description: 'The record that caused it.' }),
    actorId: z.string().optional(),
    channels: texts.optional().openapi({ description: 'Default `["inbox"]`.' }),
    notBefore: epochMs.optional().openapi({ description: 'Epoch milliseconds before which nothing is sent.' }),
  })
  .openapi('Emit');

const suppressed = z.array(z.strictObject({ channel: z.string(), reason: z.enum(['unregistered', 'unavailable']) }));

export const emitResultSchema = z
  .strictObject({
    notificationId: id,
    deduped: z.boolean().nullable().openapi({ description: 'A repeat of an earlier dedupKey.' }),
    deliveries: z.array(
      z.strictObject({
        channel: z.string(),
        recipientId: z.string(),
        ok: z.boolean().openapi({
          description:
            'True once it is enqueued: the delivery is stored and will be made, not that it was. `GET /v1/deliveries` tells what became of it. ' +
            'Without an outbox: whether the channel accepted it.',
        }),
        deliveryId: z.string().optional(),
        externalId: z.string().optional(),
        error: z.string().optional(),
      }),
    ),
    enqueued: z.int().openapi({ description: 'Deliveries that were stored and will be made. 0 for a repeat, and without an outbox.' }),
    delivered: z
      .int()
      .openapi({ description: 'Deliveries made at once: only without an outbox (`messaging.outbox: none`), else always 0.' }),
    failed: z.int().openapi({ description: 'Deliveries that failed at once: only without an outbox, else always 0.' }),
    suppressed: suppressed.openapi({ description: 'Channels that got no delivery, and why.' }),
  })
  .openapi('EmitResult');

export const notificationSchema = z
  .strictObject({
    id,
    topic: z.string(),
    payload: jsonObject.nullable(),
    severity,
    dedupKey: z.string().nullable(),
    source: source.nullable(),
    actorId: z.string().nullable(),
    suppressed,
    organizationId: z.string(),
    createdAt: epochMs,
  })
  .openapi('Notification');

export const deliverySchema = z
  .strictObject({
    id,
    notificationId: id,
    organizationId: z.string(),
    recipientId: z.string(),
    channel: z.string(),
    topic: z.string().nullable(),
    payload: jsonObject,
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.int(),
    dueAt: epochMs,
    lastAttemptedAt: epochMs.nullable(),
    externalId: z.string().nullable(),
    error: z.string().nullable(),
    createdAt: epochMs,
    updatedAt: epochMs,
  })
  .openapi('Delivery');

export const inboxItemSchema = z
  .strictObject({
    id,
    notificationId: id,
    topic: z.string().nullable(),
    title: z.string(),
    body: z.string(),
    severity,
    actionUrl: z
      .string()
      .nullable()
      .openapi({ description: 'Where it leads: the `url` of the payload, else its `actionUrl`, else its source.' }),
    state: z.enum(['delivered', 'read', 'clicked', 'dismissed']),
    read: z.boolean(),
    archived: z.boolean(),
    createdAt: epochMs,
  })
  .openapi('InboxItem');

/** A flag in a query. */
const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .openapi({ type: 'boolean' });

export const cursor = name.optional().openapi({ type: 'string', description: 'The `nextCursor` of the page before.' });
export const limit = z
  .string()
  .regex(/^\d{1,9}$/, 'expected an integer')
  .transform(Number)
  .optional()
  .openapi({ type: 'integer', minimum: 1, maximum: 200, default: 50, description: '1 to 200, default 50.' });

export const deliveryQuerySchema = z.strictObject({
  status: z.enum(DELIVERY_STATUSES).optional(),
  notificationId: name.optional(),
  cursor,
  limit,
});

export const inboxQuerySchema = z.strictObject({
  read: flag.optional().openapi({ description: 'Only read, or only unread. Default both.' }),
  archived: flag.optional().openapi({ description: 'Default false: archived messages are left out.' }),
  topic: name.optional(),
  cursor,
  limit,
});

export const markReadSchema = z
  .union([z.strictObject({ ids: texts }), z.strictObject({ all: z.literal(true) })])
  .openapi('MarkRead', { description: 'Which messages: at most 1 000 ids, or all.' });

export const idParamSchema = z.strictObject({ id: name.openapi({ param: { name: 'id', in: 'path' } }) });
export const userParamSchema = z.strictObject({
  userId: name.openapi({ param: { name: 'userId', in: 'path' }, description: 'The bare user id: `ada`, not `user:ada`.', example: 'ada' }),
});

const ERRORS = {
  400: 'The request is malformed; the message says where.',
  401: 'No key, or a wrong or revoked one.',
  403: 'The key may not do this.',
  404: 'Nothing with this id in this organization.',
  408: 'The body took too long to arrive.',
  409: 'The claim is lost, or something is not in the state that the request is for; the code says which.',
  413: 'The body or the payload is too large.',
  415: 'The body is not JSON.',
  429: 'Too many requests from one address; see Retry-After.',
  503: 'The database is busy or cannot be reached; see Retry-After.',
} as const;

/** The `responses` of a route: its answer, and the errors it may have. */
export function jsonResponse<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

export function errorResponses<Status extends keyof typeof ERRORS>(...statuses: Status[]) {
  return Object.fromEntries(statuses.map((status) => [status, jsonResponse(errorSchema, ERRORS[status])])) as Record<
    Status,
    ReturnType<typeof jsonResponse<typeof errorSchema>>
  >;
}

/** The `{ items, nextCursor }` of every list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item), nextCursor: z.string().nullable() });
}
