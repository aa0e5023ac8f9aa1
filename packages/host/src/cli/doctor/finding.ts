import { failureLine } from '../failure.js';

/** What one check of the doctor found. `warn` works, but is worth knowing. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'FAIL';
  readonly text: string;
}

export function ok(check: string, text: string): Finding {
  return { check, state: 'ok', text };
}

export function warn(check: string, text: string): Finding {
  return { check, state: 'warn', text };
}

export function fail(check: string, reason: unknown): Finding {
  return { check, state: 'FAIL', text: typeof reason === 'string' ? reason : failureLine(reason).replace(/^bellhop: /, '') };
}

/** Runs a check; one that throws has failed. */
export async function finding(check: string, run: () => Promise<Finding>): Promise<Finding> {
  try {
    return await run();
  } catch (error) {
    return fail(check, error);
  }
}
