import { JOB_STORE_SECTIONS } from '@bellhop/testing';
import { sqlJobConformance } from './sql-job-store.fixture.js';

sqlJobConformance(JOB_STORE_SECTIONS);
