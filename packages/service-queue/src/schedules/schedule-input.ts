import type { MisfirePolicy, NewJob, OverlapPolicy, ScheduleSpec, ScheduleTiming } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { checkFields, checkText, checkTime, checkWhole } from '@bellhop/store';
import { checkJob } from '../job-input.js';
import { CronTimes } from './cron-times.js';
import type { CheckedTiming } from './fire-times.js';

const SPEC_FIELDS = [
  'timing',
  'queue',
  'data',
  'organizationId',
  'misfire',
  'overlap',
  'jitterMs',
  'priority',
  'maxAttempts',
  'timeoutMs',
] as const satisfies readonly (keyof ScheduleSpec)[];
/** All seconds, minutes, hours, days and months, listed one by one, are 500. */
const CRON_MAX_CHARACTERS = 1_000;
const OVERLAPS: readonly OverlapPolicy[] = ['allow', 'skip', 'queue'];

/** A spec with every default filled in. */
export interface CheckedSpec extends Required<ScheduleSpec> {
  readonly timing: CheckedTiming;
}

/**
 * Checks what a schedule is made of and fills in every default. A field that does not exist is refused, not ignored.
 *
 * @param now when it is made: where an interval begins that names no start.
 * @throws InputError `INVALID_INPUT`, `PAYLOAD_TOO_LARGE`; the path names the value: `spec.timing.cron`.
 */
export function checkScheduleSpec(input: unknown, now: number): CheckedSpec {
  const spec = checkFields(input, 'spec', SPEC_FIELDS, 'spec.');
  const timing = checkTiming(spec.timing, now);
  const { data = null, queue, organizationId, priority, maxAttempts, timeoutMs } = spec;
  const options = Object.fromEntries(
    Object.entries({ organizationId, priority, maxAttempts, timeoutMs }).filter(([, value]) => value !== undefined),
  );
  const job = checkedJob({ queue, data, options }, now);
  return {
    timing,
    queue: job.queue,
    data: JSON.parse(job.dataText) as unknown,
    organizationId: job.organizationId,
    misfire: checkMisfire(spec.misfire),
    overlap: checkOverlap(spec.overlap),
    jitterMs: spec.jitterMs === undefined ? 0 : checkWhole(spec.jitterMs, 'spec.jitterMs', { least: 0, most: 3_600_000 }),
    priority: job.priority,
    maxAttempts: job.maxAttempts,
    timeoutMs: job.timeoutMs,
  };
}

/** A schedule's jobs are held to what every job is held to; only their fields sit elsewhere. */
function checkedJob(input: { readonly queue: unknown; readonly data: unknown; readonly options: unknown }, now: number): NewJob {
  try {
    return checkJob(input, { id: () => '', now }, 'spec.');
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const plain = (text: string) => text.replace(/^spec\.options\./, 'spec.');
    throw new InputError(error.code, plain(error.message), { cause: error, path: plain(error.path ?? 'spec') });
  }
}

/** What of a timing must be given together, by the field that tells the kind. */
const KINDS = { cron: ['cron', 'timeZone'], everyMs: ['everyMs', 'startAt'], once: ['once'] } as const;

function checkTiming(value: unknown, now: number): CheckedTiming {
  const path = 'spec.timing';
  const timing = checkFields(value, path, Object.values(KINDS).flat(), `${path}.`) as Partial<Record<string, unknown>>;
  const given = Object.keys(timing).filter((name) => timing[name] !== undefined);
  const kinds = (Object.keys(KINDS) as (keyof typeof KINDS)[]).filter((kind) => given.includes(kind));
  const [kind, other] = kinds;
  if (kind === undefined) refuse(path, 'one of cron, everyMs and once is needed');
  if (other !== undefined) refuse(`${path}.${other}`, `given together with ${kind}; give one of them`);
  const foreign = given.find((name) => !(KINDS[kind] as readonly string[]).includes(name));
  if (foreign !== undefined) refuse(`${path}.${foreign}`, `given with ${kind}, which does not use it; leave it out`);
  if (kind === 'once') return { once: checkTime(timing.once, `${path}.once`) };
  if (kind === 'everyMs') {
    const everyMs = checkWhole(timing.everyMs, `${path}.everyMs`, { least: 1_000, most: 31_536_000_000 });
    return { everyMs, startAt: timing.startAt === undefined ? now : checkTime(timing.startAt, `${path}.startAt`) };
  }
  const cron = checkText(timing.cron, `${path}.cron`).trim();
  if (cron.length > CRON_MAX_CHARACTERS)
    refuse(`${path}.cron`, `${cron.length} characters given; at most ${CRON_MAX_CHARACTERS} are allowed`);
  const timeZone = timing.timeZone === undefined ? 'UTC' : checkText(timing.timeZone, `${path}.timeZone`);
  new CronTimes(cron, timeZone, path);
  return { cron, timeZone };
}

function checkMisfire(value: unknown): MisfirePolicy {
  if (value === undefined) return 'once';
  if (value === 'skip' || value === 'once') return value;
  const path = 'spec.misfire';
  if (typeof value !== 'object' || value === null) refuse(path, "'skip', 'once' or { all: 1 to 1000 } is needed");
  const { all } = checkFields(value, path, ['all'], `${path}.`);
  return { all: checkWhole(all, `${path}.all`, { least: 1, most: 1_000 }) };
}

function checkOverlap(value: unknown): OverlapPolicy {
  if (value === undefined) return 'allow';
  const found = OVERLAPS.find((each) => each === value);
  if (found === undefined) refuse('spec.overlap', `${OVERLAPS.map((each) => `'${each}'`).join(', ')} are allowed`);
  return found;
}

/**
 * Whether two timings are the same. An interval that names no start is the one that is there: a process that states its schedules at every start
 * must not move them.
 *
 * @param stored absent in a row that was damaged.
 */
export function isSameTiming(given: ScheduleTiming, checked: CheckedTiming, stored: ScheduleTiming | undefined): boolean {
  if (!stored) return false;
  const startsWhenMade = 'everyMs' in given && given.startAt === undefined;
  if (startsWhenMade && 'everyMs' in stored) return given.everyMs === stored.everyMs;
  return JSON.stringify(checked) === JSON.stringify(stored);
}

function refuse(path: string, problem: string): never {
  throw new InputError('INVALID_INPUT', `${path}: ${problem}.`, { path });
}
