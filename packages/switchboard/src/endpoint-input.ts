import { BOARD_VERBS, type BoardVerb, DEFAULT_BOARD_VERBS, QUARANTINE_QUEUE, type VendInput } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { checkFields, checkName, checkTime, checkWhole } from '@bellhop/store';

// What is asked of the board when an endpoint is vended, checked at the door.

const FIELDS = ['slug', 'queues', 'verbs', 'expiresAt', 'defaultLeaseMs'];
const SLUG = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const MOST_QUEUES = 100;
const LEASE_MS = { least: 60_000, most: 86_400_000 };

/** A vend with every default filled in. */
export interface CheckedVend {
  readonly slug: string;
  readonly queues: readonly string[];
  readonly verbs: readonly BoardVerb[];
  readonly expiresAt: number | null;
  readonly defaultLeaseMs: number | null;
}

/** @param now epoch milliseconds. @throws InputError `INVALID_INPUT`; the path names the field. */
export function checkVend(input: VendInput, now: number): CheckedVend {
  const { slug, queues, verbs, expiresAt, defaultLeaseMs } = checkFields(input, 'input', FIELDS, '');
  return {
    slug: checkSlug(slug),
    queues: checkQueues(queues),
    verbs: verbs === undefined ? DEFAULT_BOARD_VERBS : checkVerbs(verbs),
    expiresAt: expiresAt === undefined ? null : checkExpiry(expiresAt, now),
    defaultLeaseMs: defaultLeaseMs === undefined ? null : checkWhole(defaultLeaseMs, 'defaultLeaseMs', LEASE_MS),
  };
}

/** The name of a queue that may be in a scope or a target. @throws InputError `INVALID_INPUT`. */
export function checkQueue(value: unknown, path: string): string {
  const queue = checkName(value, path);
  if (queue === QUARANTINE_QUEUE) refuse(path, `${QUARANTINE_QUEUE} is reserved for what waits for a person; choose another name`);
  return queue;
}

/** An array of distinct items, each checked. @throws InputError `INVALID_INPUT`. */
export function checkDistinct<T>(value: unknown, path: string, most: number, check: (item: unknown, path: string) => T): T[] {
  if (!Array.isArray(value) || value.length < 1 || value.length > most) {
    refuse(path, `${Array.isArray(value) ? value.length : 'no array'} given; an array of 1 to ${most} is needed`);
  }
  const seen = new Set<string>();
  return value.map((item, place) => {
    const checked = check(item, `${path}[${place}]`);
    const key = JSON.stringify(checked);
    if (seen.has(key)) refuse(`${path}[${place}]`, 'it is in the list already; give each once');
    seen.add(key);
    return checked;
  });
}

export function refuse(path: string, problem: string): never {
  throw new InputError('INVALID_INPUT', `${path}: ${problem}.`, { path });
}

function checkSlug(value: unknown): string {
  if (typeof value === 'string' && SLUG.test(value)) return value;
  refuse('slug', '1 to 63 characters are allowed, a-z, 0-9 and -, beginning and ending with a letter or digit');
}

function checkQueues(value: unknown): string[] {
  return checkDistinct(value, 'queues', MOST_QUEUES, checkQueue);
}

function checkVerbs(value: unknown): BoardVerb[] {
  return checkDistinct(value, 'verbs', BOARD_VERBS.length, (item, path) => {
    const verb = BOARD_VERBS.find((known) => known === item);
    return verb ?? refuse(path, `no such verb; ${BOARD_VERBS.join(', ')} are allowed`);
  });
}

function checkExpiry(value: unknown, now: number): number {
  const at = checkTime(value, 'expiresAt');
  if (at <= now) refuse('expiresAt', `${at} given, which is not later than now (${now}); give a time to come or leave it out`);
  return at;
}
