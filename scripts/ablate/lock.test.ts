import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startNode } from '@bellhop/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lock } from './lock.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ablate-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A process that holds the lock until it is killed. */
const HOLDER = `
const { lock } = await import(${JSON.stringify(new URL('./lock.ts', import.meta.url).href)});
lock(process.argv[1]);
console.log('held');
setInterval(() => {}, 60_000);
`;

function startHolder() {
  return startNode(['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', HOLDER], { args: [folder] });
}

describe('the lock', () => {
  it('is free again when it is released', () => {
    lock(folder)();
    lock(folder)();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is refused while another process lives, and leaves nothing of the refused; a dead one loses it', async () => {
    const holder = startHolder();
    await holder.line(/held/);
    expect(() => lock(folder)).toThrow(new RegExp(`Another ablation runs on this checkout \\(pid ${holder.pid}`));
    expect(readdirSync(folder)).toEqual([`${holder.pid}.lock`]);
    await holder.kill();
    const release = lock(folder);
    expect(readdirSync(folder)).toEqual([`${process.pid}.lock`]);
    release();
  });

  it('of a pid that was given to a stranger is not held', () => {
    // The parent lives, and started at another time than it says there.
    writeFileSync(join(folder, `${process.ppid}.lock`), 'another start');
    lock(folder)();
    // The control: not yet written to, it may be of that process.
    writeFileSync(join(folder, `${process.ppid}.lock`), '');
    expect(() => lock(folder)).toThrow(/Another ablation runs/);
  });
});
