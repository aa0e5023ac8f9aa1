import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from '@bellhop/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { codeBlocks } from './code-blocks.js';

const root = join(import.meta.dirname, '../..');
// Below packages/host, whose dependencies are what the example imports.
const file = join(root, 'packages/host/node_modules/.cache/readme-example.mts');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bellhop-readme-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('the README’s example prints what its comment says, the first time and the next', async () => {
  const [example] = codeBlocks(readFileSync(join(root, 'README.md'), 'utf8')).filter(({ language }) => language === 'ts');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, (example?.code ?? '').replace('file:app.db', `file:${join(folder, 'app.db')}`));
  for (let run = 0; run < 2; run += 1) {
    const child = startChild(file);
    expect(await child.line(/^\[/)).toBe("[ 'Thank you' ]");
    expect(await child.exited).toMatchObject({ code: 0 });
  }
});
