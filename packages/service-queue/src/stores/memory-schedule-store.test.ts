import { ManualTransactions, scheduleStoreConformance } from '@bellhop/testing';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { MemoryJobStore } from './memory-job-store.js';
import { MemoryScheduleStore } from './memory-schedule-store.js';

scheduleStoreConformance({
  name: 'MemoryScheduleStore',
  api: { describe, it, beforeEach, afterEach },
  durable: false,
  create: ({ clock, random }) => {
    const { afterCommit } = new ManualTransactions();
    const jobs = new MemoryJobStore({ clock, random, afterCommit });
    return { store: new MemoryScheduleStore({ clock, random, jobs }), jobs, close() {} };
  },
});
