/**
 * Milliseconds on the machine's monotonic clock, which all its processes read alike: a job published in one and begun in another has a
 * latency. `performance.now()` counts from the start of its own process.
 */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}
