import { memoryJobStoreConformance } from './memory-job-store.fixture.js';
import { SECTIONS_APART } from './sections-apart.fixture.js';

memoryJobStoreConformance(SECTIONS_APART.promote);
