/** The test runner a conformance suite runs on: vitest's or node:test's functions fit as they are. */
export interface ConformanceApi {
  describe(title: string, body: () => void): void;
  /** `context` is the runner's; a `skip` on it is called where a capability is missing. */
  it(title: string, body: (context: unknown) => Promise<void>): void;
  beforeEach(body: () => Promise<void>): void;
  afterEach(body: () => Promise<void>): void;
}

/** Marks the running test as skipped where the runner can; otherwise it passes without having checked anything. */
export function skip(context: unknown, reason: string): void {
  if (typeof context !== 'object' || context === null) return;
  const runner = context as { skip?: unknown };
  if (typeof runner.skip === 'function') (context as { skip(reason: string): void }).skip(reason);
}
