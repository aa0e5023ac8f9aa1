import type {
  BatchItemOutcome,
  BatchJobHandler,
  Enqueued,
  IQueueService,
  JobHandler,
  JobMessage,
  PublishOptions,
  SubscribeOptions,
  Subscription,
  TransactionOption,
} from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { checkFields, checkPayload } from '@bellhop/store';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { checkJob } from './job-input.js';
import { PermanentError } from './permanent-error.js';
import { checkJobList } from './publish-input.js';
import { fit } from './standard-schema.js';

/** What is the same for every job of a kind. Each publish may say otherwise. */
export interface JobDefaults
  extends Pick<PublishOptions, 'priority' | 'maxAttempts' | 'backoff' | 'timeoutMs' | 'idempotencyWindowMs' | 'groupConcurrency'> {}

export interface JobDefinitionOptions<Schema extends StandardSchemaV1> extends JobDefaults {
  readonly queue: string;
  /** A Standard Schema of the data as JSON holds it: a date is a string. What it makes of them is what handlers get. */
  readonly schema: Schema;
}

type In<Schema extends StandardSchemaV1> = StandardSchemaV1.InferInput<Schema>;
type Out<Schema extends StandardSchemaV1> = StandardSchemaV1.InferOutput<Schema>;

/** A kind of job: its queue, what its data may be, and how it is tried. */
export interface JobDefinition<Schema extends StandardSchemaV1> {
  readonly queue: string;
  /** @throws InputError `INVALID_INPUT` for data that the schema refuses: the path names the value, `data.to`. Nothing was written. */
  publish(service: IQueueService, data: In<Schema>, options?: PublishOptions, trx?: TransactionOption): Promise<Enqueued>;
  /** All or nothing. @throws InputError as `publish`; the path begins with the job's place: `jobs[3].data.to`. */
  publishMany(
    service: IQueueService,
    jobs: readonly { readonly data: In<Schema>; readonly options?: PublishOptions }[],
    trx?: TransactionOption,
  ): Promise<Enqueued[]>;
  /** A job whose stored data the schema refuses never reaches the handler: it is dead, with the reason. */
  subscribe(
    service: IQueueService,
    handler: BatchJobHandler<Out<Schema>>,
    options: SubscribeOptions & { readonly batch: number },
  ): Subscription;
  subscribe(service: IQueueService, handler: JobHandler<Out<Schema>>, options?: SubscribeOptions): Subscription;
}

const DEFAULTS = ['priority', 'maxAttempts', 'backoff', 'timeoutMs', 'idempotencyWindowMs', 'groupConcurrency'] as const;

/**
 * Defines a kind of job, so that publishers and handlers agree on its data by type and at run time.
 *
 * @throws InputError `INVALID_INPUT` at once, for a default that is not allowed.
 */
export function defineJob<Schema extends StandardSchemaV1>(definition: JobDefinitionOptions<Schema>): JobDefinition<Schema> {
  const { queue, schema, ...defaults } = definition;
  checkFields(defaults, 'definition', DEFAULTS, '');
  checkJob({ queue, data: null, options: { ...defaults, ...keysFor(defaults) } }, { id: () => '', now: 0 });

  return {
    queue,
    async publish(service, data, options = {}, trx = {}) {
      const stored = await storedForm(schema, data, 'data');
      return service.publish(queue, stored, withDefaults(defaults, options), trx);
    },
    async publishMany(service, jobs, trx = {}) {
      const checked = await Promise.all(
        checkJobList<(typeof jobs)[number]>(jobs).map(async ({ data, options = {} }, index) => ({
          data: await storedForm(schema, data, `jobs[${index}].data`),
          options: withDefaults(defaults, options),
        })),
      );
      return service.publishMany(queue, checked, trx);
    },
    subscribe(
      service: IQueueService,
      handler: JobHandler<Out<Schema>> | BatchJobHandler<Out<Schema>>,
      options: SubscribeOptions & { readonly batch?: number } = {},
    ): Subscription {
      const { batch } = options;
      if (batch === undefined) return service.subscribe(queue, checkedHandler(schema, handler as JobHandler<Out<Schema>>), options);
      return service.subscribe(queue, checkedBatchHandler(schema, handler as BatchJobHandler<Out<Schema>>), { ...options, batch });
    },
  };
}

/** The data as JSON holds them, if they fit as such: that is what a handler's side will read. */
async function storedForm(schema: StandardSchemaV1, data: unknown, path: string): Promise<unknown> {
  const stored: unknown = JSON.parse(checkPayload(data, path));
  const found = await fit(schema, stored, path);
  if ('misfit' in found) throw new InputError('INVALID_INPUT', `${found.misfit.text}.`, { path: found.misfit.path });
  return stored;
}

function checkedHandler<Schema extends StandardSchemaV1>(schema: Schema, handler: JobHandler<Out<Schema>>): JobHandler {
  return async (message, ctx) => {
    const found = await fit(schema, message.data, 'data');
    if ('misfit' in found) throw misfitError(found.misfit.text);
    return handler({ ...message, data: found.value }, ctx);
  };
}

function checkedBatchHandler<Schema extends StandardSchemaV1>(schema: Schema, handler: BatchJobHandler<Out<Schema>>): BatchJobHandler {
  return async (messages, ctx) => {
    const good: JobMessage<Out<Schema>>[] = [];
    const bad: BatchItemOutcome[] = [];
    for (const message of messages) {
      const { id } = message;
      try {
        const found = await fit(schema, message.data, 'data');
        if ('misfit' in found) bad.push({ id, error: misfitError(found.misfit.text) });
        else good.push({ ...message, data: found.value });
      } catch (error) {
        bad.push({ id, error });
      }
    }
    if (good.length === 0) return bad;
    if (bad.length === 0) return handler(good, ctx);
    try {
      const outcomes = await handler(good, ctx);
      return outcomes === undefined ? bad : [...bad, ...outcomes];
    } catch (error) {
      return [...bad, ...good.map(({ id }) => ({ id, error }))];
    }
  };
}

function misfitError(text: string): PermanentError {
  return new PermanentError(`The stored data does not fit the job's schema: ${text}.`);
}

/** A default for a key or a group holds where one is given. */
function withDefaults({ idempotencyWindowMs, groupConcurrency, ...defaults }: JobDefaults, options: PublishOptions): PublishOptions {
  // The service says what is wrong with it.
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return options;
  return {
    ...defaults,
    ...(idempotencyWindowMs !== undefined && options.idempotencyKey !== undefined ? { idempotencyWindowMs } : {}),
    ...(groupConcurrency !== undefined && options.groupKey !== undefined ? { groupConcurrency } : {}),
    ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)),
  };
}

function keysFor({ idempotencyWindowMs, groupConcurrency }: JobDefaults): PublishOptions {
  return {
    ...(idempotencyWindowMs === undefined ? {} : { idempotencyKey: 'any' }),
    ...(groupConcurrency === undefined ? {} : { groupKey: 'any' }),
  };
}
