import type { ClaimedJob, JobClaimOutcome, JobResult, JobStore } from '@bellhop/contracts';
import type { PoolAck } from '@bellhop/loop';
import type { JobEnd } from './job-end.js';

/** What a handler is called with once: a job, or a batch of them. It is claimed, renewed, acked and released as one. */
export interface JobUnit {
  /** The job's id, so that a job which is claimed again while it runs is known again. Batches are never twice the same. */
  readonly key: string;
  /** At least one. */
  readonly jobs: readonly ClaimedJob[];
}

/** What came of a unit: an end for each of its jobs, in their order. */
export interface UnitOutcome {
  readonly ends: readonly JobEnd[];
  readonly durationMs: number;
}

/** What was written for a job. */
export interface WrittenJob {
  readonly job: ClaimedJob;
  readonly result: JobResult;
  readonly outcome: JobClaimOutcome;
}

export type UnitAck = PoolAck<JobUnit, UnitOutcome>;

/** Writes the outcomes of whole units in one call. A unit is lost when all of its jobs are. @param onWritten is told of each job. */
export async function ackUnits(
  store: JobStore,
  batch: readonly UnitAck[],
  settleJob: (job: ClaimedJob, end: JobEnd) => JobResult,
  onWritten: (written: WrittenJob) => void,
): Promise<JobClaimOutcome[]> {
  const acks = batch.flatMap(({ claim, outcome }) =>
    claim.jobs.map((job, place) => ({ claim: job, result: settleJob(job, outcome.ends[place] as JobEnd) })),
  );
  const outcomes = await store.ack(acks);
  acks.forEach(({ claim, result }, place) => void onWritten({ job: claim, result, outcome: outcomes[place] ?? 'lost' }));
  return byUnit(
    batch.map(({ claim }) => claim),
    outcomes,
  );
}

/** Renews every job of every unit in one call. A unit is lost when all of its jobs are: those that are held are worked to their end. */
export async function renewUnits(store: JobStore, units: readonly JobUnit[], leaseMs: number): Promise<JobClaimOutcome[]> {
  return byUnit(units, await store.renew(units.flatMap(({ jobs }) => jobs).map((claim) => ({ claim, leaseMs }))));
}

function byUnit(units: readonly JobUnit[], outcomes: readonly JobClaimOutcome[]): JobClaimOutcome[] {
  let at = 0;
  return units.map(({ jobs }) => {
    const own = outcomes.slice(at, at + jobs.length);
    at += jobs.length;
    return own.includes('acked') ? 'acked' : 'lost';
  });
}
