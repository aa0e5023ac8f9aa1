import type { NewJob } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { checkFields } from '@bellhop/store';
import { checkJob } from './job-input.js';

/** Jobs of one `publishMany` at most. */
const JOBS_MAX = 10_000;
const FIELDS = ['data', 'options'] as const;

/**
 * Checks the jobs of a `publishMany`: all of them before the first is stored.
 *
 * @throws InputError `INVALID_INPUT`, `PAYLOAD_TOO_LARGE`; the path names the value: `jobs[3].options.priority`.
 */
export function checkJobs(queue: string, jobs: unknown, defaults: { readonly id: () => string; readonly now: number }): NewJob[] {
  return checkJobList(jobs).map(({ data, options }, index) => checkJob({ queue, data, options }, defaults, `jobs[${index}].`));
}

/** The list and the fields of each, not what they hold. @throws InputError as `checkJobs`. */
export function checkJobList<Listed extends { readonly data: unknown; readonly options?: unknown }>(jobs: unknown): Listed[] {
  if (!Array.isArray(jobs)) throw new InputError('INVALID_INPUT', 'jobs: a list of { data, options } is needed.', { path: 'jobs' });
  if (jobs.length > JOBS_MAX) {
    throw new InputError('INVALID_INPUT', `jobs: ${jobs.length} given; at most ${JOBS_MAX} are allowed, publish them in parts.`, {
      path: 'jobs',
    });
  }
  return jobs.map((job, index) => {
    const { data, options } = checkFields(job, `jobs[${index}]`, FIELDS, `jobs[${index}].`);
    return (options === undefined ? { data } : { data, options }) as Listed;
  });
}
