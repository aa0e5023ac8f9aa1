import type { InboxItem, ReceiptState, Severity } from '@bellhop/contracts';
import type { PagePosition } from '@bellhop/store';

/** A message to be put into an inbox. Times are epoch milliseconds. */
export interface NewInboxMessage {
  readonly id: string;
  readonly organizationId: string;
  readonly userId: string;
  readonly notificationId: string;
  readonly topic: string | null;
  readonly title: string;
  readonly body: string;
  readonly severity: Severity;
  readonly actionUrl: string | null;
  readonly createdAt: number;
}

/** Whose rows a call touches: never anyone else's. */
export interface InboxScope {
  readonly organizationId: string;
  readonly userId: string;
}

export interface InboxQuery {
  readonly read?: boolean;
  readonly topic?: string;
  /** False: archived messages are left out. True: only archived ones. */
  readonly archived: boolean;
  /** Rows strictly older than this position. */
  readonly after?: PagePosition;
  readonly limit: number;
}

/** The rows behind the inbox. Every call is one statement on an index that starts with (organization, user). */
export interface InboxStore {
  /**
   * One row per (organization, user, notification), with its receipt `delivered`: a repeat changes nothing and gives the first row's id.
   */
  insert(message: NewInboxMessage): Promise<{ readonly id: string; readonly inserted: boolean }>;
  /** Newest first: by `createdAt`, then `id`, both descending. */
  list(scope: InboxScope, query: InboxQuery): Promise<InboxItem[]>;
  /** State `delivered`, not archived. */
  countUnread(scope: InboxScope): Promise<number>;
  /** Moves the named messages to `state` where the receipt order allows it (`receipt-order.ts`). @returns rows moved. */
  mark(scope: InboxScope, ids: readonly string[], state: ReceiptState, now: number): Promise<number>;
  /** `delivered` → `read` for every message not archived. @returns rows moved. */
  markAllRead(scope: InboxScope, now: number): Promise<number>;
  /** @returns rows archived now. */
  archive(scope: InboxScope, ids: readonly string[], now: number): Promise<number>;
}
