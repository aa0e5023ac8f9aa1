// Which tenancy context a scope gives, as the store's audit reads it at run time: an organization, a reason to cross them, or neither.

import { keyName } from './reading/bindings.js';
import type { Closure } from './reading/closure.js';
import { textsOf } from './reading/texts.js';
import type { Value } from './reading/value.js';
import type { Values } from './reading/values.js';

export type WriteContext =
  | { readonly kind: 'organizationId' }
  | { readonly kind: 'global'; readonly reason: string }
  | { readonly kind: 'neither' }
  | { readonly kind: 'unreadable'; readonly why: string; readonly at: Closure };

const NEITHER: WriteContext = { kind: 'neither' };

/** The contexts that a scope came to. */
export function contextsAmong(values: Values, scopes: readonly Value[]): WriteContext[] {
  return distinct(scopes.flatMap((value) => contextOf(values, value)));
}

function contextOf(values: Values, value: Value): WriteContext[] {
  if (value.kind === 'undefined') return [NEITHER];
  if (value.kind === 'unreadable') return [{ kind: 'unreadable', why: value.why, at: value }];
  if (value.kind === 'outside') return [{ kind: 'unreadable', why: `${value.name} of ${value.from} is not followed`, at: value }];
  if (value.node.type === 'Literal') return [NEITHER];
  if (value.node.type !== 'ObjectExpression') return [{ kind: 'unreadable', why: 'it is no object that is written out', at: value }];
  for (const property of value.node.properties) {
    if (property.type === 'SpreadElement' || property.computed || keyName(property.key) === undefined) {
      return [{ kind: 'unreadable', why: 'keys are spread or computed into it', at: value }];
    }
  }
  // In this order, as the audit looks for them.
  const reasons = values.property(value, 'global').flatMap((given) => reasonsOf(values, given));
  if (!reasons.some((reason) => reason === undefined)) return reasons as WriteContext[];
  const organizations = values.property(value, 'organizationId').map((given) => (isEmpty(given) ? NEITHER : ORGANIZATION));
  return [...reasons.filter((reason) => reason !== undefined), ...organizations];
}

const ORGANIZATION: WriteContext = { kind: 'organizationId' };

/** Undefined where there is no `global`. */
function reasonsOf(values: Values, given: Value): (WriteContext | undefined)[] {
  if (given.kind === 'undefined') return [undefined];
  const { texts, unread } = textsOf(values, given);
  return [
    ...texts.map((reason): WriteContext => (reason === '' ? NEITHER : { kind: 'global', reason })),
    ...unread.map(({ why, ...at }): WriteContext => ({ kind: 'unreadable', why: `its reason: ${why}`, at })),
  ];
}

/** What is certain to name no organization. Which one a value names shows at run time, and is the audit's to say. */
function isEmpty(given: Value): boolean {
  if (given.kind === 'undefined') return true;
  return given.kind === 'written' && given.node.type === 'Literal' && (given.node.value === '' || given.node.value === null);
}

export function distinct(contexts: readonly WriteContext[]): WriteContext[] {
  const key = (context: WriteContext) => renderContext([context]);
  return contexts.filter((context, at) => contexts.findIndex((other) => key(other) === key(context)) === at);
}

const ORDER = ['organizationId', 'global', 'neither', 'unreadable'] as const;

/** As the rows tell it: `organizationId or global "why"`. */
export function renderContext(contexts: readonly WriteContext[]): string {
  return [...contexts]
    .sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || (reasonOf(a) < reasonOf(b) ? -1 : 1))
    .map((context) => (context.kind === 'global' ? `global ${JSON.stringify(context.reason)}` : context.kind))
    .filter((text, at, all) => all.indexOf(text) === at)
    .join(' or ');
}

function reasonOf(context: WriteContext): string {
  return context.kind === 'global' ? context.reason : '';
}
