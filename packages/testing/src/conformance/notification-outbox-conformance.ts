import assert from 'node:assert/strict';
import { cancelSection, listSection } from './notification-outbox/cancel-and-list-section.js';
import { claimSection, partitionSection } from './notification-outbox/claim-section.js';
import { claimTokenSection } from './notification-outbox/claim-token-section.js';
import { digestSection } from './notification-outbox/digest-section.js';
import { enqueueSection } from './notification-outbox/enqueue-section.js';
import { expirySection } from './notification-outbox/expiry-section.js';
import { inputLimitsSection } from './notification-outbox/input-limits-section.js';
import {
  type NotificationOutboxConformanceOptions,
  OUTBOX_CAPABILITIES,
  OUTBOX_SECTIONS,
  type OutboxSection,
  outboxSection,
} from './notification-outbox/outbox-bench.js';
import { randomHistorySection } from './notification-outbox/random-history-section.js';
import { renewAndReleaseSection } from './notification-outbox/renew-and-release-section.js';
import { stateTableSection } from './notification-outbox/state-table-section.js';
import { surveySection } from './notification-outbox/survey-section.js';
import { transactionSection } from './notification-outbox/transaction-section.js';

/**
 * The contract of `INotificationOutbox` as tests, for any outbox and any runner with describe/it. Every sentence of the contract has one;
 * a capability that the outbox lacks has its tests skipped, unless `capabilities` says it must be there.
 *
 * @example
 * import { afterEach, beforeEach, describe, it } from 'vitest'; // or from 'node:test'
 *
 * notificationOutboxConformance({
 *   name: 'my outbox',
 *   api: { describe, it, beforeEach, afterEach },
 *   create: async ({ clock, random }) => {
 *     const outbox = await MyOutbox.open({ clock, random });
 *     return { outbox, close: () => outbox.drop() };
 *   },
 * });
 */
export function notificationOutboxConformance(options: NotificationOutboxConformanceOptions): void {
  options.api.describe(`notification outbox contract: ${options.name}`, () => {
    for (const section of options.sections ?? OUTBOX_SECTIONS) SECTIONS[section](options);
  });
}

const SECTIONS: Readonly<Record<OutboxSection, (options: NotificationOutboxConformanceOptions) => void>> = {
  capabilities: capabilitySection,
  enqueue: enqueueSection,
  transactions: transactionSection,
  claim: claimSection,
  partitions: partitionSection,
  'claim-tokens': claimTokenSection,
  'renew-and-release': renewAndReleaseSection,
  expiry: expirySection,
  survey: surveySection,
  digests: digestSection,
  cancel: cancelSection,
  list: listSection,
  'state-table': stateTableSection,
  'input-limits': inputLimitsSection,
  histories: randomHistorySection,
};

function capabilitySection(options: NotificationOutboxConformanceOptions): void {
  const required = options.capabilities === 'all' ? OUTBOX_CAPABILITIES : (options.capabilities ?? []);
  if (required.length === 0) return;
  outboxSection(options, 'capabilities', ({ test }) => {
    for (const name of required) {
      test(`has ${name}`, async (bench) => {
        assert.equal(typeof bench.outbox[name], 'function');
        assert.equal(typeof bench.second[name], 'function');
      });
    }
  });
}
