import { existsSync } from 'node:fs';
import { JOB_STORE_SECTIONS } from '@bellhop/testing';
import { expect, it } from 'vitest';
import { FILES_IN_SQL, SECTIONS_APART } from './sections-apart.fixture.js';
import { sqlJobConformance } from './sql-job-store.fixture.js';

const apart: readonly string[] = FILES_IN_SQL.flatMap((file) => SECTIONS_APART[file]);
sqlJobConformance(JOB_STORE_SECTIONS.filter((section) => !apart.includes(section)));

it.each(FILES_IN_SQL)('the sections %s have their own file', (file) => {
  expect(existsSync(new URL(`./sql-job-store.${file}.integration.test.ts`, import.meta.url))).toBe(true);
});
