// Which schedules have something to do; each names what is in one partial index.

/** States of a job that has not ended. */
const UNFINISHED = `('scheduled', 'pending', 'running')`;

/** Those that will fire, or should have. */
export const DUE_SCHEDULE = 'paused = 0 AND next_fire_at IS NOT NULL';

/** The job that a schedule `s` published last, while it has not ended. */
export const unfinishedJob = (columns: string) =>
  `SELECT ${columns} FROM queue_job AS j WHERE j.id = s.last_job_id AND j.status IN ${UNFINISHED}`;

/**
 * Those, as `s`, whose first waiting run may go. Each that has a waiting run is looked at: as many as there are schedules that lag. (A NOT
 * EXISTS may become a join to all jobs.)
 */
export const READY_SCHEDULE = `paused = 0 AND waiting_at IS NOT NULL AND (${unfinishedJob('1')}) IS NULL`;
