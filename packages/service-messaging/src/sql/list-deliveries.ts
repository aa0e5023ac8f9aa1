import type { DeliveryStatus, Statement } from '@bellhop/contracts';
import { defineStatement } from '@bellhop/store';
import { deliveryColumns } from './delivery-columns.js';

export interface ListShape {
  readonly organization: boolean;
  readonly notification: boolean;
  readonly after: boolean;
  readonly status: DeliveryStatus | undefined;
}

/**
 * A page, newest first. The status is written into the text, so that the partial index of failed rows serves it. Params, as the shape has them:
 * `organizationId, notificationId, afterAt, afterId, limit`.
 */
export function listDeliveries(shape: ListShape): Statement {
  const key = JSON.stringify(shape);
  let statement = lists.get(key);
  if (!statement) {
    const conditions = [
      ...(shape.organization ? ['organization_id = :organizationId'] : []),
      ...(shape.notification ? ['notification_id = :notificationId'] : []),
      ...(shape.status ? [`status = '${shape.status}'`] : []),
      ...(shape.after ? ['(created_at, id) < (:afterAt, :afterId)'] : []),
    ];
    statement = defineStatement({
      label: 'outbox.list',
      operation: 'select',
      table: 'notification_delivery',
      sql: `SELECT ${deliveryColumns()} FROM notification_delivery
        ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''} ORDER BY created_at DESC, id DESC LIMIT :limit`,
    });
    lists.set(key, statement);
  }
  return statement;
}

const lists = new Map<string, Statement>();

/** pending → cancelled. Params, as the shape has them: `now, organizationId, deliveryId, notificationId, recipientId`. */
export function cancelDeliveries(shape: {
  organization: boolean;
  delivery: boolean;
  notification: boolean;
  recipient: boolean;
}): Statement {
  const key = JSON.stringify(shape);
  let statement = cancels.get(key);
  if (!statement) {
    const conditions = [
      `status = 'pending'`,
      ...(shape.organization ? ['organization_id = :organizationId'] : []),
      ...(shape.delivery ? ['id = :deliveryId'] : []),
      ...(shape.notification ? ['notification_id = :notificationId'] : []),
      ...(shape.recipient ? ['recipient_id = :recipientId'] : []),
    ];
    statement = defineStatement({
      label: 'outbox.cancel',
      operation: 'update',
      table: 'notification_delivery',
      sql: `UPDATE notification_delivery SET status = 'cancelled', updated_at = :now WHERE ${conditions.join(' AND ')}`,
    });
    cancels.set(key, statement);
  }
  return statement;
}

const cancels = new Map<string, Statement>();
