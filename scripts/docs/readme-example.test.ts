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

const examples = codeBlocks(readFileSync(join(root, 'README.md'), 'utf8')).filter(({ language }) => language === 'ts');

it.each([
  { about: 'messages', place: 0, line: /^\[/, prints: "[ 'Thank you' ]" },
  { about: 'jobs', place: 1, line: /^resized/, prints: 'resized cat.png to 640 at attempt 2' },
])('the README’s example of $about prints what it says, the first time and the next', async ({ place, line, prints }) => {
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, (examples[place]?.code ?? '').replace('file:app.db', `file:${join(folder, 'app.db')}`));
  for (let run = 0; run < 2; run += 1) {
    const child = startChild(file);
    expect(await child.line(line)).toBe(prints);
    expect(await child.exited).toMatchObject({ code: 0 });
  }
});
