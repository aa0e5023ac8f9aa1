export { stallMigrations } from './migrations/stall-migrations.js';
export {
  BUSY_HOLD_MS,
  CLAIM_OVERLAP_MS,
  FORGET_AFTER_MS,
  MAX_NUDGES,
  type Pace,
  type PaceReason,
  type PairFacts,
  type PairState,
  pace,
  SPACING_MS,
  STALL_AFTER_MS,
  WAITS_MS,
  wait,
} from './pace.js';
export { stallPlugin } from './stall-plugin.js';
export { StallSweep, type StallSweepPorts } from './stall-sweep.js';
