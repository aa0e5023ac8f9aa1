import { memoryJobStoreConformance } from './memory-job-store.fixture.js';

memoryJobStoreConformance(['histories']);
