// The write calls of the product: each `store.write`, and each step of a `store.batch`, with the statements it can run and the context it gives.
// A call that cannot be read is a finding. What is not a call of the store, by its type, is none.
import type { Expression, MemberExpression, Node } from 'oxc-parser';
import type { Finding } from '../framework/finding.js';
import { stepsOf } from './batch-steps.js';
import { keyName } from './reading/bindings.js';
import { type Closure, inFile } from './reading/closure.js';
import { placeOf } from './reading/enclosing.js';
import { literalKey } from './reading/members.js';
import type { SourceFile } from './reading/source-file.js';
import type { Types } from './reading/types.js';
import { type Unread, unreadable, type Value } from './reading/value.js';
import type { Values } from './reading/values.js';
import { type StatementRead, statementsAmong } from './statements.js';
import { contextsAmong, distinct, type WriteContext } from './write-context.js';

export interface WriteSite {
  readonly file: SourceFile;
  /** The call of `write`, or the object that is a step. */
  readonly node: Node;
  readonly call: 'write' | 'batch';
  /** `SqlEventStore.markFannedOut` */
  readonly place: string;
  readonly statements: readonly StatementRead[];
  readonly contexts: readonly WriteContext[];
  /** Where the scope is written: an argument, or a property; undefined where none is. */
  readonly scope: Node | undefined;
}

export interface SitesRead {
  readonly sites: readonly WriteSite[];
  /** Calls of `read` and `readRows`, and steps that only read. */
  readonly reads: number;
  /** Statements that a call of `write`, `batch`, `read` or `readRows` runs. */
  readonly run: ReadonlySet<Node>;
  readonly findings: readonly Finding[];
}

const READS: ReadonlySet<string> = new Set(['read', 'readRows']);
const METHODS: ReadonlySet<string> = new Set(['write', 'batch', ...READS]);

export const HOW_TO = {
  statement:
    'Name the statement where it is run: an import, a const, a member of an object that is written out, a condition between such, or a function that returns one. A parameter is followed in a #private method or a function that is not exported.',
  scope:
    'Write { organizationId } or { global: "why" } into the call, or name a const, or a function that returns one; reasons are written out.',
  steps:
    'Write the steps as an array in the call, or as a const array in the same function, with push, map and spread; not through a loop or another function that adds to it.',
  definition: 'Write label, operation and table as texts into defineStatement, or as consts.',
  receiver: 'Annotate it with its type, `Store` or whatever it is, where it is declared.',
  method:
    'Call store.write(…), store.batch(…), store.read(…) and store.readRows(…) by name, on the store: what is called by another name is not counted.',
} as const;

export class SiteReader {
  readonly #sites = new Map<Node, WriteSite>();
  readonly #run = new Set<Node>();
  readonly #findings: Finding[] = [];
  #reads = 0;

  constructor(
    readonly values: Values,
    readonly types: Types,
  ) {}

  read(files: readonly SourceFile[]): SitesRead {
    for (const file of files) for (const node of file.nodes) this.#look(file, node);
    return { sites: [...this.#sites.values()], reads: this.#reads, run: this.#run, findings: this.#findings };
  }

  #look(file: SourceFile, node: Node): void {
    if (node.type === 'TSIndexedAccessType') this.#lookAtType(file, node);
    if (node.type === 'ObjectPattern') this.#lookAtPattern(file, node);
    if (node.type !== 'MemberExpression') return;
    const key = node.computed ? literalKey(node.property) : keyName(node.property);
    if (key !== undefined && !METHODS.has(key)) return;
    const isStore = this.types.is(file, node.object);
    if (isStore === false) return;
    const text = textOf(file, node);
    const args = argumentsOf(file, node);
    if (key === undefined || !args) {
      // Of what is not known to be the store only calls are suspicious.
      if (isStore === true) this.#problem(file, node, `${text} takes a method of the store to call it elsewhere`, HOW_TO.method);
      return;
    }
    if (isStore === 'unknown') {
      // The store's write and its reads take a statement and its parameters at least.
      if (key === 'batch' || args.length >= 2)
        this.#problem(
          file,
          node,
          `${text}(…) may be a call of the store: what ${textOf(file, node.object)} is cannot be read`,
          HOW_TO.receiver,
        );
      return;
    }
    if (args.some(({ type }) => type === 'SpreadElement')) {
      this.#problem(file, node, `the arguments of ${text} are spread into it`, HOW_TO.method);
      return;
    }
    const at = (argument: Node | undefined) => argument && inFile(file, argument);
    if (key === 'batch') this.#batch(inFile(file, node), at(args[0]));
    else if (READS.has(key)) this.#readCall(inFile(file, node), key, at(args[0]));
    else this.#write(inFile(file, file.parent(node)!), at(args[0]), at(args[2]));
  }

  #write(call: Closure, statement: Closure | undefined, scope: Closure | undefined): void {
    const statements = statement ? this.values.of(statement) : [];
    this.#site(call, 'write', statements, scope ? this.values.of(scope) : [{ kind: 'undefined' }], scope?.node);
  }

  #batch(call: Closure, list: Closure | undefined): void {
    const { steps, unread } = list ? stepsOf(this.values, list) : { steps: [], unread: [unreadable(call, 'it is given no steps')] };
    for (const each of unread) this.#unread(call, 'the steps', each, HOW_TO.steps);
    for (const step of steps) {
      const object = step.node;
      const scope =
        object.type === 'ObjectExpression'
          ? object.properties.find((property) => property.type === 'Property' && keyName(property.key) === 'scope')
          : undefined;
      this.#site(step, 'batch', this.values.property(step, 'statement'), this.values.property(step, 'scope'), scope);
    }
  }

  #readCall(call: Closure, method: string, statement: Closure | undefined): void {
    this.#reads += 1;
    const { statements, unread } = statementsAmong(this.values, statement ? this.values.of(statement) : [], call);
    for (const each of unread) this.#unread(call, 'the statement', each, HOW_TO.statement);
    for (const { node, label, operation, table } of statements) {
      this.#run.add(node);
      if (operation === 'select') continue;
      this.#problem(
        call.file,
        call.node,
        `${label} goes through ${method}, where no audit sees that it is the ${operation} of ${table}`,
        'Send it through store.write(statement, params, scope).',
      );
    }
  }

  #site(at: Closure, call: WriteSite['call'], found: readonly Value[], scopes: readonly Value[], scope: Node | undefined): void {
    const { file, node } = at;
    const { statements, unread } = statementsAmong(this.values, found, at);
    for (const each of unread) this.#unread(at, 'the statement', each, HOW_TO.statement);
    for (const statement of statements) this.#run.add(statement.node);
    const writes = statements.filter(({ operation }) => operation !== 'select');
    if (writes.length === 0 && unread.length === 0) {
      this.#reads += 1;
      return;
    }
    const contexts = contextsAmong(this.values, scopes);
    for (const context of contexts) {
      if (context.kind === 'unreadable') this.#unread(at, 'the scope', unreadable(context.at, context.why), HOW_TO.scope);
    }
    // One step may be reached from several batches.
    const before = this.#sites.get(node);
    this.#sites.set(node, {
      file,
      node,
      call,
      place: placeOf(file, node),
      statements: [...(before?.statements ?? []), ...writes].filter(
        (one, index, all) => all.findIndex((other) => keyOf(other) === keyOf(one)) === index,
      ),
      contexts: distinct([...(before?.contexts ?? []), ...contexts]),
      scope,
    });
  }

  /** `Store['write']` as the type of something else: its calls go by another name. */
  #lookAtType(file: SourceFile, node: Extract<Node, { type: 'TSIndexedAccessType' }>): void {
    const { objectType, indexType } = node;
    const key = indexType.type === 'TSLiteralType' && indexType.literal.type === 'Literal' ? indexType.literal.value : undefined;
    if (typeof key !== 'string' || !METHODS.has(key) || this.types.isType({ file, node: objectType }) !== true) return;
    this.#problem(file, node, `${textOf(file, node)} makes a method of the store the type of something else`, HOW_TO.method);
  }

  /** `const { write } = store` */
  #lookAtPattern(file: SourceFile, node: Extract<Node, { type: 'ObjectPattern' }>): void {
    const taken = node.properties.some((property) => property.type === 'RestElement' || METHODS.has(keyName(property.key) ?? ''));
    if (!taken || this.types.isType(this.types.ofPattern(file, node)) !== true) return;
    this.#problem(file, node, `${textOf(file, node)} takes methods out of the store to call them elsewhere`, HOW_TO.method);
  }

  #unread(asked: Closure, what: string, { file, node, why }: Unread, mend: string): void {
    const text = textOf(file, node);
    const where = file === asked.file && file.line(node) === file.line(asked.node) ? '' : ` (${file.path}:${file.line(node)})`;
    this.#problem(asked.file, asked.node, `${what} of this call cannot be read: ${text}${where}: ${why}`, mend);
  }

  #problem(file: SourceFile, node: Node, what: string, mend: string): void {
    const finding = { file: file.path, line: file.line(node), what, mend };
    if (!this.#findings.some((other) => other.file === finding.file && other.line === finding.line && other.what === what))
      this.#findings.push(finding);
  }
}

function keyOf({ file, node, label, operation, table }: StatementRead): string {
  return JSON.stringify([file.path, node.start, label, operation, table]);
}

/** The arguments where the member is called at once. */
function argumentsOf(
  file: SourceFile,
  node: MemberExpression,
): readonly (Expression | Extract<Node, { type: 'SpreadElement' }>)[] | undefined {
  const call = file.parent(node);
  return call?.type === 'CallExpression' && call.callee === node ? call.arguments : undefined;
}

function textOf(file: SourceFile, { start, end }: Node): string {
  const text = file.text.slice(start, end).replaceAll(/\s+/g, ' ');
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
