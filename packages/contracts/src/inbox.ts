import type { Severity } from './delivery.js';

/** Whose inbox: every call names the user and the organization. */
export interface InboxCaller {
  readonly userId: string;
  /** Default `default`. */
  readonly organizationId?: string;
}

export type ReceiptState = 'delivered' | 'read' | 'clicked' | 'dismissed';

/** One message in a user's inbox. Times are epoch milliseconds. */
export interface InboxItem {
  readonly id: string;
  readonly notificationId: string;
  readonly topic: string | null;
  readonly title: string;
  readonly body: string;
  readonly severity: Severity;
  readonly actionUrl: string | null;
  readonly state: ReceiptState;
  /** State is read, clicked or dismissed. */
  readonly read: boolean;
  readonly archived: boolean;
  readonly createdAt: number;
}

export interface InboxFilter {
  /** Only read, or only unread. Default both. */
  readonly read?: boolean;
  readonly topic?: string;
  /** Default false: archived messages are left out. */
  readonly archived?: boolean;
  readonly cursor?: string;
  /** 1 to 200, default 50. */
  readonly limit?: number;
}

export interface InboxPage {
  /** Newest first. */
  readonly items: InboxItem[];
  readonly nextCursor: string | null;
}

/** A user's in-app messages. One indexed query per call. */
export interface Inbox {
  list(caller: InboxCaller, filter?: InboxFilter): Promise<InboxPage>;
  unreadCount(caller: InboxCaller): Promise<number>;
  /** Moves messages up the order delivered < read < clicked, dismissed; never down. @param ids at most 1 000 item ids; foreign ones are ignored. @returns rows moved. */
  mark(caller: InboxCaller, ids: readonly string[], state: Exclude<ReceiptState, 'delivered'>): Promise<number>;
  markRead(caller: InboxCaller, ids: readonly string[]): Promise<number>;
  markAllRead(caller: InboxCaller): Promise<number>;
  archive(caller: InboxCaller, ids: readonly string[]): Promise<number>;
}
