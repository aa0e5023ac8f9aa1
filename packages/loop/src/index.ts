export { ClaimPool, type ClaimPoolCounters } from './claim-pool.js';
export { ClockJump } from './clock-jump.js';
export { DispatchLoop, type LoopCounters } from './dispatch-loop.js';
export type { DispatchLoopOptions, TickHint, TickResult } from './loop-options.js';
export type { ClaimOutcome, ClaimPoolOptions, PoolAck } from './pool-options.js';
export { SharedSlots, type SlotShare } from './shared-slots.js';
