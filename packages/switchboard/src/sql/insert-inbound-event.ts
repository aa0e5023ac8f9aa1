import { bothFamilies, defineStatement, inJsonTexts } from '@bellhop/store';
import { wakeSql } from './wake-sql.js';

/**
 * The event of an inbound delivery. Nothing is stored where the webhook had the delivery before, where the webhook is gone or its owner takes no events any more,
 * and where no endpoint would take a todo of it. An endpoint that was seen to be active stays so until the todos are stored. Params: one for each column
 * (`externalId` null: each delivery is an event of its own), `webhookId`, and `takers` (JSON array of the ids of the endpoints that the todos are for).
 */
export const insertInboundEvent = defineStatement({
  label: 'board.insertInboundEvent',
  operation: 'insert',
  table: 'board_event',
  sql: bothFamilies(
    (family) => `
      INSERT INTO board_event (id, organization_id, endpoint_id, source, webhook_id, external_id, kind, sender, verified, created_at, payload)
      SELECT CAST(:eventId AS TEXT), CAST(:organizationId AS TEXT), CAST(:endpointId AS TEXT), CAST(:source AS TEXT), CAST(:webhookId AS TEXT),
        CAST(:externalId AS TEXT),
        CAST(:kind AS TEXT), CAST(:sender AS TEXT), CAST(:verified AS BIGINT), CAST(:now AS BIGINT), CAST(:payload AS TEXT)
      WHERE EXISTS (SELECT 1 FROM board_webhook AS w JOIN board_endpoint AS o ON o.id = w.endpoint_id
          WHERE w.id = CAST(:webhookId AS TEXT) AND ${wakeSql(family).endpointLive('o', 'CAST(:now AS BIGINT)')})
        AND EXISTS (SELECT 1 FROM board_endpoint AS e
          WHERE ${inJsonTexts(family, 'e.id', ':takers')} AND e.state = 'active'${family === 'postgres' ? ' FOR SHARE' : ''})
      ON CONFLICT (webhook_id, external_id) WHERE external_id IS NOT NULL DO NOTHING`,
  ),
});
