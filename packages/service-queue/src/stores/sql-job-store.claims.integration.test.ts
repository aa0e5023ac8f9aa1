import { SECTIONS_APART, sqlJobConformance } from './sql-job-store.fixture.js';

sqlJobConformance(SECTIONS_APART.claims);
