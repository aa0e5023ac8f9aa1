import { describe, expect, it } from 'vitest';
import { isInsert, splitStatements, sqlParameters } from './sql-text.js';

describe('parameters of an SQL text', () => {
  it.each([
    ['SELECT ?, ?', [null, null]],
    ['SELECT :a, @b, $c, :a', [':a', '@b', '$c']],
    ['SELECT ?2, ?', [null, '?2', null]],
    ['SELECT ?, ?1', ['?1']],
    [`SELECT '?', "a?b", [c?d], \`e?f\`, 'it''s ?', ? -- ? \n /* ? */`, [null]],
    ["SELECT a->'$.x', json_extract(b, '$.y'), :z", [':z']],
    ['SELECT /* unclosed ?', []],
  ])('%s', (sql, expected) => {
    expect(sqlParameters(sql)).toEqual(expected);
  });
});

describe('statements of an SQL text', () => {
  it('ends at a semicolon outside quotes and comments, and drops the empty ones', () => {
    expect(splitStatements(`;; SELECT ';'; -- ;\n SELECT 2 /* ; */; SELECT 3`)).toEqual([
      " SELECT ';';",
      ' -- ;\n SELECT 2 /* ; */;',
      ' SELECT 3',
    ]);
  });

  it('keeps a trigger whole, a CASE … END; inside it included', () => {
    const trigger = 'CREATE TEMP TRIGGER t AFTER INSERT ON a BEGIN UPDATE a SET x = CASE WHEN 1 THEN 2 END; DELETE FROM b; END;';
    expect(splitStatements(`${trigger} SELECT 1;`)).toEqual([trigger, ' SELECT 1;']);
  });
});

it.each([
  ['INSERT INTO t VALUES (1)', true],
  ['-- why\nREPLACE INTO t VALUES (1)', true],
  ['WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x', true],
  ['WITH x AS (SELECT 1) SELECT replace(a, b, c) FROM x', false],
  ["UPDATE t SET a = 'insert'", false],
  ['SELECT 1', false],
])('%s inserts: %s', (sql, expected) => {
  expect(isInsert(sql)).toBe(expected);
});
