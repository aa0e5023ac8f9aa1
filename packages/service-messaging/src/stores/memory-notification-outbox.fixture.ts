import { ManualTransactions, notificationOutboxConformance, type OutboxSection } from '@bellhop/testing';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { MemoryNotificationOutbox } from './memory-notification-outbox.js';

/** Sections of the conformance suite over the memory outbox. */
export function memoryOutboxConformance(sections: readonly OutboxSection[]): void {
  notificationOutboxConformance({
    name: 'MemoryNotificationOutbox',
    api: { describe, it, beforeEach, afterEach },
    capabilities: 'all',
    sections,
    create: ({ clock, random }) => {
      const { afterCommit, transaction } = new ManualTransactions();
      return { outbox: new MemoryNotificationOutbox({ clock, random, afterCommit }), transaction, close() {} };
    },
  });
}
