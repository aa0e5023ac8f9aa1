/** The shapes of todos and of what is done with them. Bounds beyond these are the board's own, and theirs to tell. */
import { ATTEMPT_OUTCOMES, TODO_STATES } from '@bellhop/contracts';
import { z } from '@hono/zod-openapi';
import { cursor, epochMs, id, limit, list, name, pageOf } from './schemas.js';

/** Any JSON value, handed on as it came. */
const json = z.unknown().openapi({ description: 'Any JSON value. At most 256 KiB.' });
const label = z.string().nullable();

const attemptSchema = z
  .strictObject({
    seq: z.int().openapi({ description: '1, 2, 3 … over the whole life of the todo.' }),
    claimant: label,
    claimedAt: epochMs,
    heartbeatAt: epochMs.nullable(),
    leaseUntil: epochMs,
    endedAt: epochMs.nullable(),
    outcome: z.enum(ATTEMPT_OUTCOMES).nullable(),
    disposition: z
      .enum(['done', 'retry_scheduled', 'requeued', 'dead_lettered'])
      .nullable()
      .openapi({ description: 'What became of the todo with the end of the attempt.' }),
    summary: label,
  })
  .openapi('TodoAttempt');

export const todoSchema = z
  .strictObject({
    id,
    organizationId: z.string(),
    endpointId: z.string(),
    queue: z.string(),
    state: z.enum(TODO_STATES),
    source: z.string().openapi({ description: 'Where it came from: `github`, `operator`, `endpoint` …' }),
    kind: label.openapi({ description: 'What happened, in the words of its source.' }),
    title: z.string(),
    payload: json,
    eventId: label,
    gate: z.boolean().openapi({ description: 'Whether it may wake anybody.' }),
    idempotencyKey: label,
    assignee: label.openapi({ description: 'Only a claim that names this claimant gets it. Null: any.' }),
    claimant: label,
    leaseUntil: epochMs.nullable(),
    attempt: z.int().openapi({ description: 'Claims since it was made, or last retried by hand.' }),
    maxAttempts: z.int(),
    attemptsTotal: z.int(),
    nextRetryAt: epochMs.nullable().openapi({ description: 'Of a failed one: null for a dead letter.' }),
    result: json,
    quarantineReason: label,
    createdAt: epochMs,
    pendingSince: epochMs,
    updatedAt: epochMs,
    claimedAt: epochMs.nullable(),
    completedAt: epochMs.nullable(),
  })
  .openapi('Todo');

export const todoDetailSchema = todoSchema
  .extend({ attempts: z.array(attemptSchema).readonly().openapi({ description: 'The newest first; at most 20.' }) })
  .openapi('TodoDetail');

const omitted = (what: string) => `The ${what} is over 4 096 bytes of JSON: \`${what}\` is null here. The todo by its id has it.`;

export const listedTodoSchema = todoSchema
  .extend({
    payloadOmitted: z.boolean().openapi({ description: omitted('payload') }),
    resultOmitted: z.boolean().openapi({ description: omitted('result') }),
  })
  .openapi('ListedTodo');

export const todoPageSchema = pageOf(listedTodoSchema).openapi('TodoPage');

export const claimedTodoSchema = todoSchema
  .extend({
    state: z.literal('claimed'),
    leaseUntil: epochMs,
    attemptSeq: z.int(),
    leaseToken: z
      .string()
      .nullable()
      .openapi({ description: 'Of a claim with `requireFence`, shown once: heartbeat, complete, fail and release then need it.' }),
    earlierAttempts: z.array(attemptSchema).readonly().openapi({ description: 'The closed ones, newest first; at most 5.' }),
  })
  .openapi('ClaimedTodo');

export const claimNextAnswerSchema = z
  .union([z.strictObject({ empty: z.literal(true) }), z.strictObject({ empty: z.literal(false), todo: claimedTodoSchema })])
  .openapi('ClaimNextAnswer', { description: '`empty`: there is nothing to claim.' });

const leaseMs = z
  .int()
  .optional()
  .openapi({ description: "Milliseconds of the lease. 1 000 to 86 400 000. Default: the endpoint's, else 300 000." });

const claimFields = {
  leaseMs,
  requireFence: z
    .boolean()
    .optional()
    .openapi({ description: 'Hand out a token that every later call needs: tells two workers on one credential apart. Default false.' }),
  claimant: z.string().optional().openapi({ description: 'Who claims. At most 128 characters.' }),
};

export const todoClaimSchema = z.strictObject(claimFields).openapi('TodoClaim');

export const claimNextSchema = z
  .strictObject({
    ...claimFields,
    queues: list(z.string(), { type: 'string' })
      .optional()
      .openapi({ description: 'Only from these of the scope: 1 to 100. Default all.' }),
  })
  .openapi('TodoClaimNext');

const leaseToken = z.string().optional().openapi({ description: 'Of a claim with `requireFence`.' });
const summary = z.string().optional().openapi({ description: 'For the history: 2 048 bytes of it are kept.' });

export const todoHeartbeatSchema = z.strictObject({ leaseToken, leaseMs }).openapi('TodoHeartbeat');
export const todoSettleSchema = z.strictObject({ leaseToken, result: json.optional(), summary }).openapi('TodoSettle');
export const todoReleaseSchema = z.strictObject({ leaseToken, summary }).openapi('TodoRelease');

export const todoPushSchema = z
  .strictObject({
    queue: z.string().openapi({ description: "A queue of the endpoint's scope.", example: 'reviews' }),
    title: z.string().openapi({ description: '1 to 255 characters.' }),
    payload: json.optional(),
    kind: z.string().optional().openapi({ description: '1 to 255 characters.' }),
    idempotencyKey: z.string().optional().openapi({
      description: 'While a todo of the endpoint with this key is pending, claimed or parked, no other one is made. 1 to 255 characters.',
    }),
    assignee: z.string().optional().openapi({ description: 'Only a claim that names this claimant gets it. 1 to 128 characters.' }),
    maxAttempts: z.int().optional().openapi({ description: '1 to 100, default 5.' }),
  })
  .openapi('TodoPush');

export const pushedSchema = z
  .strictObject({
    id: id.openapi({ description: 'Of the todo, or of the one that holds the idempotency key.' }),
    deduped: z.boolean().openapi({ description: 'Another todo holds the idempotency key: nothing was stored.' }),
  })
  .openapi('Pushed');

const filterFields = {
  queue: name.optional().openapi({ type: 'string', description: 'Default all.' }),
  state: z.enum(TODO_STATES).optional(),
  cursor,
  limit,
};

export const todoQuerySchema = z.strictObject(filterFields);

export const operatorTodoQuerySchema = z.strictObject({
  ...filterFields,
  endpointId: name.optional().openapi({ type: 'string', description: 'Default all.' }),
});
