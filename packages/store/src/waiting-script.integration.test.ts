import { startChild } from '@bellhop/testing';
import { expect, it } from 'vitest';
import { lockedDatabase } from './lock.fixture.js';

it.each(['sqlite', 'libsql'] as const)(
  '[busy-keeps-alive] a script that waits for the lock of %s does not end in mid-wait',
  async (name) => {
    const { database, drop } = await lockedDatabase(name);
    const child = startChild(new URL('./waiting-script.fixture.ts', import.meta.url), { args: [database.options.url as string] });
    const [heard, { code }] = await Promise.all([child.line().catch(() => 'nothing'), child.exited]);
    await drop();
    expect([heard, code]).toEqual(['STORE_BUSY', 0]);
  },
);
