import { expect, it } from 'vitest';
import { codeBlocks } from './code-blocks.js';

it('finds each block with its language and line', () => {
  expect(codeBlocks('# A\n```ts\nconst a = 1;\n\nconst b = 2;\n```\ntext\n```\nplain\n```\n')).toEqual([
    { language: 'ts', code: 'const a = 1;\n\nconst b = 2;', line: 3 },
    { language: '', code: 'plain', line: 9 },
  ]);
});

it('refuses a fence that is never closed', () => {
  expect(() => codeBlocks('```ts\nconst a = 1;')).toThrow('line 2');
});
