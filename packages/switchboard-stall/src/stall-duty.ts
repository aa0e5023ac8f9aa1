import type { SqlReaperDuty } from '@bellhop/contracts';
import type { StallSweep } from './stall-sweep.js';

/** After the board's own duties: what they give back, and the endpoints they end, are settled first. */
const ORDER = 200;

/** One entry of an index each: the ledger has a row, or anything is pending. On an empty board no sweep is begun. */
const QUESTION = `CASE WHEN (SELECT 1 FROM queue_stall_nudges LIMIT 1) IS NOT NULL
  OR (SELECT 1 FROM board_todo AS t WHERE t.state = 'pending' AND t.assignee IS NULL ORDER BY t.endpoint_id, t.queue, t.gate, t.pending_since, t.id LIMIT 1) IS NOT NULL
  THEN 1 ELSE 0 END`;

/** The sweep as the reaper's fifth duty. @param sweep undefined before the plugin has started and after it has stopped: then nothing is done. */
export function stallDuty(sweep: () => StallSweep | undefined): SqlReaperDuty {
  return {
    name: 'stall.nudge',
    order: ORDER,
    doneMessage: 'nudged stalled queues',
    question: QUESTION,
    run: async ({ now, signal }) => (await sweep()?.run(now, signal)) ?? 0,
  };
}
