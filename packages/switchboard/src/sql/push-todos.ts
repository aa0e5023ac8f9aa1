import { defineStatement } from '@bellhop/store';

/**
 * The event of a todo that an operator pushes: verified, for whoever has the organization's key may say so. Not stored where a living todo holds the
 * key. Params: `eventId`, `organizationId`, `endpointId`, `kind`, `payload`, `key`, `now`.
 */
export const insertOperatorEvent = defineStatement({
  label: 'board.insertOperatorEvent',
  operation: 'insert',
  table: 'board_event',
  sql: `INSERT INTO board_event (id, organization_id, endpoint_id, source, kind, verified, created_at, payload)
    SELECT CAST(:eventId AS TEXT), CAST(:organizationId AS TEXT), CAST(:endpointId AS TEXT), 'operator', CAST(:kind AS TEXT), 1,
      CAST(:now AS BIGINT), CAST(:payload AS TEXT)
    WHERE CAST(:key AS TEXT) IS NULL
      OR NOT EXISTS (SELECT 1 FROM board_todo WHERE endpoint_id = CAST(:endpointId AS TEXT) AND live_key = CAST(:key AS TEXT))`,
});

/**
 * Takes an event back whose todo was not stored: between two statements another push may have taken the key, or the endpoint was revoked. Params:
 * `eventId`.
 */
export const dropEventAlone = defineStatement({
  label: 'board.dropEventAlone',
  operation: 'delete',
  table: 'board_event',
  sql: 'DELETE FROM board_event WHERE id = :eventId AND NOT EXISTS (SELECT 1 FROM board_todo AS t WHERE t.event_id = :eventId)',
});

/** Why nothing was stored: the state of the endpoint, and who holds the key, if anybody does still. Params: `endpointId`, `key`. */
export const findKeyHolder = defineStatement({
  label: 'board.keyHolder',
  operation: 'select',
  table: 'board_todo',
  sql: `SELECT e.state, (SELECT t.id FROM board_todo AS t WHERE t.endpoint_id = e.id AND t.live_key = CAST(:key AS TEXT)) AS id
    FROM board_endpoint AS e WHERE e.id = :endpointId`,
});
