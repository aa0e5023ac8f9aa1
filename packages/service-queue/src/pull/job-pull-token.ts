import { token } from '@bellhop/kernel';
import type { JobPull } from './job-pull.js';

/** Jobs for consumers outside of this process: for whoever serves them over HTTP or otherwise. */
export const JOB_PULL = token<JobPull>('JOB_PULL');
