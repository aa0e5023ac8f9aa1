import { bothFamilies, defineStatement, jsonRows } from '@bellhop/store';

/** What came of a nudge, as it travels in JSON. */
export interface SettledNudge {
  readonly endpoint_id: string;
  readonly queue: string;
  /** Which nudge it was: a later one is not touched. */
  readonly last_nudged_at: number;
  readonly outcome: string;
  /** 1: nobody accepted it, and it does not count. */
  readonly taken_back: 0 | 1;
}

const COLUMNS = { endpoint_id: 'text', queue: 'text', last_nudged_at: 'bigint', outcome: 'text', taken_back: 'integer' } as const;
const SAME = 'l.endpoint_id = n.endpoint_id AND l.queue = n.queue AND l.last_nudged_at = n.last_nudged_at AND l.last_outcome IS NULL';

/** Writes down what came of nudges, of each once. On Postgres it locks their rows in the order of the key, as the charge does. Params: `nudges`. */
export const settleNudges = defineStatement({
  label: 'stall.settle',
  operation: 'update',
  table: 'queue_stall_nudges',
  sql: bothFamilies((family) => {
    const given = jsonRows(family, ':nudges', 'n', COLUMNS);
    const rows =
      family === 'postgres'
        ? `(SELECT n.* FROM ${given} JOIN queue_stall_nudges AS l ON ${SAME} ORDER BY l.endpoint_id, l.queue FOR UPDATE OF l) AS n`
        : given;
    return `
      UPDATE queue_stall_nudges AS l SET last_outcome = n.outcome,
        nudges = CASE WHEN n.taken_back = 1 AND l.nudges > 0 THEN l.nudges - 1 ELSE l.nudges END
      FROM ${rows} WHERE ${SAME}`;
  }),
});
