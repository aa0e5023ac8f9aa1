export { DispatchLoop, type LoopCounters } from './dispatch-loop.js';
export type { DispatchLoopOptions, TickHint, TickResult } from './loop-options.js';
