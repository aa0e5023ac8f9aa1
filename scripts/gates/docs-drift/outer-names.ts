// What a source gives the world beside its exports: environment variables, metrics, options that a schema checks, HTTP routes, what it keeps in
// the database, and the command line.
import type { Node } from 'oxc-parser';
import { lineOf } from '../framework/finding.js';
import { commandLine } from './command-line.js';
import { sqlNames, tableNames } from './database-names.js';
import type { Declaration } from './declaration.js';
import { calledMethod, documentation, fingerprint, keyOf, type Source, stringOf, walk } from './syntax.js';

/** A name that a node gives, and where it is written. */
export interface Named extends Pick<Declaration, 'name' | 'kind' | 'print' | 'owner'> {
  readonly at: Node;
}

/** What a node gives by itself, whatever it stands in; `around` holds what it stands in, the nearest last. */
type Reader = (node: Node, around: readonly Node[], source: Source) => readonly Named[];

const READERS: readonly Reader[] = [variables, metrics, schemaFields, routes, tableNames, sqlNames];

export function outerNames(source: Source): Declaration[] {
  const found: Declaration[] = [];
  walk(source.program, (node, around) => {
    for (const read of READERS) {
      for (const { at, ...named } of read(node, around, source)) {
        found.push({ ...named, path: source.path, line: lineOf(source.text, at.start) });
      }
    }
  });
  return [...found, ...commandLine(source)];
}

function variables(node: Node, around: readonly Node[]): Named[] {
  const text = node.type === 'TemplateElement' ? node.value.cooked : node.type === 'Literal' ? node.value : undefined;
  if (typeof text !== 'string') return [];
  return [...text.matchAll(/\bBELLHOP_[A-Z0-9_]+\b/g)].map(([name]) => ({
    at: node,
    name,
    kind: 'an environment variable',
    print: surroundings(node, around),
  }));
}

/** What a variable's name is an argument or a part of: the call without what it is called on, or the statement. */
function surroundings(node: Node, around: readonly Node[]): string {
  for (const outer of around.toReversed()) {
    if (outer.type === 'CallExpression' || outer.type === 'NewExpression') return fingerprint(outer.arguments);
    if (outer.type.endsWith('Statement') || outer.type === 'VariableDeclaration') return fingerprint(outer);
  }
  return fingerprint(node);
}

/** As prom-client is told of one. */
function metrics(node: Node): Named[] {
  const properties = propertiesOf(node);
  const name = stringOf(properties.get('name'));
  return name !== undefined && properties.has('help') ? [{ at: node, name, kind: 'a metric', print: fingerprint(node) }] : [];
}

const SCHEMA = new Set(['object', 'strictObject', 'looseObject', 'extend']);

/** As zod is told of them. */
function schemaFields(node: Node, around: readonly Node[], source: Source): Named[] {
  if (node.type !== 'CallExpression' || !SCHEMA.has(calledMethod(node) ?? '')) return [];
  const [fields] = node.arguments;
  if (fields?.type !== 'ObjectExpression') return [];
  const owner = schemaName(around);
  const kind = owner === undefined ? 'a field of a schema' : `a field of schema ${owner}`;
  return fields.properties.flatMap((at) => {
    const name = at.type === 'Property' ? keyOf(at) : undefined;
    if (name === undefined) return [];
    return [{ at, name, kind, print: `${fingerprint(at)}${documentation(source, at.start)}`, ...(owner === undefined ? {} : { owner }) }];
  });
}

/** The constant a schema is, or is part of; the function that makes it. */
function schemaName(around: readonly Node[]): string | undefined {
  for (const node of around) {
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier') return node.id.name;
    if (node.type === 'FunctionDeclaration' && node.id) return node.id.name;
  }
  return undefined;
}

/** Elsewhere a method and a path are those of somebody else's API. */
const API = 'packages/host/src/http/';
const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete']);

function routes(node: Node, _around: readonly Node[], { path }: Source): Named[] {
  if (!path.startsWith(API)) return [];
  const properties = propertiesOf(node);
  const called = calledMethod(node) ?? '';
  const isCall = node.type === 'CallExpression' && METHODS.has(called);
  const method = isCall ? called : stringOf(properties.get('method'));
  const pattern = isCall ? stringOf(node.arguments[0]) : stringOf(properties.get('path'));
  if (method === undefined || !pattern?.startsWith('/')) return [];
  const print = fingerprint(isCall ? node.arguments : node);
  return [{ at: node, name: `${method.toUpperCase()} ${pattern}`, kind: 'a route', print }];
}

function propertiesOf(node: Node): ReadonlyMap<string, Node> {
  const properties = new Map<string, Node>();
  if (node.type !== 'ObjectExpression') return properties;
  for (const property of node.properties) {
    const key = property.type === 'Property' ? keyOf(property) : undefined;
    if (key !== undefined && property.type === 'Property') properties.set(key, property.value);
  }
  return properties;
}
