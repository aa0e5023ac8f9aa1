import { describe, expect, it } from 'vitest';
import { declarationsOf, isSource } from './declarations.js';

const names = (text: string, path = 'packages/host/src/http/a.ts') =>
  declarationsOf(path, text).map(({ name, kind }) => `${name}: ${kind}`);

describe('a source gives names', () => {
  it.each([
    ["export type A = 'one-two' | 'three' | number;", ['A: a type', 'one-two: a value of A', 'three: a value of A']],
    [
      "export interface A { b: 'c' | 'd' | '1' }",
      ['A: an interface', 'b: a field of interface A', 'c: a value of A.b', 'd: a value of A.b'],
    ],
    ['export type A = { b: 1 } | { c: 2 };', ['A: a type', 'b: a field of type A', 'c: a field of type A']],
    ["export const A = ['b', 'c'] as const;", ['A: a constant', 'b: a value of A', 'c: a value of A']],
    ["export const ERROR_CODES = { 'B': 'b' } as const;", ['ERROR_CODES: a constant', 'B: an error code']],
    [
      'export default class A { static b = 1; get c() { return 1; } [d]() {} }',
      ['A: a class', 'b: a field of class A', 'c: a field of class A'],
    ],
    ["z.object({ a: z.string() }).extend({ 'b': z.int() });", ['b: a field of a schema', 'a: a field of a schema']],
    ['const s = { t: z.strictObject({ a: z.int() }) };', ['a: a field of schema s']],
    ['const help = `set BELLHOP_A, or BELLHOP_B_2`;', ['BELLHOP_A: an environment variable', 'BELLHOP_B_2: an environment variable']],
    ["new Gauge({ name: 'a_b', help: 'c' }); f({ name: 'no_metric' });", ['a_b: a metric']],
    ["createRoute({ method: 'get', path: '/a/{b}' });", ['GET /a/{b}: a route']],
    ["api.post('/a', handler); api.use('/b', handler); map.get('c');", ['POST /a: a route']],
    [
      "schema().alterTable('a_b', (t) => { t.string('c_d').notNullable(); u.string('e'); });",
      ['a_b: a table', 'c_d: a column of table a_b'],
    ],
    ['sql(`CREATE UNIQUE INDEX a_b ON c_d (e)`);', ['a_b: an index', 'c_d: a table']],
    ['sql(`UPDATE a_b SET x = 1 FROM c_d JOIN json_each(?)`);', ['a_b: a table', 'c_d: a table']],
    ['sql(`INSERT INTO a_b (c) VALUES (1)`, "CREATE TABLE IF NOT EXISTS c_d (e)");', ['a_b: a table', 'c_d: a table']],
    ["log('it comes from there');", []],
  ])('%j', (text, expected) => expect(names(text)).toEqual(expected));

  it('routes only where the API is', () => {
    expect(names("createRoute({ method: 'get', path: '/a' });", 'packages/bench/src/a.ts')).toEqual([]);
  });

  it('commands and their options, however they are put together', () => {
    const text = `import { Command, Option } from 'commander';
      const program = new Command('bellhop').description('d');
      withSettings(program.command('start').description('runs')).option('-p, --port <port>', 'port').action(run);
      const keys = program.command('keys <what>');
      keys.command('list');
      loose.command('report').addOption(new Option('--peer <name>'));`;
    expect(names(text)).toEqual([
      '--port: an option of the command line',
      'bellhop start: a command',
      'bellhop keys: a command',
      'bellhop keys list: a command',
      'report: a command',
      '--peer: an option of the command line',
    ]);
    expect(names(text.replace("'commander'", "'other'"))).toEqual([]);
  });

  it('a command its own print: what is said of it, not of its options or its work', () => {
    const print = (chain: string) =>
      declarationsOf('packages/host/src/cli.ts', `import { Command } from 'commander';\nnew Command('b').command('a')${chain};`).find(
        ({ kind }) => kind === 'a command',
      )?.print;
    const plain = print(".description('d').option('--e').action(f)");
    expect(print(".description('d').option('--g').action(h)")).toBe(plain);
    expect(print(".description('other').option('--e').action(f)")).not.toBe(plain);
    expect(print(".description('d').argument('<i>').action(f)")).not.toBe(plain);
  });

  it('with its line', () => {
    expect(declarationsOf('packages/a/src/a.ts', '// One.\n\nexport const a = 1;\n')).toMatchObject([{ name: 'a', line: 3 }]);
    expect(() => declarationsOf('packages/a/src/a.ts', '\nexport const = 1;')).toThrow(/packages\/a\/src\/a\.ts:2 cannot be parsed/);
  });
});

it('the scripts of the workspace are names, too', () => {
  expect(declarationsOf('package.json', '{\n  "scripts": { "gates:derive": "tsx" }\n}')).toMatchObject([
    { name: 'npm run gates:derive', kind: 'a script of package.json', line: 2, print: 'tsx' },
  ]);
  expect(declarationsOf('package.json', '{}')).toEqual([]);
});

it.each([
  ['packages/a/src/b/c.ts', true],
  ['packages/a/bin/a.js', true],
  ['packages/a/src/a.test.ts', false],
  ['packages/a/src/a.fixture.ts', false],
  ['packages/a/dist/a.js', false],
  ['scripts/a.ts', false],
  ['packages/a/src/a.json', false],
])('%s is read: %s', (path, expected) => expect(isSource(path)).toBe(expected));
