export type { DutyCounters, DutyReport } from './duty-run.js';
export { type BatchLimits, inBatches, SWEEP_BATCH, SWEEP_BATCHES } from './in-batches.js';
export { Reaper, type ReaperCounters, type ReaperOptions } from './reaper.js';
export type { ReaperPluginOptions } from './reaper-options.js';
export { reaperPlugin } from './reaper-plugin.js';
export { REAPER } from './reaper-token.js';
