import type { DueSchedule, NewJob, NewScheduleRun, ScheduleFire } from '@bellhop/contracts';
import { fireTimesOf } from './fire-times.js';

// What becomes of a schedule that is due: its policies, and nothing else. Pure.

/** So late is a fire time that nobody was there for: above the longest wait of an idle worker, so that none who was there takes itself for absent. */
export const MISFIRE_AFTER_MS = 60_000;

/** Runs of a schedule in one transaction; the rest stays due. */
const RUNS_AT_ONCE = 100;

/** Runs of a schedule that may wait. */
export const WAITING_MOST = 100;

/** Makes the job of a fire time. */
export type JobMaker = (schedule: DueSchedule, fireAt: number) => NewJob;

export function decideFire(schedule: DueSchedule, now: number, jobFor: JobMaker): ScheduleFire {
  const { overlap = 'allow' } = schedule.spec;
  const waiting = [...schedule.waiting];
  const runs: NewScheduleRun[] = [];
  let unfinished = schedule.unfinishedJobId;
  const publish = (fireAt: number, reason: string | null) => {
    const job = jobFor(schedule, fireAt);
    runs.push({ fireAt, outcome: 'published', reason, job });
    unfinished = job.id;
  };
  const skip = (fireAt: number, reason: string) => runs.push({ fireAt, outcome: 'skipped', reason });

  // Those that wait came first. Under `allow`, to which the schedule may have been changed, none has to wait.
  while (waiting.length > 0 && (unfinished === null || overlap === 'allow'))
    publish(waiting.shift() as number, 'waited for the job before');

  const { times, skipped, nextFireAt } = passed(schedule, now);
  if (skipped) skip(skipped.fireAt, skipped.reason);
  for (const { fireAt, reason } of times) {
    if (overlap === 'allow' || (unfinished === null && waiting.length === 0)) publish(fireAt, reason);
    else if (overlap === 'skip') skip(fireAt, `overlap: the job ${unfinished} is not finished`);
    else if (waiting.length < WAITING_MOST) {
      waiting.push(fireAt);
      runs.push({ fireAt, outcome: 'waiting', reason: 'overlap: the job before is not finished' });
    } else skip(fireAt, `overlap: ${WAITING_MOST} wait already`);
  }
  return { schedule, nextFireAt, runs };
}

interface Passed {
  readonly times: readonly { readonly fireAt: number; readonly reason: string | null }[];
  /** The one run that stands for all that the misfire policy leaves out. */
  readonly skipped?: { readonly fireAt: number; readonly reason: string };
  readonly nextFireAt: number | null;
}

/** The fire times that have come, as the misfire policy has it. */
function passed({ nextFireAt: first, spec }: DueSchedule, now: number): Passed {
  if (first === null || first > now) return { times: [], nextFireAt: first };
  const fireTimes = fireTimesOf(spec.timing);
  const nextFireAt = fireTimes.next(now);
  const { misfire = 'once' } = spec;
  if (now - first <= MISFIRE_AFTER_MS)
    return { times: fireTimes.latest({ from: first, upTo: now, count: Infinity }).map(plain), nextFireAt };

  const last = (count: number) => fireTimes.latest({ from: first, upTo: now, count });
  if (misfire === 'skip') {
    const fireAt = last(1)[0] ?? first;
    return { times: [], skipped: { fireAt, reason: `misfire: ${span(first, fireAt)} passed while nobody was there` }, nextFireAt };
  }
  if (misfire === 'once') {
    const fireAt = last(1)[0] ?? first;
    return { times: [{ fireAt, reason: fireAt === first ? null : `misfire: stands for ${span(first, fireAt)}` }], nextFireAt };
  }
  const times = last(misfire.all);
  const rest = times[RUNS_AT_ONCE];
  const [earliest = first] = times;
  return {
    times: times.slice(0, RUNS_AT_ONCE).map(plain),
    ...(earliest > first
      ? { skipped: { fireAt: first, reason: `misfire: from ${iso(first)} on only the last ${misfire.all} are run` } }
      : {}),
    // What is left is as late at the next look, and fewer than the cap.
    nextFireAt: rest ?? nextFireAt,
  };
}

const plain = (fireAt: number) => ({ fireAt, reason: null });

function span(first: number, last: number): string {
  return first === last ? `the fire time ${iso(first)}` : `the fire times from ${iso(first)} to ${iso(last)}`;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
