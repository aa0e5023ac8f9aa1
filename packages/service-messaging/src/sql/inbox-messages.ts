import type { SqlFamily } from '@bellhop/contracts';
import { bothFamilies, defineStatement, inJsonTexts, type JsonColumns, jsonRows } from '@bellhop/store';

const MESSAGE = {
  id: 'text',
  organization_id: 'text',
  user_id: 'text',
  notification_id: 'text',
  topic: 'text',
  title: 'text',
  body: 'text',
  severity: 'text',
  action_url: 'text',
  created_at: 'bigint',
} as const satisfies JsonColumns;

/**
 * Params: `rows` (JSON). Returns the row that each target now has: on a repeat the first one, touched but not changed, since a statement
 * returns only rows that it wrote.
 */
export const insertMessages = defineStatement({
  label: 'inbox.insert',
  operation: 'insert',
  table: 'inbox_message',
  sql: bothFamilies(
    (family) => `
      INSERT INTO inbox_message (${Object.keys(MESSAGE).join(', ')}, state, state_at)
      SELECT ${Object.keys(MESSAGE).join(', ')}, 'delivered', created_at FROM ${jsonRows(family, ':rows', 'r', MESSAGE)} WHERE true
      ON CONFLICT (organization_id, user_id, notification_id) DO UPDATE SET notification_id = excluded.notification_id
      RETURNING id, organization_id, user_id, notification_id`,
  ),
});

const MINE = 'organization_id = :organizationId AND user_id = :userId';

/** The named rows that are mine. Plan: each by its id. The plus signs and the empty texts keep planners from reading the whole inbox for them. */
function mineById(family: SqlFamily): string {
  const mine =
    family === 'sqlite'
      ? '+organization_id = :organizationId AND +user_id = :userId'
      : `organization_id || '' = :organizationId AND user_id || '' = :userId`;
  return `${inJsonTexts(family, 'id', ':ids')} AND ${mine}`;
}

/** A page, newest first. Which filters apply is part of the text, so that each keeps its plan: a range of the list index, read backwards. */
export function listMessages(filter: { read: boolean | undefined; topic: boolean; archived: boolean; after: boolean }) {
  const key = JSON.stringify(filter);
  let statement = lists.get(key);
  if (!statement) {
    const conditions = [
      MINE,
      filter.archived ? 'archived_at IS NOT NULL' : 'archived_at IS NULL',
      ...(filter.read === undefined ? [] : [filter.read ? `state <> 'delivered'` : `state = 'delivered'`]),
      ...(filter.topic ? ['topic = :topic'] : []),
      ...(filter.after ? ['(created_at, id) < (:afterAt, :afterId)'] : []),
    ];
    statement = defineStatement({
      label: 'inbox.list',
      operation: 'select',
      table: 'inbox_message',
      sql: `SELECT ${Object.keys(MESSAGE).join(', ')}, state, archived_at FROM inbox_message
        WHERE ${conditions.join(' AND ')} ORDER BY created_at DESC, id DESC LIMIT :limit`,
    });
    lists.set(key, statement);
  }
  return statement;
}

const lists = new Map<string, ReturnType<typeof defineStatement>>();

/** Plan: the partial index of unread messages. */
export const countUnread = defineStatement({
  label: 'inbox.countUnread',
  operation: 'select',
  table: 'inbox_message',
  sql: `SELECT COUNT(*) AS unread FROM inbox_message WHERE ${MINE} AND state = 'delivered' AND archived_at IS NULL`,
});

/** Params: `organizationId, userId, ids, below` (JSON texts), `state, now`. */
export const markMessages = defineStatement({
  label: 'inbox.mark',
  operation: 'update',
  table: 'inbox_message',
  sql: bothFamilies(
    (family) => `
      UPDATE inbox_message SET state = :state, state_at = :now
      WHERE ${mineById(family)} AND ${inJsonTexts(family, 'state', ':below')}`,
  ),
});

export const markAllMessagesRead = defineStatement({
  label: 'inbox.markAllRead',
  operation: 'update',
  table: 'inbox_message',
  sql: `UPDATE inbox_message SET state = 'read', state_at = :now WHERE ${MINE} AND state = 'delivered' AND archived_at IS NULL`,
});

export const archiveMessages = defineStatement({
  label: 'inbox.archive',
  operation: 'update',
  table: 'inbox_message',
  sql: bothFamilies((family) => `UPDATE inbox_message SET archived_at = :now WHERE ${mineById(family)} AND archived_at IS NULL`),
});
