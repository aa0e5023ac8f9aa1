/** Milliseconds that a todo is parked after its failed attempts 1, 2, 3 …: 30 s, doubling, at most 15 min. */
const RETRY_WAITS_MS = [30_000, 60_000, 120_000, 240_000, 480_000, 900_000] as const;

/** The wait after an attempt (1, 2, 3 …), as an SQL expression. */
export function retryWaitSql(attempt: string): string {
  const [longest, ...shorter] = [...RETRY_WAITS_MS].reverse();
  const arms = shorter.reverse().map((wait, place) => `WHEN ${attempt} <= ${place + 1} THEN ${wait}`);
  return `CASE ${arms.join(' ')} ELSE ${longest} END`;
}
