import type { JobBackoff, NewJob, PublishOptions } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { checkFields, checkName, checkPayload, checkTime, checkWhole, DEFAULT_ORGANIZATION } from '@bellhop/store';

const YEAR_MS = 31_536_000_000;
/** Milliseconds that a job may be put off. */
export const DELAY = { least: 0, most: YEAR_MS };
const METADATA_MAX_BYTES = 16 * 1024;

const OPTION_FIELDS = [
  'organizationId',
  'delayMs',
  'runAt',
  'priority',
  'maxAttempts',
  'backoff',
  'idempotencyKey',
  'idempotencyWindowMs',
  'groupKey',
  'groupConcurrency',
  'timeoutMs',
  'metadata',
] as const satisfies readonly (keyof PublishOptions)[];
const BACKOFF_FIELDS = ['type', 'delayMs', 'maxDelayMs', 'jitter'] as const satisfies readonly (keyof JobBackoff)[];
const BACKOFF: JobBackoff = { type: 'exponential', delayMs: 1_000, maxDelayMs: 3_600_000, jitter: 'full' };
/** A job whose publisher says no more than queue and data. Most are such, and looking for options they do not have took twice as long. */
const PLAIN = {
  organizationId: DEFAULT_ORGANIZATION,
  metadataText: null,
  priority: 100,
  maxAttempts: 3,
  backoff: BACKOFF,
  timeoutMs: 3_600_000,
  groupKey: null,
  groupConcurrency: null,
  idempotencyKey: null,
  idempotencyUntil: null,
} as const satisfies Partial<NewJob>;

/** A job as a caller publishes it: nothing about it is known yet. */
export interface JobInput {
  readonly queue: unknown;
  readonly data: unknown;
  readonly options?: unknown;
}

/**
 * Checks a job that is to be published and fills in every default. An option that does not exist is refused, not ignored. `runAt` in the past
 * is now: a job cannot be put before those that wait already by a date it is given.
 *
 * @param defaults.now epoch milliseconds of the publish: delays and windows count from it.
 * @param at where the job sits, for the paths of errors: `''`, or `jobs[3].`.
 * @throws InputError `INVALID_INPUT`, `PAYLOAD_TOO_LARGE`; the path names the value: `jobs[3].options.priority`.
 */
export function checkJob(input: JobInput, defaults: { readonly id: () => string; readonly now: number }, at = ''): NewJob {
  const { now } = defaults;
  if (input.options === undefined) return plainJob(input, defaults, at);
  const options = checkFields(input.options, `${at}options`, OPTION_FIELDS, `${at}options.`);
  const optional = <T>(name: keyof PublishOptions, check: (value: unknown, path: string) => T): T | null =>
    options[name] === undefined ? null : check(options[name], `${at}options.${name}`);
  const whole = (name: keyof PublishOptions, bounds: { readonly least: number; readonly most: number }): number | null =>
    optional(name, (value, path) => checkWhole(value, path, bounds));
  refuseTogether(options, 'delayMs', 'runAt', `${at}options.`);
  refuseAlone(options, 'idempotencyWindowMs', 'idempotencyKey', `${at}options.`);
  refuseAlone(options, 'groupConcurrency', 'groupKey', `${at}options.`);
  const idempotencyKey = optional('idempotencyKey', checkName);
  const windowMs = whole('idempotencyWindowMs', { least: 1, most: YEAR_MS }) ?? 86_400_000;
  return {
    organizationId: optional('organizationId', checkName) ?? PLAIN.organizationId,
    queue: checkName(input.queue, `${at}queue`),
    dataText: checkPayload(input.data, `${at}data`),
    metadataText: optional('metadata', checkMetadata),
    priority: whole('priority', { least: 0, most: 1_000_000 }) ?? PLAIN.priority,
    maxAttempts: whole('maxAttempts', { least: 1, most: 1_000 }) ?? PLAIN.maxAttempts,
    backoff: optional('backoff', checkBackoff) ?? PLAIN.backoff,
    timeoutMs: whole('timeoutMs', DELAY) ?? PLAIN.timeoutMs,
    dueAt: Math.max(now, optional('runAt', checkTime) ?? now + (whole('delayMs', DELAY) ?? 0)),
    groupKey: optional('groupKey', checkName),
    groupConcurrency: whole('groupConcurrency', { least: 1, most: 10_000 }),
    idempotencyKey,
    idempotencyUntil: idempotencyKey === null ? null : now + windowMs,
    // Last: a job that is refused takes no id.
    id: defaults.id(),
  };
}

/** Member by member: a spread of as many costs five times as much. */
function plainJob({ queue, data }: JobInput, { id, now }: { readonly id: () => string; readonly now: number }, at: string): NewJob {
  return {
    organizationId: PLAIN.organizationId,
    queue: checkName(queue, `${at}queue`),
    dataText: checkPayload(data, `${at}data`),
    metadataText: PLAIN.metadataText,
    priority: PLAIN.priority,
    maxAttempts: PLAIN.maxAttempts,
    backoff: PLAIN.backoff,
    timeoutMs: PLAIN.timeoutMs,
    dueAt: now,
    groupKey: PLAIN.groupKey,
    groupConcurrency: PLAIN.groupConcurrency,
    idempotencyKey: PLAIN.idempotencyKey,
    idempotencyUntil: PLAIN.idempotencyUntil,
    id: id(),
  };
}

function checkBackoff(value: unknown, path: string): JobBackoff {
  const fields = checkFields(value, path, BACKOFF_FIELDS, `${path}.`);
  const wait = (name: 'delayMs' | 'maxDelayMs', otherwise: number) =>
    fields[name] === undefined ? otherwise : checkWhole(fields[name], `${path}.${name}`, DELAY);
  const delayMs = wait('delayMs', BACKOFF.delayMs);
  return {
    type: fields.type === undefined ? BACKOFF.type : checkOneOf(fields.type, `${path}.type`, ['exponential', 'fixed']),
    delayMs,
    // Whoever asks for waits longer than the usual cap means them.
    maxDelayMs: wait('maxDelayMs', Math.max(BACKOFF.maxDelayMs, delayMs)),
    jitter: fields.jitter === undefined ? BACKOFF.jitter : checkOneOf(fields.jitter, `${path}.jitter`, ['full', 'none']),
  };
}

function checkMetadata(value: unknown, path: string): string {
  const text = checkPayload(value, path, METADATA_MAX_BYTES);
  // By its text: what `toJSON` made of the value is what is stored.
  if (!text.startsWith('{')) {
    throw new InputError('INVALID_INPUT', `${path}: a JSON object is needed, such as { source: "import" }.`, { path });
  }
  return text;
}

function checkOneOf<const Value extends string>(value: unknown, path: string, allowed: readonly Value[]): Value {
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  const given = typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : `a value of type ${typeof value}`;
  throw new InputError('INVALID_INPUT', `${path}: ${given} given; ${allowed.join(', ')} are allowed.`, { path });
}

type Options = Readonly<Record<string, unknown>>;

function refuseTogether(options: Options, one: keyof PublishOptions, other: keyof PublishOptions, at: string): void {
  if (options[one] === undefined || options[other] === undefined) return;
  throw new InputError('INVALID_INPUT', `${at}${other}: given together with ${one}; give one of them.`, { path: `${at}${other}` });
}

function refuseAlone(options: Options, name: keyof PublishOptions, needed: keyof PublishOptions, at: string): void {
  if (options[name] === undefined || options[needed] !== undefined) return;
  throw new InputError('INVALID_INPUT', `${at}${name}: given without ${needed}, of which it is a part; give both, or neither.`, {
    path: `${at}${name}`,
  });
}
