import { SECTIONS_APART } from './sections-apart.fixture.js';
import { sqlJobConformance } from './sql-job-store.fixture.js';

sqlJobConformance(SECTIONS_APART.claims);
