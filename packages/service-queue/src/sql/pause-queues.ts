import { defineStatement } from '@bellhop/store';

/** Params: `queue`, `now`. A queue that is paused stays so since when it was. */
export const pauseQueue = defineStatement({
  label: 'queue.pause',
  operation: 'insert',
  table: 'queue_pause',
  sql: 'INSERT INTO queue_pause (queue, paused_at) VALUES (:queue, :now) ON CONFLICT (queue) DO NOTHING',
});

/** Param: `queue`. */
export const resumeQueue = defineStatement({
  label: 'queue.resume',
  operation: 'delete',
  table: 'queue_pause',
  sql: 'DELETE FROM queue_pause WHERE queue = :queue',
});
