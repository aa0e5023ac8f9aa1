import type { DeliveryStatus, SqlFamily, Statement } from '@bellhop/contracts';
import { bothFamilies, defineStatement } from '@bellhop/store';
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
    statement = defineStatement({
      label: 'outbox.list',
      operation: 'select',
      table: 'notification_delivery',
      sql: bothFamilies((family) => {
        const conditions = [
          ...(shape.organization ? [organization(family, shape.notification)] : []),
          ...(shape.notification ? ['notification_id = :notificationId'] : []),
          ...(shape.status ? [statusIs(shape.status)] : []),
          ...(shape.after ? ['(created_at, id) < (:afterAt, :afterId)'] : []),
        ];
        return `SELECT ${deliveryColumns()} FROM notification_delivery
          ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''} ORDER BY created_at DESC, id DESC LIMIT :limit`;
      }),
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
    const conditions = (family: SqlFamily) => [
      `status = 'pending'`,
      ...(shape.organization ? [organization(family, shape.notification)] : []),
      ...(shape.delivery ? ['id = :deliveryId'] : []),
      ...(shape.notification ? ['notification_id = :notificationId'] : []),
      ...(shape.recipient ? ['recipient_id = :recipientId'] : []),
    ];
    statement = defineStatement({
      label: 'outbox.cancel',
      operation: 'update',
      table: 'notification_delivery',
      sql: bothFamilies(
        (family) => `UPDATE notification_delivery SET status = 'cancelled', updated_at = :now WHERE ${conditions(family).join(' AND ')}`,
      ),
    });
    cancels.set(key, statement);
  }
  return statement;
}

const cancels = new Map<string, Statement>();

/** A plus keeps SQLite from walking an organization's rows by another index, where it could look up those of one notification. */
function organization(family: SqlFamily, narrower: boolean): string {
  return `${family === 'sqlite' && narrower ? '+' : ''}organization_id = :organizationId`;
}

/** SQLite takes a partial index only for the very words of its condition. */
function statusIs(status: DeliveryStatus): string {
  return FAILED.includes(status) ? `status = '${status}' AND status IN ('dead', 'suppressed', 'cancelled')` : `status = '${status}'`;
}

const FAILED: readonly DeliveryStatus[] = ['dead', 'suppressed', 'cancelled'];
