import { existsSync } from 'node:fs';
import { JOB_STORE_SECTIONS } from '@bellhop/testing';
import { expect, it } from 'vitest';
import { SECTIONS_APART, sqlJobConformance } from './sql-job-store.fixture.js';

const apart: readonly string[] = Object.values(SECTIONS_APART).flat();
sqlJobConformance(JOB_STORE_SECTIONS.filter((section) => !apart.includes(section)));

it.each(Object.keys(SECTIONS_APART))('the sections %s have their own file', (file) => {
  expect(existsSync(new URL(`./sql-job-store.${file}.integration.test.ts`, import.meta.url))).toBe(true);
});
