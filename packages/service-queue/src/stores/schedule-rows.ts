import type { ScheduleFire } from '@bellhop/contracts';

// What a fire makes of the row of its schedule. Pure, for every store.

export const UNSCHEDULED = 'unscheduled while it waited';

/** The earliest fire time that still waits after the fire; null: none. */
export function waitingAfter({ schedule, runs }: ScheduleFire): number | null {
  const waiting = new Set(schedule.waiting);
  for (const { fireAt, outcome } of runs) {
    if (outcome === 'waiting') waiting.add(fireAt);
    else waiting.delete(fireAt);
  }
  return waiting.size === 0 ? null : Math.min(...waiting);
}

/** The latest fire time so far that was not left out; null: none. */
export function lastFireAfter({ schedule, runs }: ScheduleFire): number | null {
  const times = runs.flatMap(({ fireAt, outcome }) => (outcome === 'skipped' ? [] : [fireAt]));
  if (schedule.lastFireAt !== null) times.push(schedule.lastFireAt);
  return times.length === 0 ? null : Math.max(...times);
}

/** The job published last of a fire; null: none. */
export function lastJobOf({ runs }: ScheduleFire): string | null {
  return runs.reduce<string | null>((last, run) => (run.outcome === 'published' ? run.job.id : last), null);
}
