import { describe, expect, it } from 'vitest';
import { allowedMajors } from './decisions.js';

describe('a decision allows majors', () => {
  it('in a line above its first section', () => {
    const page =
      '# 9. A\n\nStatus: accepted.\nAllows major: @bellhop/store@2, `@bellhop/loop@3.0.0`.\n\n## Context\n\nAllows major: @bellhop/kernel@2\n';
    expect(allowedMajors(page)).toEqual([
      { line: 4, item: '@bellhop/store@2', release: { name: '@bellhop/store', major: 2 } },
      { line: 4, item: '@bellhop/loop@3.0.0', release: { name: '@bellhop/loop', major: 3 } },
    ]);
  });

  it('not in code, comments or the middle of a line', () => {
    const line = 'Allows major: @bellhop/store@2';
    expect(allowedMajors(`# 9. A\n\n\`\`\`\n${line}\n\`\`\`\n\n<!--\n${line}\n-->\n\nWrite ${line}.\n`)).toEqual([]);
  });

  it.each(['', '@bellhop/store', '@bellhop/store@', '@bellhop/store@2.1.0', '@bellhop/store 2'])('and none in %j', (item) => {
    expect(allowedMajors(`Allows major: ${item}\n`)).toEqual([{ line: 1, item, release: undefined }]);
  });
});
