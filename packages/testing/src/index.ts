export { HRANA_FAULTS, type HranaFault, type HranaServer, type HranaServerOptions, startHranaServer } from './hrana/hrana-server.js';
export { ManualClock, type ManualClockOptions, type RunOptions } from './manual-clock.js';
