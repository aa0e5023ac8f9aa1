// Queues, jobs and schedules as lines of the command line. Texts of others never break a line or reach the terminal as control characters.
import type { Job, QueueStats, Schedule, ScheduleTiming } from '@bellhop/contracts';

/** Characters of an error that a line shows. */
const ERROR_MAX_CHARACTERS = 200;

export function statsLine({ queue, paused, oldestPendingMs, oldestDeadMs, ...counts }: QueueStats): string {
  const { scheduled, pending, running, completed, dead, cancelled } = counts;
  const states = Object.entries({ scheduled, pending, running, completed, dead, cancelled }).map(([state, count]) => `${state} ${count}`);
  const ages = [
    ...(oldestPendingMs === null ? [] : [`oldest pending ${duration(oldestPendingMs)}`]),
    ...(oldestDeadMs === null ? [] : [`oldest dead ${duration(oldestDeadMs)}`]),
  ];
  return [quoted(queue), ...states, ...ages, ...(paused ? ['paused'] : [])].join('  ');
}

export function failedLine({ id, queue, organizationId, attempts, maxAttempts, finishedAt, lastError }: Job): string {
  const died = finishedAt === null ? [] : [`died ${new Date(finishedAt).toISOString()}`];
  return [
    plain(id),
    quoted(queue),
    `organization ${quoted(organizationId)}`,
    `attempt ${attempts} of ${maxAttempts}`,
    ...died,
    plain(lastError ?? ''),
  ].join('  ');
}

export function scheduleLine({ name, organizationId, spec, paused, nextFireAt, lastFireAt }: Schedule): string {
  const next = nextFireAt === null ? 'fires no more' : `next ${new Date(nextFireAt).toISOString()}`;
  const last = lastFireAt === null ? [] : [`last ${new Date(lastFireAt).toISOString()}`];
  const to = `into ${quoted(spec.queue)}`;
  return [
    quoted(name),
    `organization ${quoted(organizationId)}`,
    timing(spec.timing),
    to,
    next,
    ...last,
    ...(paused ? ['paused'] : []),
  ].join('  ');
}

function timing(given: ScheduleTiming): string {
  if ('cron' in given) return `cron ${quoted(given.cron)} ${plain(given.timeZone ?? 'UTC')}`;
  return 'once' in given ? 'once' : `every ${duration(given.everyMs)}`;
}

/** Rounded down: `12 s`, `3 min`, `2 h`, `4 d`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.floor(ms)} ms`;
  if (ms < 120_000) return `${Math.floor(ms / 1_000)} s`;
  if (ms < 7_200_000) return `${Math.floor(ms / 60_000)} min`;
  return ms < 172_800_000 ? `${Math.floor(ms / 3_600_000)} h` : `${Math.floor(ms / 86_400_000)} d`;
}

export function quoted(text: string): string {
  return plain(JSON.stringify(text));
}

/** Control characters, line breaks, and marks that turn the direction of what follows, the rest of the line included. */
const UNFIT = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

export function plain(text: string): string {
  const line = text.replace(UNFIT, ' ').trim();
  return line.length > ERROR_MAX_CHARACTERS ? `${line.slice(0, ERROR_MAX_CHARACTERS)}…` : line;
}
