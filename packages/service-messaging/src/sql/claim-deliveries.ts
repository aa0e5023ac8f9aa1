import type { Statement } from '@bellhop/contracts';
import { defineStatement } from '@bellhop/store';
import { deliveryColumns } from './delivery-columns.js';

/** Params besides the channels: `nodeId, now, expiresAt, token, fromSlot, toSlot, limit`. Channels: `c0 …` in SQLite, JSON `channels` in Postgres. */
export function claimDeliveries(channelCount: number): Statement {
  return perCount(claims, channelCount, () =>
    defineStatement({
      label: 'outbox.claim',
      operation: 'update',
      table: 'notification_delivery',
      sql: {
        // Plan: for each channel a range of the claim index, at most `limit` entries; then `limit` rows by primary key. Never the backlog.
        sqlite: `
          UPDATE notification_delivery SET ${TAKE}
          WHERE id IN (SELECT id FROM (${branches(channelCount, DUE_SINGLES)}) ORDER BY due_at, id LIMIT :limit)
          RETURNING ${deliveryColumns()}`,
        // SKIP LOCKED: two nodes that claim at once take different rows instead of waiting for each other.
        postgres: `
          WITH picked AS (
            SELECT p.id FROM json_array_elements_text(:channels::json) AS c(channel)
            CROSS JOIN LATERAL (${DUE_SINGLES('c.channel')} FOR UPDATE SKIP LOCKED) AS p
            ORDER BY p.due_at, p.id LIMIT :limit)
          UPDATE notification_delivery AS d SET ${TAKE}
          FROM picked WHERE d.id = picked.id
          RETURNING ${deliveryColumns('d')}`,
      },
    }),
  );
}

/**
 * As `claimDeliveries`, for whole digest groups. A group is its key, its organization and its closing: `digest_group` is set when the group is
 * first claimed, so that a row which arrives later, under the same key, is a group of its own.
 *
 * Besides the params above: `scan`, the due rows looked at to find groups.
 */
export function claimDigests(channelCount: number): Statement {
  return perCount(digestClaims, channelCount, () =>
    defineStatement({
      label: 'outbox.claimDigest',
      operation: 'update',
      table: 'notification_delivery',
      sql: {
        sqlite: `
          UPDATE notification_delivery SET ${TAKE}, ${CLOSE_GROUP}
          WHERE id IN (
            SELECT m.id FROM (
              ${FIRST_GROUPS(`(${branches(channelCount, DUE_DIGESTS)})`)}) AS g
            CROSS JOIN notification_delivery AS m
            WHERE ${SAME_GROUP('m', 'g')} AND m.status = 'pending')
          RETURNING ${deliveryColumns()}`,
        // FOR UPDATE in one order, and no SKIP LOCKED: a second node waits, finds the rows taken, and never splits a group. Postgres guesses wildly
        // how many rows the groups have. So they are sorted by no index, or it would walk that one from end to end for the order, and written by
        // an array of their ids, or it would join them with all the table.
        postgres: `
          WITH first AS (
            SELECT p.* FROM json_array_elements_text(:channels::json) AS c(channel)
            CROSS JOIN LATERAL (${DUE_DIGESTS('c.channel')}) AS p),
          groups AS (${FIRST_GROUPS('first')}),
          members AS (
            SELECT m.id FROM groups AS g JOIN notification_delivery AS m
              ON ${SAME_GROUP('m', 'g')} AND m.status = 'pending'
            ORDER BY m.id || '' FOR UPDATE OF m)
          UPDATE notification_delivery AS d SET ${TAKE}, ${CLOSE_GROUP}
          WHERE d.id = ANY (ARRAY(SELECT id FROM members))
          RETURNING ${deliveryColumns('d')}`,
      },
    }),
  );
}

/** The channels that have pending rows, by hopping along the claim index: for callers that name none. Param: none. */
export const pendingChannels = {
  singles: hopAlong('digest_key IS NULL'),
  digests: hopAlong('digest_key IS NOT NULL'),
};

const TAKE = `status = 'in_flight', attempts = attempts + 1, claimed_by = :nodeId, claimed_at = :now, claim_token = :token,
  claim_expires_at = :expiresAt, updated_at = :now`;

/** A name for each group of a claim; one that was closed before keeps its name. */
const CLOSE_GROUP = `digest_group = COALESCE(digest_group, CAST(:token AS TEXT) || ' ' || organization_id || ' ' || digest_key)`;

/** The token that begins the name of a group, and tells it from the others of its key; empty before it is closed. The digest index holds this very text. */
const CLOSING = (row: string) => `SUBSTR(COALESCE(${row}.digest_group, ''), 1, 32)`;

/** A group costs its own rows, and not all that ever came under its key. IS NOT DISTINCT FROM would find no index in Postgres. */
const SAME_GROUP = (row: string, group: string) =>
  `${row}.digest_key = ${group}.digest_key AND ${row}.organization_id = ${group}.organization_id AND ${CLOSING(row)} = ${CLOSING(group)}`;

const SLOTS = 'slot >= :fromSlot AND slot < :toSlot';

const DUE_SINGLES = (channel: string) => `
  SELECT id, due_at FROM notification_delivery
  WHERE status = 'pending' AND digest_key IS NULL AND channel = ${channel} AND due_at <= :now AND ${SLOTS}
  ORDER BY due_at, id LIMIT :limit`;

/**
 * A group with a row still in flight waits for it, or it would be delivered in two parts. It is left out of the rows looked at, not skipped on
 * the way to them: Postgres would join all due rows with all in flight first, and sort the backlog of a morning for each claim. It is looked up
 * row by row: a NOT EXISTS would become a join, and a join reads all that is in flight, or the table.
 */
const DUE_DIGESTS = (channel: string) => `
  SELECT * FROM (
    SELECT id, due_at, organization_id, digest_key, digest_group FROM notification_delivery
    WHERE status = 'pending' AND digest_key IS NOT NULL AND channel = ${channel} AND due_at <= :now AND ${SLOTS}
    ORDER BY due_at, id LIMIT :scan) AS p
  WHERE (SELECT f.id FROM notification_delivery AS f WHERE ${SAME_GROUP('f', 'p')} AND f.status = 'in_flight' LIMIT 1) IS NULL`;

/**
 * Groups go by their earliest rows. Not by MIN(due_at), MIN(id): the smallest id need not be that of the earliest row. So the two are one text, in
 * which every time has sixteen digits.
 */
const FIRST_GROUPS = (rows: string) => `
  SELECT organization_id, digest_key, digest_group FROM ${rows} AS due
  GROUP BY organization_id, digest_key, digest_group ORDER BY MIN(CAST(due_at + 1000000000000000 AS TEXT) || id) LIMIT :limit`;

function branches(channelCount: number, due: (channel: string) => string): string {
  const each = Array.from({ length: channelCount }, (_, index) => `SELECT * FROM (${due(`:c${index}`)})`);
  return each.join(' UNION ALL ');
}

const claims = new Map<number, Statement>();
const digestClaims = new Map<number, Statement>();

/** SQLite has no LATERAL: its text depends on the number of channels, which on a node is one small number. */
function perCount(known: Map<number, Statement>, channelCount: number, define: () => Statement): Statement {
  let statement = known.get(channelCount);
  if (!statement) {
    statement = define();
    known.set(channelCount, statement);
  }
  return statement;
}

function hopAlong(digest: string): Statement {
  const next = (after: string) =>
    `(SELECT channel FROM notification_delivery WHERE status = 'pending' AND ${digest}${after} ORDER BY channel LIMIT 1)`;
  return defineStatement({
    label: 'outbox.pendingChannels',
    operation: 'select',
    table: 'notification_delivery',
    sql: `WITH RECURSIVE hop(channel) AS (
        SELECT ${next(` AND channel >= ''`)} UNION ALL SELECT ${next(' AND channel > hop.channel')} FROM hop WHERE hop.channel IS NOT NULL)
      SELECT channel FROM hop WHERE channel IS NOT NULL`,
  });
}
