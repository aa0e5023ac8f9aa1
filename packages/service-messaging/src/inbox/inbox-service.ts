import type { Inbox, InboxCaller, InboxFilter, InboxPage, ReceiptState } from '@bellhop/contracts';
import { type Clock, InputError } from '@bellhop/kernel';
import { checkName, checkPageLimit, DEFAULT_ORGANIZATION, decodeCursor, toPage } from '@bellhop/store';
import type { InboxScope, InboxStore } from './inbox-store.js';

/** Messages named in one call at most. */
const IDS_MAX = 1_000;
const MARKS = ['read', 'clicked', 'dismissed'] as const;

/** The inbox over its rows: checks what callers give, and never reaches beyond the caller's user and organization. One store call each. */
export class InboxService implements Inbox {
  constructor(
    readonly store: InboxStore,
    readonly clock: Pick<Clock, 'now'>,
  ) {}

  async list(caller: InboxCaller, filter: InboxFilter = {}): Promise<InboxPage> {
    const limit = checkPageLimit(filter.limit);
    const rows = await this.store.list(scopeOf(caller), {
      ...(filter.read === undefined ? {} : { read: checkFlag(filter.read, 'read') }),
      ...(filter.topic === undefined ? {} : { topic: checkName(filter.topic, 'topic') }),
      ...(filter.cursor === undefined ? {} : { after: decodeCursor(filter.cursor) }),
      archived: filter.archived === undefined ? false : checkFlag(filter.archived, 'archived'),
      // One more than the page shows whether there is a next one.
      limit: limit + 1,
    });
    return toPage(rows, limit, ({ createdAt }) => createdAt);
  }

  async unreadCount(caller: InboxCaller): Promise<number> {
    return this.store.countUnread(scopeOf(caller));
  }

  async mark(caller: InboxCaller, ids: readonly string[], state: Exclude<ReceiptState, 'delivered'>): Promise<number> {
    if (!MARKS.includes(state)) {
      throw new InputError('INVALID_INPUT', `state: ${String(state)} given; ${MARKS.join(', ')} are allowed.`, { path: 'state' });
    }
    return this.#withIds(caller, ids, (scope, named) => this.store.mark(scope, named, state, this.clock.now()));
  }

  async markRead(caller: InboxCaller, ids: readonly string[]): Promise<number> {
    return this.mark(caller, ids, 'read');
  }

  async markAllRead(caller: InboxCaller): Promise<number> {
    return this.store.markAllRead(scopeOf(caller), this.clock.now());
  }

  async archive(caller: InboxCaller, ids: readonly string[]): Promise<number> {
    return this.#withIds(caller, ids, (scope, named) => this.store.archive(scope, named, this.clock.now()));
  }

  async #withIds(
    caller: InboxCaller,
    ids: readonly string[],
    call: (scope: InboxScope, ids: readonly string[]) => Promise<number>,
  ): Promise<number> {
    const scope = scopeOf(caller);
    if (!Array.isArray(ids) || ids.length > IDS_MAX) {
      const given = Array.isArray(ids) ? `${ids.length} ids` : typeof ids;
      throw new InputError('INVALID_INPUT', `ids: ${given} given; a list of at most ${IDS_MAX} message ids is allowed.`, { path: 'ids' });
    }
    const named = new Set(ids.map((id, index) => checkName(id, `ids[${index}]`)));
    return named.size === 0 ? 0 : call(scope, [...named]);
  }
}

function scopeOf({ userId, organizationId }: InboxCaller): InboxScope {
  return {
    userId: checkName(userId, 'userId'),
    organizationId: organizationId === undefined ? DEFAULT_ORGANIZATION : checkName(organizationId, 'organizationId'),
  };
}

function checkFlag(value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value;
  throw new InputError('INVALID_INPUT', `${path}: ${String(value)} given; true or false is needed.`, { path });
}
