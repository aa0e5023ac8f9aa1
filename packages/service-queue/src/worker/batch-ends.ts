import type { ClaimedJob } from '@bellhop/contracts';
import { checkWhole } from '@bellhop/store';
import { DELAY } from '../job-input.js';
import { failure, type JobEnd } from './job-end.js';

/**
 * What came of each job of a batch, by what its handler returned. A job that is not named is completed, so a list that cannot be read as outcomes
 * is not let pass: it would complete what failed.
 *
 * @param now epoch milliseconds.
 * @throws Error that says what is wrong with the list: then all of the batch failed.
 */
export function batchEnds(jobs: readonly ClaimedJob[], returned: unknown, now: number): JobEnd[] {
  const ends = new Map<string, JobEnd>();
  if (returned !== undefined) {
    if (!Array.isArray(returned))
      throw new Error(`The batch handler returned ${typeof returned}; a list of outcomes, or nothing, is needed.`);
    for (const [place, outcome] of returned.entries()) {
      const { id, end } = readOutcome(outcome, `outcomes[${place}]`, now);
      if (!jobs.some((job) => job.id === id)) throw new Error(`outcomes[${place}].id: ${id} is not in the batch.`);
      ends.set(id, end);
    }
  }
  return jobs.map(({ id }) => ends.get(id) ?? { kind: 'completed' });
}

function readOutcome(outcome: unknown, path: string, now: number): { id: string; end: JobEnd } {
  if (typeof outcome !== 'object' || outcome === null) throw new Error(`${path}: { id, error } or { id, snoozeMs } is needed.`);
  const { id, error, permanent, snoozeMs } = outcome as Readonly<Record<string, unknown>>;
  if (typeof id !== 'string') throw new Error(`${path}.id: the id of a job of the batch is needed.`);
  if ('error' in outcome) return { id, end: failure(error, permanent === true) };
  if ('snoozeMs' in outcome) return { id, end: { kind: 'snoozed', dueAt: now + checkWhole(snoozeMs, `${path}.snoozeMs`, DELAY) } };
  throw new Error(`${path}: neither error nor snoozeMs is there; a completed job is left out of the list.`);
}
