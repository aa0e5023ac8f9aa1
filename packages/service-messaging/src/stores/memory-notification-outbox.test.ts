import { ManualTransactions, notificationOutboxConformance } from '@bellhop/testing';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { MemoryNotificationOutbox } from './memory-notification-outbox.js';

notificationOutboxConformance({
  name: 'MemoryNotificationOutbox',
  api: { describe, it, beforeEach, afterEach },
  capabilities: 'all',
  create: ({ clock, random }) => {
    const { afterCommit, transaction } = new ManualTransactions();
    return { outbox: new MemoryNotificationOutbox({ clock, random, afterCommit }), transaction, close() {} };
  },
});
