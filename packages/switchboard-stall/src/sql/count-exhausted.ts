import type { Statement } from '@bellhop/contracts';
import { bothFamilies, defineStatement } from '@bellhop/store';
import { MAX_NUDGES } from '../pace.js';
import { ledgerRules, type WakeSqlOf } from './pair-conditions.js';

/**
 * Pairs that get no nudge any more, and have something to claim. One whose consumer came back since, or that has a fresh door, is none: its next nudge
 * counts as the first.
 */
export function countExhausted(wakeSql: WakeSqlOf): Statement {
  return defineStatement({
    label: 'stall.countExhausted',
    operation: 'select',
    table: 'queue_stall_nudges',
    sql: bothFamilies((family) => {
      const { resets } = ledgerRules(family, wakeSql, 'l');
      return `SELECT COUNT(*) AS pairs FROM queue_stall_nudges AS l WHERE l.nudges >= ${MAX_NUDGES} AND l.quiet_since IS NULL AND NOT (${resets})`;
    }),
  });
}
