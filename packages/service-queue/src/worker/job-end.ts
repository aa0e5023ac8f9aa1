import type { ClaimedJob, JobResult } from '@bellhop/contracts';
import { errorMessage, type Random } from '@bellhop/kernel';
import { stripText } from '@bellhop/store';
import { isPermanent } from '../permanent-error.js';
import { retryDelayMs } from '../retry-delay.js';

/** What came of a handler's run, for one job. */
export type JobEnd =
  | { readonly kind: 'completed' }
  | { readonly kind: 'failed'; readonly error: string; readonly permanent: boolean }
  /** Epoch milliseconds at which it is due again. */
  | { readonly kind: 'snoozed'; readonly dueAt: number }
  /** A stop cut it short: its place in the line and its attempt are as before. */
  | { readonly kind: 'released' };

/** The end of a job whose handler threw `thrown`, which may be anything at all. */
export function failure(thrown: unknown, permanent = false): JobEnd {
  return { kind: 'failed', error: failureText(thrown), permanent: permanent || isPermanent(thrown) };
}

function failureText(thrown: unknown): string {
  if (thrown === undefined || thrown === null) return `${thrown} was thrown, which says nothing; throw an Error.`;
  return stripText(errorMessage(thrown));
}

/**
 * What is written for a job that ended so. The claim decides whether this was the last attempt: it may be a later one than the run began under.
 *
 * @param at.now epoch milliseconds.
 */
export function settle(job: ClaimedJob, end: JobEnd, at: { readonly now: number; readonly random: Random }): JobResult {
  switch (end.kind) {
    case 'completed':
      return { outcome: 'completed' };
    case 'snoozed':
      return { outcome: 'snooze', dueAt: end.dueAt };
    case 'released':
      return { outcome: 'snooze', dueAt: job.dueAt };
    default: {
      const { error } = end;
      if (end.permanent || job.attempts >= job.maxAttempts) return { outcome: 'dead', error };
      return { outcome: 'retry', error, dueAt: at.now + retryDelayMs(job.backoff, job.attempts, at.random) };
    }
  }
}
