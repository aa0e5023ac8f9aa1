// Finds every statement that the packages define, by reading their code. It runs none of it, and leaves out nothing that it cannot name.
import { type Expression, parseSync, type Span, type Statement, Visitor } from 'oxc-parser';
import { lineOf } from '../framework/finding.js';

export interface Definition {
  /** File, `#`, and the name of the declaration at the top level of the file that makes it. */
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** Undefined where the call does not spell it out. */
  readonly label: string | undefined;
}

const MAKER = 'defineStatement';

/** Sources of packages; tests and their fixtures make statements that nobody ships. */
export function mayDefine(path: string): boolean {
  return /^packages\/[^/]+\/src\/.*\.ts$/.test(path) && !/\.(test|fixture)\.ts$/.test(path);
}

/** Throws where the text is no TypeScript. */
export function findDefinitions(file: string, text: string): Definition[] {
  if (!text.includes(MAKER)) return [];
  const { program, module, errors } = parseSync(file, text);
  const [error] = errors;
  if (error) throw new Error(`${file} cannot be parsed: ${error.message}`);

  // Also under the name that an import gives it.
  const imports = module.staticImports.flatMap(({ entries }) => entries);
  const makers = new Set([MAKER, ...imports.filter((each) => each.importName.name === MAKER).map((each) => each.localName.value)]);
  const parts = program.body.flatMap(declarations);
  const found: Definition[] = [];
  new Visitor({
    CallExpression({ callee, arguments: [given], start }) {
      if (!isMaker(callee, makers)) return;
      const line = lineOf(text, start);
      const declared = parts.find(({ part }) => part.start <= start && start < part.end)?.name;
      found.push({ name: `${file}#${declared ?? `line ${line}`}`, file, line, label: given && labelOf(given) });
    },
  }).visit(program);
  return found;
}

function isMaker(callee: Expression, makers: ReadonlySet<string>): boolean {
  if (callee.type === 'Identifier') return makers.has(callee.name);
  return callee.type === 'MemberExpression' && !callee.computed && callee.property.type === 'Identifier' && callee.property.name === MAKER;
}

/** The parts of a top-level statement that declare something, each with its name. */
function declarations(top: Statement): { part: Span; name: string }[] {
  const declared = top.type === 'ExportNamedDeclaration' || top.type === 'ExportDefaultDeclaration' ? top.declaration : top;
  if (declared?.type === 'VariableDeclaration') {
    return declared.declarations.flatMap((part) => (part.id.type === 'Identifier' ? [{ part, name: part.id.name }] : []));
  }
  if ((declared?.type === 'FunctionDeclaration' || declared?.type === 'ClassDeclaration') && declared.id) {
    return [{ part: declared, name: declared.id.name }];
  }
  return [];
}

function labelOf(given: { readonly type: string }): string | undefined {
  if (given.type !== 'ObjectExpression') return undefined;
  for (const property of (given as Extract<Expression, { type: 'ObjectExpression' }>).properties) {
    if (property.type !== 'Property' || property.key.type !== 'Identifier' || property.key.name !== 'label') continue;
    if (property.value.type === 'Literal' && typeof property.value.value === 'string') return property.value.value;
  }
  return undefined;
}
