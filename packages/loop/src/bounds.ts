import { LONGEST_TIMER_MS } from './delay.js';

/** @throws RangeError naming the option, what was given and what is allowed. */
export function inBounds(name: string, value: number, least: number, most: number): number {
  if (!(value >= least && value <= most)) {
    throw new RangeError(`${name}: ${String(value)} given; a number from ${least} to ${most} is allowed.`);
  }
  return value;
}

/** As {@link inBounds}, for counts. */
export function countInBounds(name: string, value: number, least: number, most: number): number {
  if (!Number.isInteger(value))
    throw new RangeError(`${name}: ${String(value)} given; a whole number from ${least} to ${most} is allowed.`);
  return inBounds(name, value, least, most);
}

/** The deadline of a `stop`: 0 to 2 147 483 647 ms. */
export function checkedDeadline(deadlineMs: number): number {
  return inBounds('deadlineMs', deadlineMs, 0, LONGEST_TIMER_MS);
}
