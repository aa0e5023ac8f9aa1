// The self-test of the census: the small product in both directions, then the real sources.
import type { SelfTestCase } from '../../framework/gate.js';
import { PAGE_CASES } from './page-cases.js';
import { PAST_CASES } from './past-cases.js';
import { REAL_SOURCES } from './real-sources.js';
import { SOURCE_CASES } from './source-cases.js';
import { WRITE_CASES } from './write-cases.js';

export const selfTestCases: readonly SelfTestCase[] = [...WRITE_CASES, ...PAGE_CASES, ...SOURCE_CASES, ...PAST_CASES, REAL_SOURCES];
