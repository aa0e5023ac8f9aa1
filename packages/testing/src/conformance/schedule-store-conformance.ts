import type { ScheduleStoreConformanceOptions } from './schedule-store/schedule-bench.js';
import { scheduleFireSection } from './schedule-store/schedule-fire-section.js';
import { scheduleHistorySection } from './schedule-store/schedule-history-section.js';
import { scheduleKeepSection } from './schedule-store/schedule-keep-section.js';
import { scheduleWaitingSection } from './schedule-store/schedule-waiting-section.js';

/**
 * The contract of `ScheduleStore` as tests, beside the `JobStore` it publishes into, for any store and any runner with describe/it. The job store
 * itself is certified by `jobStoreConformance`.
 */
export function scheduleStoreConformance(options: ScheduleStoreConformanceOptions): void {
  options.api.describe(`schedule store contract: ${options.name}`, () => {
    scheduleKeepSection(options);
    scheduleFireSection(options);
    scheduleWaitingSection(options);
    scheduleHistorySection(options);
  });
}
