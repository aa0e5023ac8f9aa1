import type { InboxItem, ReceiptState, Severity, Store } from '@bellhop/contracts';
import { GroupCommit } from '@bellhop/store';
import { archiveMessages, countUnread, insertMessages, listMessages, markAllMessagesRead, markMessages } from '../sql/inbox-messages.js';
import type { InboxQuery, InboxScope, InboxStore, NewInboxMessage } from './inbox-store.js';
import { isRead, statesBelow } from './receipt-order.js';

/** The rows of `inbox_message`, on any SQL store. Messages of one microtask turn are inserted in one statement. */
export class SqlInboxStore implements InboxStore {
  readonly #store: Store;
  readonly #inserts: GroupCommit<NewInboxMessage, { id: string; inserted: boolean }>;

  constructor(store: Store) {
    this.#store = store;
    this.#inserts = new GroupCommit({ store, commit: (messages) => this.#insert(messages) });
  }

  insert(message: NewInboxMessage): Promise<{ id: string; inserted: boolean }> {
    return this.#inserts.submit(message);
  }

  async list({ organizationId, userId }: InboxScope, { read, topic, archived, after, limit }: InboxQuery): Promise<InboxItem[]> {
    const statement = listMessages({ read, topic: topic !== undefined, archived, after: after !== undefined });
    const rows = await this.#store.read<MessageRow>(statement, {
      organizationId,
      userId,
      limit,
      ...(topic === undefined ? {} : { topic }),
      ...(after ? { afterAt: after.time, afterId: after.id } : {}),
    });
    return rows.map(toItem);
  }

  async countUnread({ organizationId, userId }: InboxScope): Promise<number> {
    const [row] = await this.#store.read<{ unread: number }>(countUnread, { organizationId, userId });
    return Number(row?.unread ?? 0);
  }

  async mark({ organizationId, userId }: InboxScope, ids: readonly string[], state: ReceiptState, now: number): Promise<number> {
    const params = { organizationId, userId, ids: JSON.stringify(ids), state, below: JSON.stringify(statesBelow(state)), now };
    const { changes } = await this.#store.write(markMessages, params, { organizationId });
    return changes ?? 0;
  }

  async markAllRead({ organizationId, userId }: InboxScope, now: number): Promise<number> {
    const { changes } = await this.#store.write(markAllMessagesRead, { organizationId, userId, now }, { organizationId });
    return changes ?? 0;
  }

  async archive({ organizationId, userId }: InboxScope, ids: readonly string[], now: number): Promise<number> {
    const { changes } = await this.#store.write(
      archiveMessages,
      { organizationId, userId, ids: JSON.stringify(ids), now },
      { organizationId },
    );
    return changes ?? 0;
  }

  async #insert(messages: readonly NewInboxMessage[]): Promise<{ id: string; inserted: boolean }[]> {
    // A statement may not touch a row twice, so a target that the group names twice is written once.
    const byTarget = new Map(messages.toReversed().map((message) => [target(message), message]));
    const rows = [...byTarget.values()].map((message) => ({
      id: message.id,
      organization_id: message.organizationId,
      user_id: message.userId,
      notification_id: message.notificationId,
      topic: message.topic,
      title: message.title,
      body: message.body,
      severity: message.severity,
      action_url: message.actionUrl,
      created_at: message.createdAt,
    }));
    const scope = { organizationId: [...new Set(messages.map(({ organizationId }) => organizationId))] };
    const written = await this.#store.write<WrittenRow>(insertMessages, { rows: JSON.stringify(rows) }, scope);
    const ids = new Map(
      written.rows.map((row) => [
        target({ organizationId: row.organization_id, userId: row.user_id, notificationId: row.notification_id }),
        row.id,
      ]),
    );
    return messages.map((message) => {
      const id = ids.get(target(message)) as string;
      return { id, inserted: id === message.id };
    });
  }
}

interface WrittenRow {
  readonly id: string;
  readonly organization_id: string;
  readonly user_id: string;
  readonly notification_id: string;
}

interface MessageRow extends WrittenRow {
  readonly topic: string | null;
  readonly title: string;
  readonly body: string;
  readonly severity: Severity;
  readonly action_url: string | null;
  readonly state: ReceiptState;
  readonly archived_at: number | null;
  readonly created_at: number;
}

function target({ organizationId, userId, notificationId }: { organizationId: string; userId: string; notificationId: string }): string {
  return JSON.stringify([organizationId, userId, notificationId]);
}

function toItem(row: MessageRow): InboxItem {
  return {
    id: row.id,
    notificationId: row.notification_id,
    topic: row.topic,
    title: row.title,
    body: row.body,
    severity: row.severity,
    actionUrl: row.action_url,
    state: row.state,
    read: isRead(row.state),
    archived: row.archived_at !== null,
    createdAt: row.created_at,
  };
}
