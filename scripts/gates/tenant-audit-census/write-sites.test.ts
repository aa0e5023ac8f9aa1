import { describe, expect, it } from 'vitest';
import { censusOf, IMPORTS, writesIn } from './census-of.fixture.js';

const ORG = '{ organizationId: id }';
const one = (context = 'organizationId') => [`note.insert ${context}`];
const two = [...one(), 'note.purge organizationId'];

describe('the statement of a write call', () => {
  it.each([
    ['an import', `export const f = (store: Store) => store.write(insertNote, {}, ${ORG});`, one()],
    ['a member of a module', `export const f = (store: Store) => store.write(all.insertNote, {}, ${ORG});`, one()],
    ['a const', `export function f(store: Store) { const s = insertNote; return store.write(s, {}, ${ORG}); }`, one()],
    [
      'a member of an object',
      `const S = { add: insertNote } as const; export const f = (store: Store) => store.write(S.add, {}, ${ORG});`,
      one(),
    ],
    ['a quoted member', `const S = { add: insertNote }; export const f = (store: Store) => store.write(S['add'], {}, ${ORG});`, one()],
    ['a condition', `export const f = (store: Store, a: boolean) => store.write(a ? insertNote : purgeNotes, {}, ${ORG});`, two],
    [
      'a choice',
      `export const f = (store: Store, s?: never) => { const t = undefined; return store.write(t ?? insertNote, {}, ${ORG}); };`,
      one(),
    ],
    [
      'what a function returns',
      `function s(a: boolean) { if (a) return insertNote; return purgeNotes; } export const f = (store: Store) => store.write(s(true), {}, ${ORG});`,
      two,
    ],
    [
      'what a cache gives back',
      `const known = new Map(); function s(n: number) { let found = known.get(n); if (!found) { found = insertNote; known.set(n, found); } return found; }
       export const f = (store: Store) => store.write(s(1), {}, ${ORG});`,
      one(),
    ],
    [
      'the parameter of a private method',
      `export class A { readonly #store!: Store; #run(s: Statement) { return this.#store.write(s, {}, ${ORG}); } a() { return this.#run(insertNote); } b() { return this.#run(purgeNotes); } }`,
      two,
    ],
    [
      'what the parameter of a local function gives',
      `const run = (store: Store, make: () => Statement) => store.write(make(), {}, ${ORG}); export const f = (store: Store) => run(store, () => insertNote);`,
      one(),
    ],
    [
      'an element of a list',
      `export async function f(store: Store) { for (const s of [insertNote, purgeNotes]) await store.write(s, {}, ${ORG}); }`,
      two,
    ],
    [
      'a field of the class',
      `export class A { readonly #add = insertNote; a(store: Store) { return store.write(this.#add, {}, ${ORG}); } }`,
      one(),
    ],
    [
      'a default',
      `const run = (store: Store, s = insertNote) => store.write(s, {}, ${ORG}); export const f = (store: Store) => run(store);`,
      one(),
    ],
    [
      'written out, in a package that has no factory',
      `const s = { label: 'note.touch', operation: 'update', table: 'note', sql: 'UPDATE note SET a = 1' }; export const f = (store: Store) => store.write(s, {}, ${ORG});`,
      ['note.touch organizationId'],
    ],
    ['one that only reads', `export const f = (store: Store) => store.write(listNotes, {}, undefined);`, []],
  ])('is %s', (_title, text, writes) => expect(writesIn(text)).toEqual({ writes, findings: [] }));

  it('is followed through re-exports, under other names', () => {
    const text = `import { add as put } from './again.js'; export const f = (store: Store) => store.write(put, {}, ${ORG});`;
    const more = { 'again.ts': "export { insertNote as add } from './star.js';", 'star.ts': "export * from './statements.js';" };
    expect(writesIn(text, more)).toEqual({ writes: one(), findings: [] });
  });

  it('is what a function of another file makes of its arguments', () => {
    const text = `import { statementOn } from './make.js'; const s = statementOn('note'); export const f = (store: Store) => store.write(s, {}, ${ORG});`;
    const make = `import { defineStatement } from '@bellhop/store';
      export const statementOn = (table: string) => defineStatement({ label: \`\${table}.touch\`, operation: 'update', table, sql: 'UPDATE note SET a = 1' });`;
    expect(writesIn(text, { 'make.ts': make }).writes).toEqual(['note.touch organizationId']);
  });

  it.each([
    [
      'any caller gives',
      `export const f = (store: Store, s: Statement) => store.write(s, {}, ${ORG});`,
      /^the statement of this call cannot be read: s: it is a parameter of f, which is exported$/,
    ],
    [
      'a public method is given',
      `export class A { a(store: Store, s: Statement) { return store.write(s, {}, ${ORG}); } }`,
      /the method a, which anybody may call/,
    ],
    [
      'a callback is handed',
      `const run = (s: Statement, store: Store) => store.write(s, {}, ${ORG}); export const g = () => h(run);`,
      /its function is handed on/,
    ],
    [
      'shows at run time only',
      `const S: Record<string, Statement> = { a: insertNote }; export const f = (store: Store, k: string) => store.write(S[k], {}, ${ORG});`,
      /which member it is/,
    ],
    [
      'another module gives',
      `import { s } from 'elsewhere'; export const f = (store: Store) => store.write(s, {}, ${ORG});`,
      /no statement of defineStatement/,
    ],
    ['makes itself', `const a = () => a(); export const f = (store: Store) => store.write(a(), {}, ${ORG});`, /cannot be read/],
    ['is spread', `export const f = (store: Store, args: never) => store.write(...args);`, /are spread into it/],
  ])('cannot be read where it is what %s', (_title, text, finding) => {
    const { writes, findings } = writesIn(text);
    expect(findings).toEqual([expect.stringMatching(finding)]);
    expect(writes.every((write) => write.startsWith('unreadable'))).toBe(true);
  });
});

describe('the context of a write call', () => {
  const scoped = (scope: string, before = '') =>
    writesIn(`${before}\nexport function f(store: Store, id: string, a: boolean) { return store.write(insertNote, {}, ${scope}); }`);
  it.each([
    ['an organization', '{ organizationId: id }', 'organizationId'],
    ['several', '{ organizationId: [id] }', 'organizationId'],
    ['a reason', "{ global: 'why' }", 'global "why"'],
    ['a reason in two parts', "{ global: 'why' + ' not' }", 'global "why not"'],
    ['either', "a ? { global: 'why' } : { organizationId: id }", 'organizationId or global "why"'],
    ['the reason first, as the audit looks', "{ organizationId: id, global: 'why' }", 'global "why"'],
    ['undefined', 'undefined', 'neither'],
    ['nothing', '', 'neither'],
    ['an empty object', '{}', 'neither'],
    ['an empty reason', "{ global: '' }", 'neither'],
    ['an empty organization', "{ organizationId: '' }", 'neither'],
    ['no organization', '{ organizationId: undefined }', 'neither'],
    ['an organization or none', 'a ? { organizationId: id } : undefined', 'organizationId or neither'],
    ['null', 'null', 'neither'],
  ])('%s', (_title, scope, context) => expect(scoped(scope)).toEqual({ writes: one(context), findings: [] }));

  it.each([
    ['a const', 'SCOPE', "const SCOPE = { global: 'why' };", 'global "why"'],
    [
      'a function',
      'scopeOf(id)',
      "const scopeOf = (id: string | null) => id === null ? { global: 'root' } : { organizationId: id };",
      'organizationId or global "root"',
    ],
    [
      'a function that is told which',
      'scopeOf(null)',
      "const scopeOf = (id: string | null) => id === null ? { global: 'root' } : { organizationId: id };",
      'global "root"',
    ],
    [
      'a function that may give none',
      'scopeOf(id)',
      'function scopeOf(id: string) { if (id) return { organizationId: id }; }',
      'organizationId or neither',
    ],
    ['a frozen const', 'SCOPE', "const SCOPE = Object.freeze({ global: 'why' } as const);", 'global "why"'],
  ])('%s', (_title, scope, before, context) => expect(scoped(scope, before)).toEqual({ writes: one(context), findings: [] }));

  it('a variable that may be read before it was set', () => {
    const text = (type: string) =>
      `export function f(store: Store, a: boolean, id: string) { let scope${type}; if (a) scope = ${ORG}; return store.write(insertNote, {}, scope); }`;
    expect(writesIn(text(': WriteScope | undefined')).writes).toEqual(one('organizationId or neither'));
    expect(writesIn(text(': WriteScope')).writes).toEqual(one());
  });

  it.each([
    ['a parameter', 'scope', 'export function f(store: Store, scope: WriteScope) { return store.write(insertNote, {}, scope); }'],
    ['keys that are spread', '{ ...id }', 'export function f(store: Store, id: never) { return store.write(insertNote, {}, { ...id }); }'],
    [
      'a reason that is given',
      'why',
      'export function f(store: Store, why: string) { return store.write(insertNote, {}, { global: why }); }',
    ],
  ])('cannot be read: %s', (_title, text, source) => {
    const { writes, findings } = writesIn(source);
    expect(writes).toEqual(one('unreadable'));
    expect(findings).toEqual([expect.stringContaining(`the scope of this call cannot be read: ${text}`)]);
  });
});

describe('the steps of a batch', () => {
  const step = (statement: string, rest = `params: {}, scope: ${ORG}`) => `{ statement: ${statement}, ${rest} }`;
  const batch = (body: string) => writesIn(`export async function f(store: Store, id: string, a: boolean, ids: string[]) { ${body} }`);
  it.each([
    ['are written out', `await store.batch([${step('insertNote')}, ${step('purgeNotes')}]);`, two],
    ['are a const with pushes', `const s = [${step('insertNote')}]; if (a) s.push(${step('purgeNotes')}); await store.batch(s);`, two],
    ['are spread', `const s = [${step('insertNote')}]; await store.batch([...s, ...(a ? [${step('purgeNotes')}] : [])]);`, two],
    ['are mapped', `await store.batch(ids.map((id) => (${step('insertNote')})));`, one()],
    [
      'are mapped from statements',
      `await store.batch([insertNote, purgeNotes].map((statement) => ({ statement, params: {}, scope: ${ORG} })));`,
      two,
    ],
    ['are flattened', `await store.batch(ids.flatMap((id) => [${step('insertNote')}, ${step('purgeNotes')}]));`, two],
    [
      'are joined and sifted',
      `const s = [${step('insertNote')}]; await store.batch(s.concat([${step('purgeNotes')}]).filter(Boolean));`,
      two,
    ],
    ['give no scope', `await store.batch([${step('insertNote', 'params: {}')}]);`, one('neither')],
    ['only read', `await store.batch([{ statement: listNotes, params: {} }]);`, []],
    ['are made by a function', `const make = () => [${step('insertNote')}]; await store.batch(make());`, one()],
  ])('%s', (_title, body, writes) => expect(batch(body)).toEqual({ writes, findings: [] }));

  it('that two batches share is one', () => {
    const { writes } = batch(`const s = [${step('insertNote')}]; if (a) return store.batch(s); await store.batch([...s]);`);
    expect(writes).toEqual(one());
  });

  it.each([
    ['are given', 'await store.batch(ids);', /of this call cannot be read: ids: it is a parameter of f/],
    ['another function may add to', 'const s: BatchStep[] = []; fill(s); await store.batch(s);', /the list is handed on in line \d+/],
    [
      'are put into places',
      `const s: BatchStep[] = []; s[0] = ${step('insertNote')}; await store.batch(s);`,
      /the list is changed in line \d+/,
    ],
    ['are copied', 'await store.batch([{ ...ids[0] }]);', /the statement of this call cannot be read: ids\[0\]/],
  ])('cannot be read where they %s', (_title, body, finding) => {
    expect(batch(body).findings).toContainEqual(expect.stringMatching(finding));
  });
});

describe.each(['read', 'readRows'])('a %s', (method) => {
  it('that writes is a finding, one that reads is none', () => {
    const read = (statement: string) =>
      writesIn(`export const f = (store: Store) => store.${method}(${statement}, {}, () => {});`).findings;
    expect(read('insertNote')).toEqual([`note.insert goes through ${method}, where no audit sees that it is the insert of note`]);
    expect(read('listNotes')).toEqual([]);
  });

  it('is counted among the reads', () => {
    const reads = (text: string) => censusOf({ 'a.ts': `${IMPORTS}${text}` }).reads;
    const before = reads('');
    expect(reads(`export const f = (store: Store) => store.${method}(listNotes, {}, () => {});`)).toBe(before + 1);
    expect(reads(`export const f = (store: Store) => store.${method}Not(listNotes, {}, () => {});`)).toBe(before);
  });

  it('taken out of the store is a finding', () => {
    expect(writesIn(`export const f = ({ ${method} }: Store) => ${method};`).findings).toEqual([
      expect.stringContaining('takes methods out of the store'),
    ]);
  });
});

describe('the receiver of a write call', () => {
  const call = 'write(insertNote, {}, { organizationId: id })';
  it.each([
    [
      'a field',
      `export class A { readonly #store: Store; constructor(store: Store) { this.#store = store; } a() { return this.#store.${call}; } }`,
    ],
    ['a field of the constructor', `export class A { constructor(private readonly store: Store) {} a() { return this.store?.${call}; } }`],
    ['an option', `interface Options { readonly store: Store } export const f = ({ store }: Options) => store.${call};`],
    [
      'an option of an option',
      `type Options = { readonly inner: Readonly<{ store?: Store }> }; export const f = (options: Options) => options.inner.store!.${call};`,
    ],
    ['what a token gives', `export const f = (ctx: Ctx) => ctx.container.resolve(STORE).${call};`],
    ['a variable of that', `export const f = (ctx: Ctx) => { const store = ctx.container.resolve(STORE); return store.${call}; };`],
    [
      'what a function gives',
      `declare function open(): Promise<Store>; const make = async (): Promise<Store> => open(); export const f = async () => (await make()).${call};`,
    ],
    ['part of it', `export const f = (store: Pick<Store, 'write'>) => store.${call};`],
    ['what extends it', `interface Wide extends Store { more: 1 } export const f = (store: Wide) => store.${call};`],
    ['a class that is one', `class Own implements Store {} export const f = () => new Own().${call};`],
    ['one of several', `export const f = (store: Store | undefined) => store?.${call};`],
    ['a type parameter', `export const f = <S extends Store>(store: S) => store.${call};`],
    ['a condition', `export const f = (a: Store, b: Store, c: boolean) => (c ? a : b).${call};`],
    ['a cast', `export const f = (store: unknown) => (store as Store).${call};`],
  ])('is the store: %s', (_title, text) => expect(writesIn(text)).toEqual({ writes: one(), findings: [] }));

  it.each([
    ['a stream', "process.stdout.write('a', 'b');"],
    ['one of another type', "interface Log { write(a: string, b: string): void } export const f = (log: Log) => log.write('a', 'b');"],
    ['one of another module', "import type { Writable } from 'node:stream'; export const f = (out: Writable) => out.write('a', 'b');"],
    ['a class of its own', 'export class A { readonly write = (a: number, b: number) => a + b; a() { return this.write(1, 2); } }'],
    ['a call with less than a statement and its parameters', 'export const f = (out: any) => out.write(1);'],
  ])('is none: %s', (_title, text) => expect(writesIn(text)).toEqual({ writes: [], findings: [] }));

  it.each([
    ['may be anything', `export const f = (store: any) => store.${call};`, /may be a call of the store: what store is cannot be read/],
    ['a callback without types', `export const f = () => withStore((store) => store.${call});`, /may be a call of the store/],
    ['an unknown batch', 'export const f = (store: any) => store.batch([]);', /may be a call of the store/],
    ['a computed method', "export const f = (store: Store, m: 'write') => store[m](insertNote, {}, {});", /takes a method of the store/],
    ['a bound method', 'export const f = (store: Store) => store.batch.bind(store);', /takes a method of the store/],
    ['a method taken out', 'export const f = ({ write }: Store) => write(insertNote, {}, undefined);', /takes methods out of the store/],
    [
      'a method taken out of an option',
      'export const f = ({ store: { write } }: { store: Store }) => write;',
      /takes methods out of the store/,
    ],
    [
      'the type of a method',
      "export const f = (write: Store['write']) => write(insertNote, {}, undefined);",
      /makes a method of the store the type/,
    ],
  ])('cannot be told: %s', (_title, text, finding) => {
    expect(writesIn(text)).toEqual({ writes: [], findings: [expect.stringMatching(finding)] });
  });
});
