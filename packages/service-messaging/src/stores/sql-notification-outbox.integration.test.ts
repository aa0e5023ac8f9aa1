import { existsSync } from 'node:fs';
import { OUTBOX_SECTIONS } from '@bellhop/testing';
import { expect, it } from 'vitest';
import { SECTIONS_APART, sqlOutboxConformance } from './sql-notification-outbox.fixture.js';

const apart: readonly string[] = SECTIONS_APART;
sqlOutboxConformance(OUTBOX_SECTIONS.filter((section) => !apart.includes(section)));

it.each(apart)('the section %s has its own file', (section) => {
  expect(OUTBOX_SECTIONS).toContain(section);
  expect(existsSync(new URL(`./sql-notification-outbox.${section}.integration.test.ts`, import.meta.url))).toBe(true);
});
