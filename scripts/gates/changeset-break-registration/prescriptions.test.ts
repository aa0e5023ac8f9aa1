import { describe, expect, it } from 'vitest';
import { prescriptionsOf } from './prescriptions.js';

const found = (summary: string) => prescriptionsOf({ path: '.changeset/a.md', text: summary, releases: [], summaryAt: 0 });

describe('a migration is prescribed', () => {
  it.each([
    ['- FROM: `a`\n- TO: `b`', 1, 'the labels FROM and TO'],
    ['One.\n\n**From:**\n\n```\na\n```\n\n**To:**\n\n```\nb\n```', 3, 'the labels FROM and TO'],
    ['```ts\n// FROM\na();\n// TO\nb();\n```', 2, 'the labels FROM and TO'],
    ['FROM `a`\nTO `b`', 1, 'the labels FROM and TO'],
    ['Before: `a`.\nAfter: `b`.', 1, 'the labels BEFORE and AFTER'],
    ['One.\nMove FROM the old driver TO the new one.', 2, 'FROM … TO'],
    ['`a` → `b`', 1, 'the rewrite `a` → `b`'],
    ['One.\n`a` ->\n`b`', 2, 'the rewrite `a` -> `b`'],
    ['**a** => **b**', 1, 'the rewrite **a** => **b**'],
    ['"a" → \'b\'', 1, 'the rewrite "a" → \'b\''],
    ['Write `a → b`.', 1, 'the rewrite "a → b…" in code'],
    ['```\none\na() → b()\n```', 3, 'the rewrite "a() → b…" in code'],
    ['One.\n\n| was | is |\n|:--|--:|\n| a | b |', 3, 'a table'],
    ['| was |\n| --- |\n| a |', 1, 'a table'],
    ['was | is\n--- | ---\na | b', 1, 'a table'],
    ['<table>', 1, 'a table'],
  ])('in %j', (summary, line, what) => expect(found(summary)).toContainEqual({ line, what }));

  it.each([
    'From here on it is refused. To be sure, read on.',
    'Before: it hung.',
    'after it → nothing',
    '```sql\nSELECT a\nFROM b\nWHERE c\n```',
    'Runs `SELECT a FROM b` and `ALTER TABLE a RENAME TO b`.',
    '```ts\nconst f = (a: number) => a;\nf(1); // → 1\n```',
    'Reads `data->id`.',
    '<!-- FROM: a\nTO: b -->',
    'One.\n\n---\n\nTwo.',
    '`a | b`',
  ])('not in %j', (summary) => expect(found(summary)).toEqual([]));
});
