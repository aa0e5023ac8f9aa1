import { enqueueSection } from './job-store/enqueue-section.js';
import { groupCapSection } from './job-store/group-cap-section.js';
import { idempotencySection } from './job-store/idempotency-section.js';
import { jobAckSection } from './job-store/job-ack-section.js';
import { JOB_STORE_SECTIONS, type JobStoreConformanceOptions, type JobStoreSection } from './job-store/job-bench.js';
import { jobClaimSection } from './job-store/job-claim-section.js';
import { jobClaimTokenSection } from './job-store/job-claim-token-section.js';
import { jobHistorySection } from './job-store/job-history-section.js';
import { jobInputLimitsSection } from './job-store/job-input-limits-section.js';
import { jobOrderSection } from './job-store/job-order-section.js';
import { jobStateTableSection } from './job-store/job-state-table-section.js';
import { jobSurveySection } from './job-store/job-survey-section.js';
import { jobTransactionSection } from './job-store/job-transaction-section.js';
import { laneSection } from './job-store/lane-section.js';
import { manageSection } from './job-store/manage-section.js';
import { pauseSection } from './job-store/pause-section.js';
import { promoteSection } from './job-store/promote-section.js';
import { reclaimSection } from './job-store/reclaim-section.js';
import { renewReleaseProgressSection } from './job-store/renew-release-progress-section.js';
import { replayAndPurgeSection } from './job-store/replay-and-purge-section.js';
import { retentionSection } from './job-store/retention-section.js';
import { statsAndListSection } from './job-store/stats-and-list-section.js';

/**
 * The contract of `JobStore` as tests, for any store and any runner with describe/it. Every sentence of the contract has one.
 *
 * @example
 * import { afterEach, beforeEach, describe, it } from 'vitest'; // or from 'node:test'
 *
 * jobStoreConformance({
 *   name: 'my job store',
 *   api: { describe, it, beforeEach, afterEach },
 *   durable: true,
 *   create: async ({ clock, random }) => {
 *     const store = await MyJobStore.open({ clock, random });
 *     return { store, close: () => store.drop() };
 *   },
 * });
 */
export function jobStoreConformance(options: JobStoreConformanceOptions): void {
  options.api.describe(`job store contract: ${options.name}`, () => {
    for (const section of options.sections ?? JOB_STORE_SECTIONS) SECTIONS[section](options);
  });
}

const SECTIONS: Readonly<Record<JobStoreSection, (options: JobStoreConformanceOptions) => void>> = {
  enqueue: enqueueSection,
  idempotency: idempotencySection,
  transactions: jobTransactionSection,
  claim: jobClaimSection,
  order: jobOrderSection,
  lanes: laneSection,
  'group-caps': groupCapSection,
  ack: jobAckSection,
  'claim-tokens': jobClaimTokenSection,
  'renew-release-and-progress': renewReleaseProgressSection,
  promote: promoteSection,
  reclaim: reclaimSection,
  survey: jobSurveySection,
  pause: pauseSection,
  manage: manageSection,
  'replay-and-purge': replayAndPurgeSection,
  'stats-and-lists': statsAndListSection,
  retention: retentionSection,
  'state-table': jobStateTableSection,
  'input-limits': jobInputLimitsSection,
  histories: jobHistorySection,
};
