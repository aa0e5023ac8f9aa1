import type { InboxItem, ReceiptState } from '@bellhop/contracts';
import { InputError } from '@bellhop/kernel';
import { isOlder, type PagePosition } from '@bellhop/store';
import type { InboxQuery, InboxScope, InboxStore, NewInboxMessage } from '../inbox/inbox-store.js';
import { advances, isRead } from '../inbox/receipt-order.js';

interface InboxRow extends NewInboxMessage {
  state: ReceiptState;
  archived: boolean;
}

/** The inboxes of one process; nothing survives it. */
export class MemoryInboxStore implements InboxStore {
  /** Rows of a user in order of arrival, by (organization, user). */
  readonly #inboxes = new Map<string, Map<string, InboxRow>>();
  readonly #keepPerUser: number;

  /** @param options.keepPerUser messages a user's inbox holds at most; the oldest makes room. 1 or more, default 10 000. */
  constructor({ keepPerUser = 10_000 }: { readonly keepPerUser?: number } = {}) {
    if (!Number.isSafeInteger(keepPerUser) || keepPerUser < 1) {
      throw new InputError('INVALID_INPUT', `keepPerUser: ${String(keepPerUser)} given; an integer of at least 1 is needed.`, {
        path: 'keepPerUser',
      });
    }
    this.#keepPerUser = keepPerUser;
  }

  async insert(message: NewInboxMessage): Promise<{ id: string; inserted: boolean }> {
    const key = inboxKey(message);
    const inbox = this.#inboxes.get(key) ?? new Map<string, InboxRow>();
    this.#inboxes.set(key, inbox);
    const existing = inbox.get(message.notificationId);
    if (existing) return { id: existing.id, inserted: false };
    inbox.set(message.notificationId, { ...message, state: 'delivered', archived: false });
    if (inbox.size > this.#keepPerUser) inbox.delete(inbox.keys().next().value as string);
    return { id: message.id, inserted: true };
  }

  async list(scope: InboxScope, { read, topic, archived, after, limit }: InboxQuery): Promise<InboxItem[]> {
    return this.#of(scope)
      .filter(
        (row) =>
          row.archived === archived &&
          (read === undefined || isRead(row.state) === read) &&
          (topic === undefined || row.topic === topic) &&
          (!after || isOlder(position(row), after)),
      )
      .sort((left, right) => (isOlder(position(right), position(left)) ? -1 : 1))
      .slice(0, limit)
      .map(({ organizationId: _organization, userId: _user, ...item }) => ({ ...item, read: isRead(item.state) }));
  }

  async countUnread(scope: InboxScope): Promise<number> {
    return this.#of(scope).filter((row) => !row.archived && !isRead(row.state)).length;
  }

  async mark(scope: InboxScope, ids: readonly string[], state: ReceiptState, _now: number): Promise<number> {
    const moved = this.#named(scope, ids).filter((row) => advances(row.state, state));
    for (const row of moved) row.state = state;
    return moved.length;
  }

  async markAllRead(scope: InboxScope, _now: number): Promise<number> {
    const unread = this.#of(scope).filter((row) => !row.archived && advances(row.state, 'read'));
    for (const row of unread) row.state = 'read';
    return unread.length;
  }

  async archive(scope: InboxScope, ids: readonly string[], _now: number): Promise<number> {
    const shown = this.#named(scope, ids).filter((row) => !row.archived);
    for (const row of shown) row.archived = true;
    return shown.length;
  }

  #of(scope: InboxScope): InboxRow[] {
    return [...(this.#inboxes.get(inboxKey(scope))?.values() ?? [])];
  }

  #named(scope: InboxScope, ids: readonly string[]): InboxRow[] {
    const wanted = new Set(ids);
    return this.#of(scope).filter((row) => wanted.has(row.id));
  }
}

function inboxKey({ organizationId, userId }: InboxScope): string {
  return JSON.stringify([organizationId, userId]);
}

function position({ createdAt, id }: InboxRow): PagePosition {
  return { time: createdAt, id };
}
