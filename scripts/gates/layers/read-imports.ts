// Every way in which a source file names another module, read from its syntax tree: static imports and re-exports, `import()`, types through
// `import('…')`, `import x = require()`, require and require.resolve (createRequire's, too), import.meta.resolve, augmentations of a module, and
// triple-slash references. Not seen: a require function that is handed on under another name, code inside strings, URLs given to workers.
import { type Argument, type Expression, type ModuleExportName, parseSync, Visitor } from 'oxc-parser';
import { lineOf } from '../framework/finding.js';

export interface ImportReference {
  /** What is imported; null where only running the file would tell. */
  readonly specifier: string | null;
  /** The specifier or its expression as written, white space collapsed. */
  readonly written: string;
  readonly line: number;
  /** Gone from the emitted code: a type and nothing else. */
  readonly erased: boolean;
  /** Makes the module load the other one before itself. */
  readonly loads: boolean;
  /** The names taken from the other module; `*` for all of it. */
  readonly names: readonly string[];
}

/** Throws on a file that cannot be parsed. */
export function readImports(path: string, text: string): ImportReference[] {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) {
    const { message, labels } = errors[0]!;
    throw new Error(`${path}:${lineOf(text, labels[0]?.start ?? 0)}: cannot be parsed: ${message}. Mend its syntax.`);
  }

  const found: (Omit<ImportReference, 'line' | 'written'> & { start: number; end: number })[] = [];
  const add = (node: { start: number; end: number }, reference: Partial<ImportReference>) =>
    found.push({ specifier: null, erased: false, loads: false, names: ['*'], ...reference, start: node.start, end: node.end });
  const addArgument = (call: Expression, argument: Argument | undefined) => {
    const node = argument ?? call;
    add(node, { specifier: argument === undefined || argument.type === 'SpreadElement' ? null : literal(argument) });
  };

  /** `require`, and whatever createRequire(import.meta.url) was assigned to. */
  const requires = new Set(['require']);
  const creators = new Set<string>();
  for (const statement of program.body) {
    if (statement.type !== 'ImportDeclaration' || !/^(node:)?module$/.test(statement.source.value)) continue;
    for (const specifier of statement.specifiers) {
      if (specifier.type === 'ImportSpecifier' && nameOf(specifier.imported) === 'createRequire') creators.add(specifier.local.name);
    }
  }
  const createsRequire = (node: Expression) =>
    node.type === 'CallExpression' &&
    ((node.callee.type === 'Identifier' && creators.has(node.callee.name)) || propertyOf(node.callee) === 'createRequire');
  const isRequire = (node: Expression) => (node.type === 'Identifier' && requires.has(node.name)) || createsRequire(node);

  // Names first: a function may use a require function that is assigned further down.
  new Visitor({
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && init?.type === 'CallExpression' && createsRequire(init) && isOwnUrl(init.arguments[0]))
        requires.add(id.name);
    },
  }).visit(program);

  new Visitor({
    ImportDeclaration({ source, importKind, specifiers }) {
      const erased = importKind === 'type';
      const names = specifiers.map((each) => {
        if (each.type === 'ImportNamespaceSpecifier') return '*';
        return each.type === 'ImportDefaultSpecifier' ? 'default' : nameOf(each.imported);
      });
      // `import { type X }` keeps its module: with verbatimModuleSyntax it loads it all the same.
      add(source, { specifier: source.value, erased, loads: !erased, names });
    },
    ExportNamedDeclaration({ source, exportKind, specifiers }) {
      if (!source) return;
      const erased = exportKind === 'type';
      add(source, { specifier: source.value, erased, loads: !erased, names: specifiers.map(({ local }) => nameOf(local)) });
    },
    ExportAllDeclaration({ source, exportKind }) {
      const erased = exportKind === 'type';
      add(source, { specifier: source.value, erased, loads: !erased });
    },
    ImportExpression({ source }) {
      add(source, { specifier: literal(source) });
    },
    TSImportType({ source, qualifier }) {
      let first = qualifier;
      while (first?.type === 'TSQualifiedName') first = first.left as typeof first;
      add(source, { specifier: source.value, erased: true, names: [first?.type === 'Identifier' ? first.name : '*'] });
    },
    TSImportEqualsDeclaration({ moduleReference, importKind }) {
      if (moduleReference.type !== 'TSExternalModuleReference') return;
      const { expression } = moduleReference;
      const erased = importKind === 'type';
      add(expression, { specifier: expression.value, erased, loads: !erased });
    },
    TSModuleDeclaration({ id }) {
      if (id.type === 'Literal') add(id, { specifier: id.value, erased: true });
    },
    CallExpression(node) {
      const { callee } = node;
      if (createsRequire(node) && !isOwnUrl(node.arguments[0])) {
        add(node, {});
        return;
      }
      if (isRequire(callee)) addArgument(node, node.arguments[0]);
      else if (callee.type === 'MemberExpression' && propertyOf(callee) === 'resolve') {
        if (isRequire(callee.object) || isImportMeta(callee.object)) addArgument(node, node.arguments[0]);
      }
    },
  }).visit(program);

  for (const comment of comments) {
    const reference = comment.type === 'Line' ? /^\/\s*<reference\s+(path|types)\s*=\s*(["'])(.*?)\2/.exec(comment.value) : null;
    if (!reference) continue;
    const [, kind, , target = ''] = reference;
    add(comment, { specifier: kind === 'path' && !/^[./]/.test(target) ? `./${target}` : target, erased: true });
  }

  return found
    .sort((a, b) => a.start - b.start)
    .map(({ start, end, ...reference }) => ({
      ...reference,
      written: text.slice(start, end).replaceAll(/\s+/g, ' '),
      line: lineOf(text, start),
    }));
}

function literal(node: Expression): string | null {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'TemplateLiteral' && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? null;
  return node.type === 'ParenthesizedExpression' ? literal(node.expression) : null;
}

function nameOf(name: ModuleExportName): string {
  return name.type === 'Literal' ? name.value : name.name;
}

function propertyOf(node: Expression): string | undefined {
  if (node.type !== 'MemberExpression') return undefined;
  return node.property.type === 'Identifier' && !node.computed ? node.property.name : (literal(node.property as Expression) ?? undefined);
}

function isImportMeta(node: Expression): boolean {
  return node.type === 'MetaProperty' && node.meta.name === 'import';
}

/** Whether a require made from it resolves as the file's own imports do. */
function isOwnUrl(argument: Argument | undefined): boolean {
  if (argument?.type === 'Identifier') return argument.name === '__filename';
  return argument?.type === 'MemberExpression' && isImportMeta(argument.object) && ['url', 'filename'].includes(propertyOf(argument) ?? '');
}
