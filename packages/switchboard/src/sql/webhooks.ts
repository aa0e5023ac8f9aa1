import type { InboundWebhook, WebhookSource, WebhookTarget } from '@bellhop/contracts';
import { defineStatement } from '@bellhop/store';

const NAMES = ['id', 'endpoint_id', 'source', 'targets', 'trusted_senders', 'created_at'];

export interface WebhookRecord {
  readonly id: string;
  readonly endpoint_id: string;
  readonly source: string;
  readonly targets: string;
  readonly trusted_senders: string | null;
  readonly created_at: number;
}

/** A webhook as ingest needs it. */
export interface WebhookOfTokenRecord extends WebhookRecord {
  readonly organization_id: string;
  readonly secret: string | null;
  readonly state: string;
  readonly expires_at: number | null;
}

export function toWebhook(row: WebhookRecord): InboundWebhook {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    source: row.source as WebhookSource,
    targets: JSON.parse(row.targets) as WebhookTarget[],
    trustedSenders: row.trusted_senders === null ? null : (JSON.parse(row.trusted_senders) as string[]),
    createdAt: row.created_at,
  };
}

/** Params: one for each column; `secret` sealed. */
export const insertWebhook = defineStatement({
  label: 'board.insertWebhook',
  operation: 'insert',
  table: 'board_webhook',
  sql: `INSERT INTO board_webhook (id, organization_id, endpoint_id, token_hash, source, secret, targets, trusted_senders, created_at)
    VALUES (:id, :organizationId, :endpointId, :tokenHash, :source, :secret, :targets, :trustedSenders, :now)
    RETURNING ${NAMES.join(', ')}`,
});

/** Oldest first. Param: `endpointId`. */
export const listWebhooks = defineStatement({
  label: 'board.listWebhooks',
  operation: 'select',
  table: 'board_webhook',
  sql: `SELECT ${NAMES.join(', ')} FROM board_webhook WHERE endpoint_id = :endpointId ORDER BY created_at, id`,
});

/** Params: `id`, `endpointId`. */
export const deleteWebhook = defineStatement({
  label: 'board.deleteWebhook',
  operation: 'delete',
  table: 'board_webhook',
  sql: 'DELETE FROM board_webhook WHERE id = :id AND endpoint_id = :endpointId',
});

/** With what its owner is. Param: `tokenHash`. */
export const findWebhookByToken = defineStatement({
  label: 'board.webhookByToken',
  operation: 'select',
  table: 'board_webhook',
  sql: `SELECT ${NAMES.map((name) => `w.${name}`).join(', ')}, w.secret, e.organization_id, e.state, e.expires_at
    FROM board_webhook AS w JOIN board_endpoint AS e ON e.id = w.endpoint_id WHERE w.token_hash = :tokenHash`,
});
