// What is asked of the board about one pair of endpoint and queue, and the rules of `pace` in SQL: each written once, for the sweep's read, its charge
// and the explanation. Must never say in its own words what a wake needs: that is the board's `wakeSql`.
import { type BoardWakes, QUARANTINE_QUEUE, type SqlFamily } from '@bellhop/contracts';
import { BUSY_HOLD_MS, CLAIM_OVERLAP_MS, MAX_NUDGES, SPACING_MS, STALL_AFTER_MS, WAITS_MS } from '../pace.js';

export type WakeSqlOf = BoardWakes['wakeSql'];

/** SQL expressions that name a pair. */
export interface PairNames {
  readonly endpoint: string;
  readonly queue: string;
}

export const NOW = 'CAST(:now AS BIGINT)';

/** What counts as a todo's age is how long it is pending: one that was just given back is not old. */
export const SINCE = 'pending_since';

/** Todos that anybody may claim: the words of the index `board_todo_pending`. @param todo alias. */
export const claimable = (todo: string) => `${todo}.state = 'pending' AND ${todo}.assignee IS NULL`;

/** The planner of SQLite knows too little of these tables to be left the choice. */
export const indexedBy = (family: SqlFamily, index: string) => (family === 'sqlite' ? `INDEXED BY ${index}` : '');

const isOf = (alias: string, { endpoint, queue }: PairNames) => `${alias}.endpoint_id = ${endpoint} AND ${alias}.queue = ${queue}`;

/**
 * A query of the todo that names a wake: of those that pass the gate and that anybody may claim, the one pending longest. `t` is its alias. That the
 * quarantine passes no gate is said of the pair as well, or all that waits there would be looked through.
 */
export function oldestTodo(family: SqlFamily, wakeSql: WakeSqlOf, pair: PairNames, columns = `t.${SINCE}`): string {
  return `SELECT ${columns} FROM board_todo AS t ${indexedBy(family, 'board_todo_pending')}
    WHERE ${claimable('t')} AND ${isOf('t', pair)} AND ${wakeSql(family).gatePassing('t')}
      AND ${pair.queue} <> '${QUARANTINE_QUEUE}' ORDER BY t.${SINCE}, t.id LIMIT 1`;
}

/** A query of one pending todo that anybody may claim, whether it passes the gate or not. */
export function anyTodo(family: SqlFamily, pair: PairNames): string {
  return `SELECT 1 FROM board_todo AS t ${indexedBy(family, 'board_todo_pending')} WHERE ${claimable('t')} AND ${isOf('t', pair)} LIMIT 1`;
}

/** @param since an expression. */
export const isOld = (since: string) => `${since} < ${NOW} - ${STALL_AFTER_MS}`;

/**
 * A query of the newest claim that holds a live lease: null without. As many entries are read as leases are live: of an expression,
 * for Postgres would else look for the newest claim and pass by all whose lease is over.
 */
export function liveClaim(family: SqlFamily, pair: PairNames): string {
  return `SELECT MAX(a.claimed_at + 0) FROM board_attempt AS a ${indexedBy(family, 'board_attempt_at_work')}
    WHERE ${isOf('a', pair)} AND a.ended_at IS NULL AND a.lease_until > ${NOW}`;
}

/** A query of one open claim, its lease live or not. */
export function openClaim(family: SqlFamily, pair: PairNames): string {
  return `SELECT 1 FROM board_attempt AS a ${indexedBy(family, 'board_attempt_at_work')} WHERE ${isOf('a', pair)} AND a.ended_at IS NULL LIMIT 1`;
}

/** Attempts that were not merely given back: the words of the index `board_attempt_claimed`. @param attempt alias. */
export const notGivenBack = (attempt: string) => `(${attempt}.outcome IS NULL OR ${attempt}.outcome <> 'released')`;

/**
 * A query of the newest claim since a nudge that was not merely given back. One that is open counts, though it may be given back yet: else who works for
 * longer than its hold, and is nudged meanwhile, would have to wait as long as who never came. @param nudgedAt an expression.
 */
export function progressSince(family: SqlFamily, pair: PairNames, nudgedAt: string): string {
  return `SELECT a.claimed_at FROM board_attempt AS a ${indexedBy(family, 'board_attempt_claimed')}
    WHERE ${isOf('a', pair)} AND a.claimed_at > ${nudgedAt} - ${CLAIM_OVERLAP_MS} AND ${notGivenBack('a')}
    ORDER BY a.claimed_at DESC LIMIT 1`;
}

/** A query of when a hook that covers the queue was opened last: null without one. */
export function doorOpened(family: SqlFamily, wakeSql: WakeSqlOf, pair: PairNames): string {
  return `SELECT MAX(k.opened_at) FROM board_notify_hook AS k WHERE k.endpoint_id = ${pair.endpoint} AND ${wakeSql(family).hookCovers('k', pair.queue)}`;
}

/**
 * A pair is stalled, and may be nudged for the first time.
 *
 * @param endpoint alias of `board_endpoint`.
 */
export function stalled(family: SqlFamily, wakeSql: WakeSqlOf, endpoint: string, pair: PairNames): string {
  return `${isOld(`(${oldestTodo(family, wakeSql, pair)})`)} AND ${wakeSql(family).deliverable(endpoint, pair.queue, NOW)}
    AND COALESCE((${liveClaim(family, pair)}), 0) <= ${NOW} - ${BUSY_HOLD_MS}`;
}

/** What the ledger's row says of another nudge of a stalled pair. @param row name of the ledger in the statement. */
export function ledgerRules(family: SqlFamily, wakeSql: WakeSqlOf, row: string) {
  const pair = { endpoint: `${row}.endpoint_id`, queue: `${row}.queue` };
  const nudgedAt = `${row}.last_nudged_at`;
  const nudges = `CASE WHEN ${row}.quiet_since IS NULL THEN ${row}.nudges ELSE 0 END`;
  const waits = WAITS_MS.slice(0, -1).map((ms, count) => `WHEN ${count} THEN ${ms}`);
  const waited = `${nudgedAt} <= ${NOW} - CASE ${nudges} ${waits.join(' ')} ELSE ${WAITS_MS.at(-1)} END`;
  const resets = `(COALESCE((${doorOpened(family, wakeSql, pair)}), 0) > ${nudgedAt}
    OR (${nudges} > 0 AND (${progressSince(family, pair, nudgedAt)}) IS NOT NULL))`;
  return {
    /** The next nudge counts as the first. */
    resets,
    /** The count with this nudge. */
    counted: `CASE WHEN ${resets} THEN 1 ELSE ${nudges} + 1 END`,
    due: `${nudgedAt} <= ${NOW} - ${SPACING_MS}
      AND (${nudgedAt} <= ${NOW} - ${BUSY_HOLD_MS} OR (${liveClaim(family, pair)}) IS NULL)
      AND ((${nudges} < ${MAX_NUDGES} AND ${waited}) OR ${resets})`,
  };
}
