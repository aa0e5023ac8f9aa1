// What a member can come to: of an object written out, of a module, of `this`.
import type { Class, Node, ObjectExpression } from 'oxc-parser';
import { keyName } from './bindings.js';
import { type Closure, inFile } from './closure.js';
import { ownerOfThis } from './enclosing.js';
import { descendants } from './source-file.js';
import { unreadable, type Value } from './value.js';
import type { Values } from './values.js';

/** A property of something that was followed. `asked` is what is said to be unreadable where it cannot be found. */
export function propertyOf(values: Values, object: Value, key: string, asked: Closure): Value[] {
  if (object.kind === 'outside') return [{ ...object, name: `${object.name}.${key}` }];
  if (object.kind === 'unreadable') return [object];
  if (object.kind === 'undefined') return [unreadable(asked, `it is the ${key} of what may be undefined`)];
  const { file, node, env } = object;
  if (node.type === 'Program') {
    const exported = values.modules.exported(file, key);
    return exported ? values.exported(exported, asked) : [unreadable(asked, `${file.path} exports no ${key}`)];
  }
  if (node.type === 'ObjectExpression') return writtenProperty(values, node, key, { file, node, env });
  if (node.type === 'ClassDeclaration' || node.type === 'ClassExpression') return field(values, node, key, object, true);
  return [unreadable(asked, `it is the ${key} of what is no object written out`)];
}

/** `this.key` */
export function ownMember(values: Values, asked: Closure, key: string): Value[] {
  const owner = ownerOfThis(asked.file, asked.node);
  if (!owner) return [unreadable(asked, 'whose this it is shows at run time only')];
  if (owner.type === 'ObjectExpression') return writtenProperty(values, owner, key, { ...asked, node: owner });
  return field(values, owner, key, asked, false);
}

function writtenProperty(values: Values, object: ObjectExpression, key: string, asked: Closure): Value[] {
  const { file, env } = asked;
  // The last one wins.
  for (const property of object.properties.toReversed()) {
    if (property.type === 'SpreadElement') {
      const spread = values.follow({ file, node: property.argument, env });
      const found = spread.flatMap((value) => (value.kind === 'undefined' ? [value] : propertyOf(values, value, key, asked)));
      if (found.every(({ kind }) => kind === 'undefined')) continue;
      return found.some(({ kind }) => kind === 'undefined') ? [unreadable(asked, `its ${key} may be spread into it or not`)] : found;
    }
    const name = property.computed ? literalKey(property.key) : keyName(property.key);
    if (name === undefined) return [unreadable(asked, 'which keys it has shows at run time only')];
    if (name !== key) continue;
    if (property.kind !== 'init') return [unreadable(asked, `its ${key} is computed by a getter`)];
    return values.follow({ file, node: property.value, env });
  }
  return [{ kind: 'undefined' }];
}

/** A method, or all that is ever assigned to a field. */
function field(values: Values, owner: Class, key: string, asked: Closure, ofClass: boolean): Value[] {
  const { file } = asked;
  const found: Value[] = [];
  for (const member of owner.body.body) {
    if (member.type !== 'MethodDefinition' && member.type !== 'PropertyDefinition') continue;
    if (member.computed || keyName(member.key) !== key || member.static !== ofClass) continue;
    if (member.type === 'MethodDefinition') {
      if (member.kind !== 'method') return [unreadable(asked, `its ${key} is computed by an accessor`)];
      return [{ kind: 'written', ...inFile(file, member.value) }];
    }
    if (member.value) found.push(...values.follow(inFile(file, member.value)));
  }
  for (const node of descendants(owner.body)) {
    if (node.type !== 'AssignmentExpression' || node.left.type !== 'MemberExpression' || node.left.computed) continue;
    if (node.left.object.type !== 'ThisExpression' || keyName(node.left.property) !== key) continue;
    found.push(...values.follow(inFile(file, node.right)));
  }
  return found.length > 0 ? found : [unreadable(asked, `its ${key} is not set in its class`)];
}

/** The name in `object['name']`. */
export function literalKey(key: Node): string | undefined {
  return key.type === 'Literal' && typeof key.value === 'string' ? key.value : undefined;
}
