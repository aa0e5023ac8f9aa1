import { type JobStoreSection, jobStoreConformance, ManualTransactions } from '@bellhop/testing';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { MemoryJobStore } from './memory-job-store.js';

/** Sections of the conformance suite over the memory store. */
export function memoryJobStoreConformance(sections: readonly JobStoreSection[]): void {
  jobStoreConformance({
    name: 'MemoryJobStore',
    api: { describe, it, beforeEach, afterEach },
    durable: false,
    sections,
    create: ({ clock, random }) => {
      const { afterCommit, transaction } = new ManualTransactions();
      return { store: new MemoryJobStore({ clock, random, afterCommit }), transaction, close() {} };
    },
  });
}
