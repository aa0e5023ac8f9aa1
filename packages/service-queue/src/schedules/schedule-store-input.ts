import type { RunSweepOptions } from '@bellhop/contracts';
import { checkTime, checkWhole } from '@bellhop/store';

// What a schedule store is asked, checked the same for every store. Schedules themselves come checked from `schedule-input.ts`.

/** @throws InputError `INVALID_INPUT`. */
export function checkDueOptions({ now, limit }: { readonly now: number; readonly limit: number }): { now: number; limit: number } {
  return { now: checkTime(now, 'now'), limit: checkWhole(limit, 'limit', { least: 1, most: 1_000 }) };
}

/** @throws InputError `INVALID_INPUT`. */
export function checkRunsLimit(limit: unknown): number {
  return checkWhole(limit, 'limit', { least: 1, most: 200 });
}

/** @throws InputError `INVALID_INPUT`. */
export function checkRunSweepTime({ createdBefore }: Omit<RunSweepOptions, 'limit'>): { createdBefore: number } {
  return { createdBefore: checkTime(createdBefore, 'createdBefore') };
}

/** @throws InputError `INVALID_INPUT`. */
export function checkRunSweep(options: RunSweepOptions): RunSweepOptions {
  return { ...checkRunSweepTime(options), limit: checkWhole(options.limit, 'limit', { least: 1, most: 10_000 }) };
}
