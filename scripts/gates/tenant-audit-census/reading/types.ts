// What type an expression has, as far as it is written down: annotations, constructions, returns and tokens, across files. It answers one
// question, whether something is the store; what it cannot tell is unknown, which is never taken for a no.
import type { Node } from 'oxc-parser';
import { type Binding, bindingOf, keyName, type Leaf } from './bindings.js';
import { ownerOfThis } from './enclosing.js';
import type { Modules } from './modules.js';
import { isFunction, type SourceFile } from './source-file.js';
import { typeNamed } from './type-declarations.js';
import { memberOf, TRANSPARENT, typeName } from './type-members.js';

/** A type where it is written: a type, a class, an interface; undefined where it is not written down. */
export type Written = { readonly file: SourceFile; readonly node: Node } | undefined;

export class Types {
  readonly #active: Node[] = [];
  readonly #keys: string[] = [];

  /** `found`: whether a declaration is the type looked for. */
  constructor(
    readonly modules: Modules,
    readonly found: (declaration: { path: string; name: string } | { from: string; name: string }) => boolean,
  ) {}

  /** Whether an expression has, or may have, the type looked for. */
  is(file: SourceFile, node: Node): boolean | 'unknown' {
    if (node.type === 'ParenthesizedExpression' || node.type === 'ChainExpression') return this.is(file, node.expression);
    if (node.type === 'ConditionalExpression') return either(this.is(file, node.consequent), this.is(file, node.alternate));
    if (node.type === 'LogicalExpression') return either(this.is(file, node.left), this.is(file, node.right));
    // A global, such as `process` or `console`, is none of ours.
    if (isGlobal(file, node)) return false;
    return this.isType(this.of(file, node));
  }

  /** Whether a type that is written somewhere is, or may be, the one looked for. */
  isType(type: Written): boolean | 'unknown' {
    return type ? this.#matches(type) : 'unknown';
  }

  /** The type of what a pattern takes apart, by its annotation or by what is assigned to it. */
  ofPattern(file: SourceFile, node: Extract<Node, { type: 'ObjectPattern' }>): Written {
    if ('typeAnnotation' in node && node.typeAnnotation) return { file, node: node.typeAnnotation.typeAnnotation };
    const parent = file.parent(node);
    if (parent?.type === 'VariableDeclarator') return parent.init ? this.of(file, parent.init) : undefined;
    if (parent?.type === 'AssignmentPattern' || parent?.type === 'AssignmentExpression') return this.of(file, parent.right);
    const outer = parent && file.parent(parent);
    const key = parent?.type === 'Property' && !parent.computed ? keyName(parent.key) : undefined;
    return outer?.type === 'ObjectPattern' && key !== undefined ? this.member(this.ofPattern(file, outer), key) : undefined;
  }

  /** The type of an expression. */
  of(file: SourceFile, node: Node): Written {
    return this.#once(node, () => this.#of(file, node));
  }

  /** The type of a member of a type. */
  member(type: Written, key: string): Written {
    return type && this.#once(type.node, () => memberOf(this, type, key), key);
  }

  #once<T>(node: Node, run: () => T, key = ''): T | undefined {
    if (this.#active.some((each, at) => each === node && this.#keys[at] === key)) return undefined;
    this.#active.push(node);
    this.#keys.push(key);
    try {
      return run();
    } finally {
      this.#active.pop();
      this.#keys.pop();
    }
  }

  #of(file: SourceFile, node: Node): Written {
    switch (node.type) {
      case 'TSAsExpression':
      case 'TSTypeAssertion':
        return { file, node: node.typeAnnotation };
      case 'ParenthesizedExpression':
      case 'TSSatisfiesExpression':
      case 'TSNonNullExpression':
      case 'ChainExpression':
        return this.of(file, node.expression);
      case 'AwaitExpression':
        return this.of(file, node.argument);
      case 'AssignmentExpression':
        return this.of(file, node.right);
      case 'ThisExpression': {
        const owner = ownerOfThis(file, node);
        return owner && { file, node: owner };
      }
      case 'NewExpression':
        return node.callee.type === 'Identifier' ? this.classNamed(file, node.callee.name, node) : undefined;
      case 'MemberExpression': {
        const key = node.computed ? undefined : keyName(node.property);
        return key === undefined ? undefined : this.member(this.of(file, node.object), key);
      }
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
        return { file, node };
      case 'CallExpression':
        return this.#given(file, node);
      case 'Identifier': {
        const binding = bindingOf(file, node.name, node);
        return binding && this.#bound(binding);
      }
      default:
        return undefined;
    }
  }

  #bound(binding: Binding): Written {
    const { file } = binding;
    if (binding.kind === 'import') {
      const exported = this.modules.imported(binding);
      const declared = exported?.kind === 'name' ? bindingOf(exported.file, exported.name, exported.file.program) : undefined;
      return declared && declared.kind !== 'import' ? this.#bound(declared) : undefined;
    }
    if (binding.kind === 'class' || binding.kind === 'function') return { file, node: binding.node };
    if (binding.kind === 'variable') {
      const { id, init } = binding.declarator;
      return this.#leaf(
        binding.leaf,
        id.typeAnnotation ? { file, node: id.typeAnnotation.typeAnnotation } : init ? this.of(file, init) : undefined,
      );
    }
    if (binding.kind !== 'parameter') return undefined;
    const param = binding.of.params[binding.index]!;
    const pattern = param.type === 'TSParameterProperty' ? param.parameter : param;
    const annotated = pattern.type === 'AssignmentPattern' ? pattern.left : pattern;
    if (annotated.typeAnnotation) return this.#leaf(binding.leaf, { file, node: annotated.typeAnnotation.typeAnnotation });
    return pattern.type === 'AssignmentPattern' ? this.of(file, pattern.right) : undefined;
  }

  #leaf({ path }: Leaf, type: Written): Written {
    return path?.reduce<Written>((each, key) => this.member(each, key), type);
  }

  /** What a call gives: by the token it resolves, or by the return type of what it calls. */
  #given(file: SourceFile, node: Extract<Node, { type: 'CallExpression' }>): Written {
    const { callee } = node;
    const token = node.arguments[0];
    if (callee.type === 'MemberExpression' && !callee.computed && keyName(callee.property) === 'resolve' && token?.type === 'Identifier') {
      const type = this.#token(file, token.name, token);
      if (type) return type;
    }
    const called = this.of(file, callee);
    if (!called) return undefined;
    const of = called.node;
    if (isFunction(of) || of.type === 'TSFunctionType' || of.type === 'TSMethodSignature') {
      return of.returnType ? { file: called.file, node: of.returnType.typeAnnotation } : undefined;
    }
    return undefined;
  }

  /** The type of `const STORE = token<Store>('STORE')`. */
  #token(file: SourceFile, name: string, at: Node): Written {
    let binding = bindingOf(file, name, at);
    if (binding?.kind === 'import') {
      const exported = this.modules.imported(binding);
      if (exported?.kind === 'outside') return this.found({ from: exported.from, name: exported.name }) ? { file, node: at } : undefined;
      binding = exported?.kind === 'name' ? bindingOf(exported.file, exported.name, exported.file.program) : undefined;
    }
    if (binding?.kind !== 'variable' || binding.declarator.init?.type !== 'CallExpression') return undefined;
    const type = binding.declarator.init.typeArguments?.params[0];
    return type && { file: binding.file, node: type };
  }

  classNamed(file: SourceFile, name: string, at: Node): Written {
    const declared = typeNamed(this.modules, file, name, at);
    if (declared?.kind === 'declared') return { file: declared.file, node: declared.node };
    return declared?.kind === 'outside' ? { file, node: at } : undefined;
  }

  #matches({ file, node }: NonNullable<Written>): boolean | 'unknown' {
    return this.#once(node, () => this.#match(file, node), '=') ?? false;
  }

  #match(file: SourceFile, node: Node): boolean | 'unknown' {
    switch (node.type) {
      case 'TSTypeReference': {
        const name = typeName(node.typeName);
        if (TRANSPARENT.has(name)) return this.#any(file, node.typeArguments?.params.slice(0, 1) ?? []);
        const declared = typeNamed(this.modules, file, name, node);
        if (!declared) return 'unknown';
        if (declared.kind === 'outside') return this.found({ from: declared.from, name: declared.name });
        if (declared.kind === 'parameter') return declared.constraint ? this.#matches({ file, node: declared.constraint }) : 'unknown';
        return this.#matches({ file: declared.file, node: declared.node });
      }
      case 'TSInterfaceDeclaration':
        if (this.found({ path: file.path, name: node.id.name })) return true;
        return this.#any(
          file,
          node.extends.map(({ expression }) => expression),
        );
      case 'ClassDeclaration':
      case 'ClassExpression':
        return this.#any(file, [
          ...(node.implements ?? []).map(({ expression }) => expression),
          ...(node.superClass ? [node.superClass] : []),
        ]);
      case 'TSTypeAliasDeclaration':
        if (this.found({ path: file.path, name: node.id.name })) return true;
        return this.#matches({ file, node: node.typeAnnotation });
      // The name in an `extends` or `implements` clause.
      case 'Identifier': {
        const declared = typeNamed(this.modules, file, node.name, node);
        if (declared?.kind === 'declared') return this.#matches({ file: declared.file, node: declared.node });
        return declared?.kind === 'outside' && this.found({ from: declared.from, name: declared.name });
      }
      case 'TSUnionType':
      case 'TSIntersectionType':
        return this.#any(file, node.types);
      case 'TSParenthesizedType':
      case 'TSTypeOperator':
        return this.#matches({ file, node: node.typeAnnotation });
      case 'TSTypeQuery': {
        const { exprName } = node;
        return exprName.type === 'Identifier' ? this.is(file, exprName) : 'unknown';
      }
      case 'TSAnyKeyword':
      case 'TSUnknownKeyword':
      case 'TSObjectKeyword':
      case 'TSIndexedAccessType':
      case 'TSConditionalType':
        return 'unknown';
      default:
        return false;
    }
  }

  #any(file: SourceFile, nodes: readonly Node[]): boolean | 'unknown' {
    return either(...nodes.map((node) => this.#matches({ file, node })));
  }
}

function either(...answers: readonly (boolean | 'unknown')[]): boolean | 'unknown' {
  return answers.includes(true) || (answers.includes('unknown') ? 'unknown' : false);
}

/** `process.stdout`, `console`: a name that nobody here declares, or a member of one. */
function isGlobal(file: SourceFile, node: Node): boolean {
  if (node.type === 'MemberExpression') return isGlobal(file, node.object);
  return node.type === 'Identifier' && bindingOf(file, node.name, node) === undefined;
}
