import { token } from '@bellhop/kernel';
import type { QueueWorker } from './queue-worker.js';

/** The worker of this kernel, when it runs one: for its counters and for tests that tick by hand. */
export const QUEUE_WORKER = token<QueueWorker>('QUEUE_WORKER');
