export type { Excess, Workload, WorkloadOption, WorkloadResult, WorkloadSettings } from './workload.js';
