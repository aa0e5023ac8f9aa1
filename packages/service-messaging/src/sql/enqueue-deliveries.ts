import { bothFamilies, defineStatement, type JsonColumns, joinLookUp, jsonRows } from '@bellhop/store';

/** The columns that an enqueue gives; the rest of a new row is the same for all. */
const GIVEN = {
  id: 'text',
  organization_id: 'text',
  notification_id: 'text',
  recipient_id: 'text',
  channel: 'text',
  topic: 'text',
  payload: 'text',
  due_at: 'bigint',
  digest_key: 'text',
  slot: 'integer',
} as const satisfies JsonColumns;

const COLUMNS = `${Object.keys(GIVEN).join(', ')}, status, attempts, created_at, updated_at`;

/** Params: `now`, `rows` (JSON). A target that is taken keeps its first row. */
export const insertDeliveries = defineStatement({
  label: 'outbox.enqueue',
  operation: 'insert',
  table: 'notification_delivery',
  sql: bothFamilies(
    (family) => `
      INSERT INTO notification_delivery (${COLUMNS})
      SELECT ${Object.keys(GIVEN).join(', ')}, 'pending', 0, CAST(:now AS BIGINT), CAST(:now AS BIGINT)
      FROM ${jsonRows(family, ':rows', 'r', GIVEN)} WHERE true
      ON CONFLICT DO NOTHING`,
  ),
});

/** The row that holds each target. Params: `targets` (JSON rows of place, notification_id, recipient_id, channel). */
export const findTargets = defineStatement({
  label: 'outbox.findTargets',
  operation: 'select',
  table: 'notification_delivery',
  sql: bothFamilies(
    (family) => `
      SELECT t.place, d.id FROM ${jsonRows(family, ':targets', 't', {
        place: 'integer',
        notification_id: 'text',
        recipient_id: 'text',
        channel: 'text',
      })}
      ${joinLookUp(family, {
        table: 'notification_delivery',
        as: 'd',
        columns: ['id'],
        where: 'd.notification_id = t.notification_id AND d.recipient_id = t.recipient_id AND d.channel = t.channel',
      })}`,
  ),
});

const EVENT = {
  id: 'text',
  organization_id: 'text',
  topic: 'text',
  payload: 'text',
  severity: 'text',
  dedup_key: 'text',
  source_type: 'text',
  source_id: 'text',
  actor_id: 'text',
  suppressed: 'text',
  fanned_out: 'integer',
  created_at: 'bigint',
} as const satisfies JsonColumns;

/** Params: `rows` (JSON). An event whose dedup key is taken writes nothing. */
export const insertEvents = defineStatement({
  label: 'notification.insert',
  operation: 'insert',
  table: 'notification',
  sql: bothFamilies(
    (family) => `
      INSERT INTO notification (${Object.keys(EVENT).join(', ')})
      SELECT ${Object.keys(EVENT).join(', ')} FROM ${jsonRows(family, ':rows', 'r', EVENT)} WHERE true
      ON CONFLICT DO NOTHING`,
  ),
});

/** The event that holds each dedup key. Params: `keys` (JSON rows of place, organization_id, topic, dedup_key). */
export const findDedupKeys = defineStatement({
  label: 'notification.findDedupKeys',
  operation: 'select',
  table: 'notification',
  sql: bothFamilies(
    (family) => `
      SELECT k.place, n.id, n.fanned_out FROM ${jsonRows(family, ':keys', 'k', {
        place: 'integer',
        organization_id: 'text',
        topic: 'text',
        dedup_key: 'text',
      })}
      ${joinLookUp(family, {
        table: 'notification',
        as: 'n',
        columns: ['id', 'fanned_out'],
        where: 'n.organization_id = k.organization_id AND n.topic = k.topic AND n.dedup_key = k.dedup_key',
      })}`,
  ),
});

/**
 * The deliveries of events written just before, in the same transaction: rows of an event that a taken dedup key kept out are left out with it,
 * so no read is needed between the two, and remote libSQL can take both as one batch. The rows of an event share its payload, which travels once.
 *
 * Params: `now`, `events` (JSON rows of id, organization_id, topic, payload, deliveries).
 */
export const insertEventDeliveries = defineStatement({
  label: 'outbox.enqueue',
  operation: 'insert',
  table: 'notification_delivery',
  sql: {
    // MATERIALIZED: else SQLite reads the event, deliveries and all, again for each of them; 1 000 recipients took 540 ms instead of 6.
    sqlite: `
      INSERT INTO notification_delivery (${COLUMNS})
      WITH e AS MATERIALIZED (
        SELECT value ->> '$.id' AS id, value ->> '$.organization_id' AS organization_id, value ->> '$.topic' AS topic,
          value ->> '$.payload' AS payload, value -> '$.deliveries' AS deliveries
        FROM json_each(:events) WHERE EXISTS (SELECT 1 FROM notification AS n WHERE n.id = value ->> '$.id'))
      SELECT r.value ->> '$.id', e.organization_id, e.id, r.value ->> '$.recipient_id', r.value ->> '$.channel', e.topic, e.payload,
        r.value ->> '$.due_at', r.value ->> '$.digest_key', r.value ->> '$.slot', 'pending', 0, :now, :now
      FROM e CROSS JOIN json_each(e.deliveries) AS r WHERE true
      ON CONFLICT DO NOTHING`,
    // Plan: the event of each row by its id. An EXISTS would become a join, which reads the whole table while that is small.
    postgres: `
      INSERT INTO notification_delivery (${COLUMNS})
      SELECT r.id, e.organization_id, e.id, r.recipient_id, r.channel, e.topic, e.payload, r.due_at, r.digest_key, r.slot,
        'pending', 0, CAST(:now AS BIGINT), CAST(:now AS BIGINT)
      FROM json_to_recordset(:events::json) AS e(id text, organization_id text, topic text, payload text, deliveries json)
      CROSS JOIN LATERAL json_to_recordset(e.deliveries) AS r(id text, recipient_id text, channel text, due_at bigint, digest_key text, slot integer)
      WHERE (SELECT n.id FROM notification AS n WHERE n.id = e.id) IS NOT NULL
      ON CONFLICT DO NOTHING`,
  },
});
