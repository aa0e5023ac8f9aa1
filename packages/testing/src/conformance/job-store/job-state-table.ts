import type { JobStatus } from '@bellhop/contracts';

/** What may be asked of a job. `ack`, `renew`, `release` and `progress` come from whoever claimed it last. */
export const JOB_OPERATIONS = [
  'enqueue again',
  'claim',
  'ack completed',
  'ack retry',
  'ack snooze',
  'ack dead',
  'renew',
  'release',
  'progress',
  'promote',
  'reclaim',
  'cancel',
  'reschedule to later',
  'reschedule to now',
  'replay',
  'replayAll',
  'purge',
  'purgeFailed',
  'sweep',
] as const;
export type JobOperation = (typeof JOB_OPERATIONS)[number];

export interface JobTransition {
  /** `gone`: the store holds it no more. */
  readonly to: JobStatus | 'gone';
  /** What the caller is told: the key's holder or a job of its own, the job or none, the outcome, whether, how many. */
  readonly answer: 'holder' | 'another' | 'the job' | 'none' | 'acked' | 'lost' | 'true' | 'false' | '1' | '0';
}

/** What changes nothing, and what is said of it. */
function inert(status: JobStatus): Record<JobOperation, JobTransition> {
  const stays = (answer: JobTransition['answer']): JobTransition => ({ to: status, answer });
  return {
    'enqueue again': stays('holder'),
    claim: stays('none'),
    'ack completed': stays('lost'),
    'ack retry': stays('lost'),
    'ack snooze': stays('lost'),
    'ack dead': stays('lost'),
    renew: stays('lost'),
    release: stays('lost'),
    progress: stays('lost'),
    promote: stays('0'),
    reclaim: stays('0'),
    cancel: stays('false'),
    'reschedule to later': stays('false'),
    'reschedule to now': stays('false'),
    replay: stays('false'),
    replayAll: stays('0'),
    purge: stays('0'),
    purgeFailed: stays('false'),
    sweep: stays('0'),
  };
}

const WAITING: Partial<Record<JobOperation, JobTransition>> = {
  cancel: { to: 'cancelled', answer: 'true' },
  'reschedule to later': { to: 'scheduled', answer: 'true' },
  'reschedule to now': { to: 'pending', answer: 'true' },
  purge: { to: 'gone', answer: '1' },
};

/**
 * The whole life of a job: every status against everything that may be asked. `promote` is of a job that is due; `reclaim` of an expired lease
 * below the last attempt, at which it leads to `dead`; `enqueue again` is with the job's idempotency key, within its window; `sweep` of all
 * that has ended, past the window. Where a cell keeps its status, no column changes either, but for the lease that `renew` moves and what
 * `progress` notes.
 */
export const JOB_STATE_TABLE: Readonly<Record<JobStatus, Readonly<Record<JobOperation, JobTransition>>>> = {
  scheduled: { ...inert('scheduled'), ...WAITING, promote: { to: 'pending', answer: '1' } },
  pending: { ...inert('pending'), ...WAITING, claim: { to: 'running', answer: 'the job' } },
  running: {
    ...inert('running'),
    'ack completed': { to: 'completed', answer: 'acked' },
    'ack retry': { to: 'scheduled', answer: 'acked' },
    'ack snooze': { to: 'scheduled', answer: 'acked' },
    'ack dead': { to: 'dead', answer: 'acked' },
    renew: { to: 'running', answer: 'acked' },
    release: { to: 'pending', answer: 'acked' },
    progress: { to: 'running', answer: 'acked' },
    reclaim: { to: 'pending', answer: '1' },
  },
  completed: { ...inert('completed'), sweep: { to: 'gone', answer: '1' } },
  dead: {
    ...inert('dead'),
    'enqueue again': { to: 'dead', answer: 'another' },
    replay: { to: 'pending', answer: 'true' },
    replayAll: { to: 'pending', answer: '1' },
    purgeFailed: { to: 'gone', answer: 'true' },
    sweep: { to: 'gone', answer: '1' },
  },
  cancelled: {
    ...inert('cancelled'),
    'enqueue again': { to: 'cancelled', answer: 'another' },
    sweep: { to: 'gone', answer: '1' },
  },
};
