import type { SqlFamily, Statement } from '@bellhop/contracts';
import { bothFamilies, defineStatement, joinLookUp, jsonRows, type LookUp } from '@bellhop/store';
import { ledgerRules, NOW, oldestTodo, stalled, type WakeSqlOf } from './pair-conditions.js';

/** Pairs as they travel in JSON. */
export const PAIR_COLUMNS = { endpoint_id: 'text', queue: 'text' } as const;

/** What the board's conditions read of an endpoint. */
const ENDPOINT: LookUp = {
  table: 'board_endpoint',
  as: 'e',
  columns: ['id', 'state', 'expires_at', 'queues'],
  where: 'e.id = c.endpoint_id',
};

/** The order of the ledger's key. Texts out of JSON have that of the database, which on most Postgres servers is a dictionary's. */
const byBytes = (family: SqlFamily) => (family === 'postgres' ? ' COLLATE "C"' : '');

export interface ChargedRow {
  readonly endpoint_id: string;
  readonly queue: string;
  /** With this one. */
  readonly nudges: number;
  readonly last_nudged_at: number;
  readonly organization_id: string;
  /** The todo that the wake names. */
  readonly todo_id: string;
}

/**
 * Charges those of the given pairs that are due: whether they are stalled is asked again, and of those in the ledger whether their turn has come, of
 * the row as it is under its lock. So of any number of processes that found a pair due one charges it. In the order of the key: two that locked
 * rows in different orders would wait for each other on Postgres. Params: `now`, `pairs` (JSON rows of endpoint_id and queue).
 */
export function chargePairs(wakeSql: WakeSqlOf): Statement {
  return defineStatement({
    label: 'stall.charge',
    operation: 'insert',
    table: 'queue_stall_nudges',
    sql: bothFamilies((family) => {
      const charged = { endpoint: 'queue_stall_nudges.endpoint_id', queue: 'queue_stall_nudges.queue' };
      const rules = ledgerRules(family, wakeSql, 'queue_stall_nudges');
      return `
        INSERT INTO queue_stall_nudges (endpoint_id, queue, nudges, last_nudged_at, last_outcome, quiet_since)
        SELECT c.endpoint_id, c.queue, 1, ${NOW}, NULL, NULL
        FROM ${jsonRows(family, ':pairs', 'c', PAIR_COLUMNS)} ${joinLookUp(family, ENDPOINT)}
        WHERE ${stalled(family, wakeSql, 'e', { endpoint: 'c.endpoint_id', queue: 'c.queue' })}
        ORDER BY c.endpoint_id${byBytes(family)}, c.queue${byBytes(family)}
        ON CONFLICT (endpoint_id, queue) DO UPDATE SET
          nudges = ${rules.counted}, last_nudged_at = excluded.last_nudged_at, last_outcome = NULL, quiet_since = NULL
        WHERE ${rules.due}
        RETURNING endpoint_id, queue, nudges, last_nudged_at,
          (SELECT e.organization_id FROM board_endpoint AS e WHERE e.id = ${charged.endpoint}) AS organization_id,
          (${oldestTodo(family, wakeSql, charged, 't.id')}) AS todo_id`;
    }),
  });
}
