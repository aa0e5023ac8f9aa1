/** @throws RangeError naming the flag, what was given and what is allowed. */
export function wholeNumber(flag: string, given: string | undefined, least: number, most: number): number {
  const number = Number(given);
  if (given !== '' && Number.isInteger(number) && number >= least && number <= most) return number;
  throw new RangeError(`${flag} ${String(given)}: a whole number from ${least} to ${most} is allowed.`);
}
